"""Questions to the engine, as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from engine.messages import Answer, Command, Event, Failed

QUITTING = "Slipstream is quitting."
Value = TypeVar("Value")


class RefusedError(Exception):
    """The engine did not answer; the text is its sentence."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


async def ask(bridge: EngineBridge, make: Callable[[int], Command], kind: type[Value]) -> Value:
    """Send what `make` makes of a request id, and wait for its Answer.

    Raises RefusedError where that is Failed, and where the program ends before it comes.
    """
    if bridge.is_ending:
        raise RefusedError("engine", QUITTING)
    request_id = bridge.next_request_id()
    # The loop of the window: at its end Qt may take this step when none runs.
    answered: asyncio.Future[Value] = asyncio.get_event_loop().create_future()

    def receive(event: Event) -> None:
        if answered.done() or not isinstance(event, Answer | Failed) or event.request_id != request_id:
            return
        if isinstance(event, Failed):
            answered.set_exception(RefusedError(event.code, event.text))
            return
        assert isinstance(event.value, kind)
        answered.set_result(event.value)

    def refuse() -> None:
        if not answered.done():
            answered.set_exception(RefusedError("engine", QUITTING))

    connections = bridge.received.connect(receive), bridge.ending.connect(refuse)
    try:
        bridge.send(make(request_id))
        return await answered
    finally:
        for connection in connections:
            QObject.disconnect(connection)
