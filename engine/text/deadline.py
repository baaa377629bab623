"""Ends Python code that runs too long, on the thread that runs it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

TEMPLATE_FILE = "<template>"  # the name that Jinja compiles a template's code under
LOOK_SECONDS = 0.002  # between two looks at the thread's own clock, which is slower to read


class TimeUp(BaseException):
    """Not an Exception, so that code which catches those cannot go on; `frame_line` is in the compiled template."""

    def __init__(self, frame_line: int) -> None:
        super().__init__(frame_line)
        self.frame_line = frame_line


@contextmanager
def deadline(limit_seconds: float) -> Iterator[None]:
    """Raise TimeUp in the block once this thread has worked for so long: a busy machine fails no good template.

    Calls are watched everywhere, lines in a template only. A single call into C cannot be ended: the sandbox
    bounds the sizes that those work on.
    """
    end = time.thread_time() + limit_seconds
    next_look = 0.0

    def check(frame: FrameType) -> None:
        nonlocal next_look
        if time.perf_counter() < next_look:
            return
        if time.thread_time() > end:
            raise TimeUp(_template_line(frame))
        next_look = time.perf_counter() + LOOK_SECONDS

    def on_line(frame: FrameType, event: str, argument: Any) -> Any:
        check(frame)
        return on_line

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        check(frame)
        return on_line if frame.f_code.co_filename == TEMPLATE_FILE else None

    previous = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(previous)


def _template_line(frame: FrameType | None) -> int:
    while frame is not None and frame.f_code.co_filename != TEMPLATE_FILE:
        frame = frame.f_back
    return frame.f_lineno if frame else 0
