"""Ends Python code that runs too long, on the thread that runs it."""

from __future__ import annotations

import math
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any

TEMPLATE_FILE = "<template>"  # the name that Jinja compiles a template's code under
LOOK_SECONDS = 0.002  # between two looks at the thread's own clock, which is slower to read
HANDLING_SECONDS = 0.05  # in which what is raised is handled and nothing is raised again
_WEAKREF_FILE = weakref.finalize.__init__.__code__.co_filename  # no path in a bundle, whose code tells names only


@dataclass(slots=True)
class _Allowance:
    """When the time of a block is up, on this thread's own clock."""

    end: float


_last: ContextVar[_Allowance | None] = ContextVar("last", default=None)


class TimeUp(BaseException):
    """Not an Exception, so that code which catches those cannot go on; `frame_line` is in the compiled template."""

    def __init__(self, frame_line: int) -> None:
        super().__init__(frame_line)
        self.frame_line = frame_line
        self.line = 0  # in the template's source, once it is known


class OutOfTime(TimeUp):
    """The time of an allowance is up: whoever catches a deadline's end hands this one on."""


@contextmanager
def deadline(limit_seconds: float) -> Iterator[None]:
    """Raise TimeUp in the block once this thread has worked for so long: a busy machine fails no good template.

    Calls are watched everywhere, lines in a template only. A single call into C cannot be ended: the sandbox
    bounds the sizes that those work on.
    """
    end, last = time.thread_time() + limit_seconds, _last.get()
    next_look = 0.0

    def check(frame: FrameType) -> None:
        nonlocal next_look
        if time.perf_counter() < next_look:
            return
        now = time.thread_time()
        if last and now > last.end:
            last.end = now + HANDLING_SECONDS
            raise OutOfTime(_template_line(frame))
        if now > end:
            raise TimeUp(_template_line(frame))
        next_look = time.perf_counter() + LOOK_SECONDS

    def on_line(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            check(frame)
        return on_line

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        # Python calls a generator to close it too, drops what is raised then, and watches nothing any more; it also
        # drops what is raised in the callback of a weak reference and in a finalizer.
        code = frame.f_code
        if not (code.co_flags & CO_GENERATOR or code.co_filename == _WEAKREF_FILE or code.co_name == "__del__"):
            check(frame)
        return on_line if frame.f_code.co_filename == TEMPLATE_FILE else None

    previous = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(previous)


@contextmanager
def allowance(limit_seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block once this thread has worked for so long, whatever deadlines are in it."""
    around, end = _last.get(), time.thread_time() + limit_seconds
    token = _last.set(around if around and around.end < end else _Allowance(end))
    try:
        with deadline(math.inf):
            yield
    finally:
        _last.reset(token)


def _template_line(frame: FrameType | None) -> int:
    while frame is not None and frame.f_code.co_filename != TEMPLATE_FILE:
        frame = frame.f_back
    return frame.f_lineno if frame else 0
