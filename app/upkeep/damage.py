"""Says over every page that the chats file was damaged, and shows where it is kept."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.chat.notes import Action, Note
from app.chat.tab_notes import TabNotes
from app.conversations.restoring import SetAside

SUBJECT = "damage"


def tell_damage(notes: TabNotes, set_aside: SetAside) -> None:
    """Stays until it is closed; the files' folders open in the system's own program."""

    def act(action: Action) -> None:
        if action is Action.SHOW_FILES:
            files = (set_aside.file, set_aside.backup)
            for folder in dict.fromkeys(file.parent for file in files if file is not None):
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
            tell_damage(notes, set_aside)

    offered = (Action.SHOW_FILES, Action.CLOSE) if set_aside.backup else (Action.CLOSE,)
    notes.show(SUBJECT, Note(set_aside.describe(), offered, is_alert=True), act)
