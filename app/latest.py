"""Latest: work of which only the last that was begun goes on, such as a question about what is being typed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from app.tasks import start


class Latest:
    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def begin(self, work: Callable[[], Awaitable[object]], wait_seconds: float = 0.0) -> None:
        """Drop what was begun before, and do this after a while."""
        self.drop()
        self._task = start(_later(work, wait_seconds))

    def drop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None


async def wait(seconds: float) -> None:
    """As asyncio's sleep, on the window's loop even where Qt goes through its events outside it."""
    loop = asyncio.get_event_loop()
    waited = loop.create_future()
    timer = loop.call_later(seconds, _end, waited)
    try:
        await waited
    finally:
        timer.cancel()


async def wait_for(task: asyncio.Task[Any], seconds: float) -> None:
    """Until a task has ended, or is ended when its time is over; likewise."""
    loop = asyncio.get_event_loop()
    waited = loop.create_future()
    timer = loop.call_later(seconds, task.cancel)
    task.add_done_callback(partial(_end, waited))
    try:
        await waited
    finally:
        timer.cancel()


def _end(waited: asyncio.Future[None], *_: object) -> None:
    if not waited.done():
        waited.set_result(None)


async def _later(work: Callable[[], Awaitable[object]], wait_seconds: float) -> None:
    await wait(wait_seconds)
    await work()
