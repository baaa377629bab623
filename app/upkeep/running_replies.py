"""RunningReplies: the replies that run, in whichever chat, whether or not it has a tab."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.conversations.live_reply import LiveReply
from app.conversations.recorder import Recorder
from app.conversations.records import Message


class RunningReplies(QObject):
    began = Signal(object)  # LiveReply
    ended = Signal(object)  # Message, as it ended
    changed = Signal()  # how many they are

    def __init__(self, recorder: Recorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: dict[int, LiveReply] = {}  # by request
        recorder.began.connect(self._take)
        recorder.abandoned.connect(self._drop)

    @property
    def count(self) -> int:
        return len(self._running)

    def model_of(self, request_id: int) -> str:
        """The target of one; "" where it does not run."""
        reply = self._running.get(request_id)
        return reply.model if reply is not None else ""

    def _take(self, reply: LiveReply) -> None:
        self._running[reply.request_id] = reply
        reply.changed.connect(self._take_change)
        self.began.emit(reply)
        self.changed.emit()

    def _take_change(self, message: Message) -> None:
        """A reply has ended, or has only come to a notice."""
        for reply in [one for one in self._running.values() if one.message_id == message.id and one.has_ended]:
            self._drop(reply)
            self.ended.emit(message)

    def _drop(self, reply: LiveReply) -> None:
        if self._running.pop(reply.request_id, None) is not None:
            self.changed.emit()
