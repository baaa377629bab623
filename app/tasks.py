"""Starts coroutines from Qt's signals and keeps them until they end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

logger = logging.getLogger(__name__)
FINISH_SECONDS = 3.0  # that the end of the program waits for what does not save
CANCEL_SECONDS = 1.0  # that what is cancelled then has to end
_running: set[asyncio.Task[Any]] = set()
_saving: set[asyncio.Task[Any]] = set()  # of these, what the end of the program waits for as long as it takes


class Failures(QObject):
    happened = Signal(str)  # a sentence for the user


failures = Failures()


def start(work: Coroutine[Any, Any, Any], *, saves: bool = False) -> asyncio.Task[Any]:
    """Run a coroutine on the window's loop; what it raises is logged and told by `failures`.

    What `saves` writes something of the user's and waits for no answer of the engine: it is never broken off.
    """
    task = asyncio.get_event_loop().create_task(work)
    _running.add(task)
    if saves:
        _saving.add(task)
    task.add_done_callback(_end)
    return task


async def finish(seconds: float = FINISH_SECONDS) -> None:
    """Wait for everything that was started; what does not save is cancelled where it takes longer than this."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while _running and (left := deadline - loop.time()) > 0:
        await asyncio.wait(_running, timeout=left)
    while _saving:
        await asyncio.wait(_saving)
    for task in _running:
        logger.warning("%s did not end within %.0f s and is cancelled", task.get_coro(), seconds)
        task.cancel()
    if _running:
        await asyncio.wait(_running, timeout=CANCEL_SECONDS)


def _end(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    _saving.discard(task)
    if not task.cancelled() and task.exception() is not None:
        logger.error("a task of the window failed", exc_info=task.exception())
        failures.happened.emit(f"Something went wrong: {task.exception()}. What was asked for may not have been done.")
