"""What a window says of a newer release: one quiet note, with a link that opens on a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.chat.notes import Action, Note
from app.system.machine import program_version
from app.updates.release import Release
from app.updates.updates import newer_words

if TYPE_CHECKING:
    from app.window import MainWindow

SUBJECT = "update"


def begin_updates(window: MainWindow) -> None:
    """The window is open."""
    updates = window.settings_pages.updates

    def tell(release: Release) -> None:
        note = Note(newer_words(release, program_version()), (Action.RELEASE_PAGE, Action.CLOSE))
        window.notes.show(SUBJECT, note, lambda action: open_page(action, release))

    updates.newer_found.connect(tell)
    updates.begin()


def open_page(action: Action, release: Release) -> None:
    if action is Action.RELEASE_PAGE:
        QDesktopServices.openUrl(QUrl(release.page))
