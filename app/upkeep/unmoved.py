"""Says over every page that the data was not moved as was asked for, until it is closed."""

from __future__ import annotations

from app.chat.notes import Action, Note
from app.chat.tab_notes import TabNotes
from app.conversations.off_thread import run_off_thread
from app.settings.folders import named_folder, read_pointer
from app.settings.moving import note_problem
from app.tasks import start

SUBJECT = "unmoved"


async def tell_unmoved(notes: TabNotes) -> None:
    if named_folder() is not None:
        return
    pointer = await run_off_thread(read_pointer)
    if pointer.problem:
        notes.show(SUBJECT, Note(pointer.problem, (Action.CLOSE,), is_alert=True), lambda action: forget())


def forget() -> None:
    start(run_off_thread(lambda: note_problem("")), saves=True)
