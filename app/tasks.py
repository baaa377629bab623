"""Starts coroutines from Qt's signals and keeps them until they end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

logger = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


class Failures(QObject):
    happened = Signal(str)  # a sentence for the user


failures = Failures()


def start(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Run a coroutine on the window's loop; what it raises is logged and told by `failures`."""
    task = asyncio.get_event_loop().create_task(work)
    _running.add(task)
    task.add_done_callback(_end)
    return task


async def finish() -> None:
    """Wait for everything that was started."""
    while _running:
        await asyncio.wait(_running)


def _end(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and task.exception() is not None:
        logger.error("a task of the window failed", exc_info=task.exception())
        failures.happened.emit(f"Something went wrong: {task.exception()}. What was asked for may not have been done.")
