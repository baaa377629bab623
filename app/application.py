"""Application: Qt's, except that a request to quit only asks; the loop ends when everything is saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Qt ends its loop at once when the Dock, a logout or `quit()` asks; here the one who waits for the window does."""

    quit_asked = Signal()
    _given = Signal(str)

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self._early: list[str] | None = []  # that were to be opened before anyone followed

    def follow_files(self, take: Callable[[str], object]) -> None:
        """Give the path of each file that macOS asks to open to `take`, first those that it asked for before."""
        early, self._early = self._early or [], None
        self._given.connect(take)
        for path in early:
            take(path)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent):
            if path := event.file() or event.url().toLocalFile():
                self._take_file(path)
            return True
        if event.type() is QEvent.Type.Quit:
            event.ignore()
            self.quit_asked.emit()
            return True
        return super().event(event)

    def _take_file(self, path: str) -> None:
        if self._early is not None:
            self._early.append(path)
        self._given.emit(path)
