"""Wakefulness: keeps system and program awake while a reply runs or a download goes on."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.desktop.desktop import Desktop

REPLIES, DOWNLOADS = "A reply is being written.", "A model is being downloaded."


class Wakefulness(QObject):
    def __init__(self, desktop: Desktop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desktop = desktop
        self._reasons: set[str] = set()

    def set_needed(self, reason: str, is_needed: bool) -> None:
        """The system is told of the first reason, and when the last is past."""
        was_awake = bool(self._reasons)
        if is_needed:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        if self._reasons and not was_awake:
            self._desktop.hold(reason)
        elif was_awake and not self._reasons:
            self._desktop.release()
