"""TabChecks: says what the check of a reply found, and shows or saves where two replies differ."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.chat.attachments_view import show_attachment
from app.chat.checking import Check
from app.chat.notes import Action, Note
from app.chat.session import ChatSession
from app.chat.tab_notes import TabNotes
from app.chat.transcript import Transcript
from app.conversations.records import Attachment, Message
from app.figures import write_count
from app.file_dialogs import SaveDialog
from app.models.drafters import drafter_name
from app.models.names import model_name
from app.shown_paths import write_place
from app.tasks import failures, start

DIFFERENCE, REPORT = "difference", "report"  # subjects of notes
NUM_AROUND = 16  # token ids that a report has on either side of the first that differs


class TabChecks(QObject):
    def __init__(self, session: ChatSession, transcript: Transcript, notes: TabNotes, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._notes = notes
        self._parent = parent
        self._found: dict[str, Check] = {}  # by message

    def take(self, check: Check) -> None:
        """Say under the reply how far its check is, or what it found."""
        self._found[check.message_id] = check
        self._transcript.set_remark(check.message_id, check.sentence, can_stop=check.is_running)
        if check.is_different:
            self._offer(check)

    def take_path(self) -> None:
        """Say it again of the messages that are shown."""
        for check in self._found.values():
            self._transcript.set_remark(check.message_id, check.sentence, can_stop=check.is_running)

    def _offer(self, check: Check) -> None:
        place = write_count(check.num_same + 1)
        words = f"Without a drafter the reply differs from token {place} on."
        actions = (Action.SHOW_BOTH, Action.SAVE_REPORT, Action.CLOSE)
        self._notes.show(DIFFERENCE, Note(words, actions), lambda action: self._act(action, check))

    def _act(self, action: Action, check: Check) -> None:
        reply = next((each for each in self._session.messages if each.id == check.message_id), None)
        if action is Action.CLOSE or reply is None:
            return
        self._offer(check)
        if action is Action.SHOW_BOTH:
            show_attachment(Attachment("Both replies", both_texts(reply, check)), self._parent)
        else:
            self._ask_where(report_of(reply, check))

    def _ask_where(self, report: str) -> None:
        dialog = SaveDialog(self._parent.window(), "Save report", "check", {"Report (*.json)": ("json",)})
        dialog.fileSelected.connect(lambda name: start(self.save(dialog.chosen_path(name), report), saves=True))
        dialog.open()

    async def save(self, path: Path, report: str) -> None:
        """Write a report off this thread and say what came of it; without the tab, only that it was not saved."""
        try:
            await asyncio.to_thread(path.write_text, report, encoding="utf-8")
        except OSError as error:
            reason = error.strerror or "it could not be written"
            words = f"{path.name} was not saved: {reason}. Choose another folder."
            if isValid(self):
                self._notes.show(REPORT, Note(words, (Action.CLOSE,), is_alert=True))
            else:
                failures.happened.emit(words)
        else:
            if isValid(self):
                self._notes.show(REPORT, Note(f"The report was saved as {write_place(path)}.", (Action.CLOSE,)))


def both_texts(reply: Message, check: Check) -> str:
    name = drafter_name(reply.drafter)
    return f"With the drafter {name}:\n\n{reply.text}\n\n\nWithout a drafter:\n\n{check.text}\n"


def report_of(reply: Message, check: Check) -> str:
    """What is needed to look into a difference; of the chat's text only the tokens around it."""
    first, last = max(0, check.num_same - NUM_AROUND), check.num_same + NUM_AROUND
    known = {
        "model": model_name(reply.model),
        "quantisation": reply.quantisation,
        "tokenizer": reply.tokenizer_id,
        "drafter": reply.drafter,
        "temperature": reply.temperature,
        "seed": reply.seed,
        "num_tokens": len(reply.token_ids),
        "num_same": check.num_same,
        "first_token": first,
        "with_drafter": reply.token_ids[first:last],
        "without_drafter": check.token_ids[first:last],
    }
    return json.dumps(known, indent=2) + "\n"
