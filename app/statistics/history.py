"""History: what the replies of this run of the program have told of themselves, and the last before it; bounded."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import EngineBridge
from app.conversations.live_reply import LiveReply
from app.statistics.rounds import RoundFigures, join_rows
from app.statistics.series import Series
from app.statistics.tracked import NUM_ROUNDS, TrackedReply
from engine.messages import Delta, Event, Failed, Finished, GroupStatistics

NUM_REPLIES = 50
SHOWN_MS = 250  # four updates a second
STALLED_MS = 1000  # between updates while a reply runs and tells nothing: its rate falls then


class History(QObject):
    """`title_of` names a chat by its id. A request that was not begun here, such as a check, counts nowhere.

    Rates are measured once for each `changed`, so that all who show the rate of a reply show the same one.
    """

    changed = Signal()  # at most four times a second

    def __init__(
        self,
        bridge: EngineBridge,
        title_of: Callable[[str], str] = lambda conversation_id: "",
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self.title_of = title_of
        self.clock = clock
        self.rounds: deque[RoundFigures] = deque(maxlen=NUM_ROUNDS)  # forwards of all replies
        self.series = Series()
        self.told_at = 0.0  # wall clock, of the last round
        self.heard_at = 0.0  # of `clock`, of the last round
        self._replies: deque[TrackedReply] = deque(maxlen=NUM_REPLIES)
        self._recalled: tuple[TrackedReply, ...] = ()  # of earlier starts, the oldest first
        self._running: dict[int, TrackedReply] = {}
        self._forward: tuple[GroupStatistics, set[int]] = (GroupStatistics(), set())
        self._rates: dict[int, float | None] = {}  # of the replies that run, by request id, as shown
        self._timer, self._stalled = self._make_timer(SHOWN_MS), self._make_timer(STALLED_MS)
        bridge.received.connect(self._receive)

    def _make_timer(self, milliseconds: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(self.measure)
        return timer

    def measure(self) -> None:
        """Take the rates anew and have them shown."""
        now = self.clock()
        self._rates = {number: reply.rate(now) for number, reply in self._running.items()}
        if self._running:
            self._stalled.start()
        self.changed.emit()

    def rate_of(self, reply: TrackedReply) -> float | None:
        """Over the last seconds while it runs, then over the whole; None where there is too little to tell."""
        if reply.is_running:
            return self._rates.get(reply.request_id)
        return reply.statistics.tokens_per_second or None

    @property
    def rate(self) -> float:
        """Of all replies that run together."""
        return sum(rate or 0.0 for rate in self._rates.values())

    def begin(self, reply: LiveReply) -> None:
        """Follow a reply; called before its Submit is sent."""
        tracked = TrackedReply(reply.request_id, reply.message())
        self._running[reply.request_id] = tracked
        self._replies.append(tracked)
        self._tell()

    @property
    def is_running(self) -> bool:
        return any(reply.has_begun for reply in self._running.values())

    def replies(self, conversation_id: str = "") -> tuple[TrackedReply, ...]:
        """Those that have begun, of one chat or of all, the newest first."""
        known = {reply.message_id for reply in self._replies}
        recalled = [reply for reply in self._recalled if reply.message_id not in known]
        replies = [reply for reply in (*recalled, *self._replies) if reply.has_begun][-NUM_REPLIES:]
        return tuple(reply for reply in reversed(replies) if conversation_id in ("", reply.conversation_id))

    def recall(self, replies: Sequence[TrackedReply]) -> None:
        """Have these stand before those of this run, the oldest first."""
        self._recalled = tuple(replies)
        self.measure()

    def reply_of(self, message_id: str) -> TrackedReply | None:
        """The last request for this message; None where this run of the program generated none."""
        return next((reply for reply in reversed(self._replies) if reply.message_id == message_id), None)

    def running_chats(self) -> tuple[str, ...]:
        """Ids of the chats whose replies have begun and run, in the order in which they began."""
        return tuple(dict.fromkeys(one.conversation_id for one in self._running.values() if one.has_begun))

    def forget(self, conversation_id: str) -> None:
        """Let go of the replies of a chat that was deleted."""
        kept = [one for one in self._replies if one.conversation_id != conversation_id]
        self._replies = deque(kept, maxlen=NUM_REPLIES)
        self._recalled = tuple(one for one in self._recalled if one.conversation_id != conversation_id)
        self._running = {one.request_id: one for one in kept if one.is_running}
        self._tell()

    def _receive(self, event: Event) -> None:
        if not isinstance(event, (Delta, Finished, Failed)):
            return
        reply = self._running.get(event.request_id)
        if reply is None:
            return
        match event:
            case Delta():
                self._add(reply, event)
            case Finished(reason=reason, statistics=statistics):
                self._let_go(event.request_id)
                reply.finish(time.time(), statistics, reason)
            case Failed(text=text):
                self._let_go(event.request_id)
                reply.fail(time.time(), text)
        self._tell()

    def _let_go(self, request_id: int) -> None:
        del self._running[request_id]
        self._rates.pop(request_id, None)

    def _add(self, reply: TrackedReply, delta: Delta) -> None:
        now, wall = self.clock(), time.time()
        one = reply.add(delta, now, wall)
        if one is None:
            return
        self.told_at, self.heard_at = wall, now
        self.series.add(now, one)
        group, told = self._forward
        if one.num_rows > 1 and group == delta.statistics.group and delta.request_id not in told:
            told.add(delta.request_id)
            self.rounds[-1] = join_rows(self.rounds[-1], one)
            return
        self._forward = (delta.statistics.group, {delta.request_id})
        self.rounds.append(one)

    def _tell(self) -> None:
        if not self._timer.isActive():
            self._timer.start()
