"""The one object in app/ that holds the engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal

from app.shown_paths import write_places
from engine.messages import Answer, Command, DrafterFacts, Event, Failed, ModelFacts, ModelLoaded, Notice, Shutdown


class EngineLike(Protocol):
    """The part of `engine.thread.EngineThread` that the window uses."""

    def start(self, emit: Callable[[Event], None]) -> None: ...
    def send(self, *commands: Command) -> None: ...
    def join(self, timeout: float | None = None) -> bool: ...


class EngineBridge(QObject):
    """Commands in, events out; `received` fires on the GUI thread, whatever is connected to it."""

    received = Signal(object)
    ending = Signal()  # no answer is waited for any more
    _arrived = Signal(object)  # emitted on the engine thread

    def __init__(self, engine: EngineLike, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.send = engine.send
        self._engine = engine
        self.is_ending = False
        self._request_ids = itertools.count(1)
        self._facts: dict[str, ModelFacts] = {}
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def next_request_id(self) -> int:
        return next(self._request_ids)

    def facts_of(self, target: str) -> ModelFacts | None:
        """What the last ModelLoaded for this target said; None before the first."""
        return self._facts.get(target)

    def start(self) -> None:
        """Called once everything is wired, so that no early event is lost."""
        self._engine.start(emit=self._arrived.emit)

    def refuse_questions(self) -> None:
        """Let nobody wait for an answer any more: the program ends, and the engine may give none."""
        self.is_ending = True
        self.ending.emit()

    def stop(self, timeout_seconds: float | None = None) -> bool:
        """End the engine and hand out every event that it sent; False where it did not end in time."""
        self.send(Shutdown())
        has_ended = self._engine.join(timeout_seconds)
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)
        return has_ended

    def _deliver(self, event: Event) -> None:
        if isinstance(event, ModelLoaded):
            self._facts[event.facts.target] = event.facts
        self.received.emit(_with_shown_paths(event))


def _with_shown_paths(event: Event) -> Event:
    """The sentences of the engine, which are for its command line too, as the window writes them."""
    match event:
        case Failed() | Notice():
            return replace(event, text=write_places(event.text))
        case Answer(value=DrafterFacts() as facts):
            return replace(event, value=replace(facts, refusal=write_places(facts.refusal)))
    return event
