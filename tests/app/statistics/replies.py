"""Replies that tell of themselves round by round, for the tests of the statistics."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from PySide6.QtCore import QObject, Signal

from app.conversations.live_reply import LiveReply
from app.conversations.records import Message, ReplyState
from app.statistics.history import History
from engine.messages import Command, Delta, Event, Finished, GroupStatistics, Statistics


class Bridge(QObject):
    """Stands for the bridge: events are handed out at once, and commands are kept."""

    received = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[Command] = []

    def next_request_id(self) -> int:
        return 1000 + len(self.commands)

    def send(self, *commands: Command) -> None:
        self.commands += commands

    def answer(self, event: Event) -> None:
        self.received.emit(event)


class Talk:
    """A history, the clock that it reads, and replies that can be driven through rounds."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.bridge = Bridge()
        self.history = History(self.bridge, {"ice": "Why does ice float?"}.get, clock=lambda: self.now)  # type: ignore[arg-type]
        self._statistics: dict[int, Statistics] = {}

    def begin(self, request_id: int, conversation_id: str = "ice", drafter: str = "ngram", **message: object) -> None:
        reply = Message(
            f"m{request_id}", conversation_id, None, "assistant", "", state=ReplyState.RUNNING, model="/models/Tiny"
        )
        self.history.begin(LiveReply(request_id, replace(reply, drafter=drafter, **message)))  # type: ignore[arg-type]
        self._statistics[request_id] = Statistics(num_prompt=50, num_cached=40, num_read=10)

    def round(
        self, request_id: int, num_proposed: int = 0, num_accepted: int = 0, *, seconds: float = 0.1, **changes: object
    ) -> None:
        """One round of `seconds`, half of it verifying and a tenth drafting where anything is proposed."""
        self.now += seconds
        before = self._statistics[request_id]
        proposed = _add(before.proposed_by_position, (1,) * num_proposed)
        accepted = (1,) * num_accepted + (0,) * (num_proposed - num_accepted)
        num_all = before.num_accepted + num_accepted
        after = replace(
            before,
            num_tokens=before.num_tokens + num_accepted + 1,
            num_rounds=before.num_rounds + 1,
            num_proposed=before.num_proposed + num_proposed,
            num_accepted=num_all,
            proposed_by_position=proposed,
            reached_by_position=_add(before.reached_by_position, (1,) * min(num_proposed, num_accepted + 1)),
            accepted_by_position=_add(before.accepted_by_position, accepted),
            acceptance_length=num_all / proposed[0] + 1 if proposed else 0.0,
            tokens_per_forward=(before.num_tokens + num_accepted + 1) / (before.num_rounds + 1),
            depth=num_proposed,
            verify_seconds=before.verify_seconds + 0.05,
            draft_seconds=before.draft_seconds + (0.01 if num_proposed else 0.0),
            num_rows=1,
        )
        self._statistics[request_id] = replace(after, **changes)  # type: ignore[arg-type]
        ids = tuple(range(num_accepted + 1))
        self.bridge.answer(Delta(request_id, "x", ids, num_accepted, self._statistics[request_id]))

    def together(self, *request_ids: int, num_proposed: int = 2, num_accepted: int = 1, **changes: object) -> None:
        """One forward of these replies."""
        group = GroupStatistics(len(request_ids), self._statistics[request_ids[0]].num_rounds)
        for place, request_id in enumerate(request_ids):
            self.round(
                request_id,
                num_proposed,
                num_accepted,
                seconds=0.0 if place else 0.1,
                group=group,
                num_rows=len(request_ids),
                **changes,
            )

    def end(self, request_id: int, reason: str = "stop") -> None:
        self.bridge.answer(Finished(request_id, reason, self._statistics[request_id]))


def _add(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip_longest(first, second, fillvalue=0))
