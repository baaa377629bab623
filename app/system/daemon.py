"""Runs what waits for the network on a thread that the program does not wait for at its end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def run_as_daemon(work: Callable[[], T]) -> T:
    """What the work gives or raises; left alone where its loop has ended before it."""
    loop = asyncio.get_event_loop()  # which the window's is while Qt's own loop turns it, too
    answered: asyncio.Future[T] = loop.create_future()

    def tell(give: Callable[[], None]) -> None:
        if not answered.done():
            give()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # belongs to the one who awaits, as with an executor
            raised = error
            give = lambda: answered.set_exception(raised)  # noqa: E731
        else:
            give = lambda: answered.set_result(result)  # noqa: E731
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, give)

    threading.Thread(target=run, name="hub", daemon=True).start()
    return await answered
