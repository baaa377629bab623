"""Application: Qt's, except that a request to quit only asks; the loop ends when everything is saved."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Qt ends its loop at once when the Dock, a logout or `quit()` asks; here the one who waits for the window does."""

    quit_asked = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Quit:
            event.ignore()
            self.quit_asked.emit()
            return True
        return super().event(event)
