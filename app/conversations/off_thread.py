"""Runs what takes long beside the window's loop, on a thread that ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


async def run_off_thread(work: Callable[[], T]) -> T:
    """What the work gives or raises."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="files")
    future = thread.submit(work)
    try:
        return await asyncio.wrap_future(future)
    finally:
        # Where the work has failed, its thread still holds the error for a moment, and with it whoever awaits it here.
        thread.shutdown(wait=future.done())
