"""RunningReplies: whether replies that the user asked for run, in any tab or behind them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.conversations.live_reply import LiveReply
from app.conversations.recorder import Recorder


class RunningReplies(QObject):
    changed = Signal(bool)  # whether any runs

    def __init__(self, recorder: Recorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: set[LiveReply] = set()
        recorder.began.connect(self._begin)

    @property
    def is_any(self) -> bool:
        return bool(self._running)

    def _begin(self, reply: LiveReply) -> None:
        self._running.add(reply)
        reply.changed.connect(lambda message: self._end_if_over(reply))
        if len(self._running) == 1:
            self.changed.emit(True)

    def _end_if_over(self, reply: LiveReply) -> None:
        if reply.has_ended and reply in self._running:
            self._running.discard(reply)
            if not self._running:
                self.changed.emit(False)
