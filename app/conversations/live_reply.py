"""A reply while it is generated: what it has come to, whoever is looking."""

from __future__ import annotations

import time
from array import array
from dataclasses import replace
from typing import assert_never

from PySide6.QtCore import QObject, Signal

from app.conversations.records import Message, ReplyState
from app.conversations.thought import ThoughtMeter
from app.conversations.totals import add_statistics
from engine.messages import Began, Delta, Failed, Finished, ModelFacts, Notice, Progress, Statistics

ReplyEvent = Began | Delta | Progress | Notice | Finished | Failed
_STATES = {"stop": ReplyState.COMPLETE, "length": ReplyState.LIMIT, "cancelled": ReplyState.STOPPED}


class LiveReply(QObject):
    """Gathers the events of one request on top of the message it began with."""

    extended = Signal(object)  # Delta; its statistics are of the whole reply, the part before it included
    progressed = Signal(object)  # Progress, or the Notice that there is no memory for it yet
    changed = Signal(object)  # Message: a notice came, or the reply ended

    def __init__(self, request_id: int, message: Message) -> None:
        super().__init__()
        self.request_id = request_id
        self.is_dirty = False  # holds something that is not in the database
        self._message = message
        self._before = message.statistics if message.text else None  # of the part that is continued
        self._pieces = [message.text]
        self._token_ids = array("i", message.token_ids)
        self._keeps_ids = bool(message.token_ids) or not message.text  # ids stand for the whole text or not at all
        self._num_characters = len(message.text)
        self._drafted = list(message.drafted)
        self._thought = ThoughtMeter(message.text, message.opening)
        self._before_thought = (message.thought_seconds, message.num_thought)

    @property
    def has_ended(self) -> bool:
        return self._message.state is not ReplyState.RUNNING

    @property
    def conversation_id(self) -> str:
        return self._message.conversation_id

    @property
    def message_id(self) -> str:
        return self._message.id

    @property
    def model(self) -> str:
        return self._message.model

    def message(self) -> Message:
        """The message with everything that was delivered so far."""
        self._pieces = ["".join(self._pieces)]
        return replace(
            self._message, text=self._pieces[0], token_ids=tuple(self._token_ids), drafted=tuple(self._drafted)
        )

    def use_facts(self, facts: ModelFacts) -> None:
        """Note what generates it; ids of another tokenizer are given up, the text stays."""
        if self._token_ids and self._message.tokenizer_id not in ("", facts.tokenizer_id):
            self._keeps_ids = False
            del self._token_ids[:]
        self._thought.use_tags(facts.reasoning)
        tokenizer_id = facts.tokenizer_id if self._keeps_ids else ""
        self._update(tokenizer_id=tokenizer_id, quantisation=facts.quantisation)

    def receive(self, event: ReplyEvent) -> None:
        """Take the next event; one that comes after the end changes nothing."""
        if self.has_ended:
            return
        match event:
            case Delta():
                self._extend(event)
            case Began(opening=opening):
                if not self._num_characters:  # one that is continued has its own
                    self._thought.begin(opening)
                    self._update(opening=opening)
                    self.changed.emit(self.message())
            case Progress() | Notice(code="memory"):
                self.progressed.emit(event)
            case Notice(text=text):
                self._update(notices=(*self._message.notices, text))
                self.changed.emit(self.message())
            case Finished(reason=reason, statistics=statistics):
                known = self._message.statistics if statistics == Statistics() else self._whole(statistics)
                self._update(state=_STATES[reason], finish_reason=reason, statistics=known)
                self.changed.emit(self.message())
            case Failed(text=text):
                self._update(state=ReplyState.FAILED, error=text)
                self.changed.emit(self.message())
            case _:
                assert_never(event)

    def _extend(self, delta: Delta) -> None:
        self._pieces.append(delta.text)
        if self._keeps_ids:
            self._token_ids.extend(delta.token_ids)
        if delta.accepted_end > delta.accepted_start:
            start, end = (self._num_characters + place for place in (delta.accepted_start, delta.accepted_end))
            add_span(self._drafted, start, end)
        self._num_characters += len(delta.text)
        self._thought.take(delta.text, len(delta.token_ids))
        statistics = self._whole(delta.statistics)
        seconds, num_tokens = self._before_thought
        self._update(
            statistics=statistics,
            thought_seconds=seconds + self._thought.seconds,
            num_thought=num_tokens + self._thought.num_tokens,
        )
        self.extended.emit(replace(delta, statistics=statistics))

    def _whole(self, statistics: Statistics) -> Statistics:
        return statistics if self._before is None else add_statistics(self._before, statistics)

    def _update(self, **changes: object) -> None:
        self._message = replace(self._message, updated_at=time.time(), **changes)  # type: ignore[arg-type]
        self.is_dirty = True


def add_span(spans: list[tuple[int, int]], start: int, end: int) -> None:
    """Add a span behind the others; one that touches the last becomes part of it."""
    if spans and spans[-1][1] == start:
        spans[-1] = (spans[-1][0], end)
    else:
        spans.append((start, end))
