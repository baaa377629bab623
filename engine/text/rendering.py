"""Runs a chat template in its sandbox, within limits of time and size, and says in a sentence why one fails."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jinja2
from jinja2.exceptions import SecurityError

from engine.text.budget import budget, pay, size_of
from engine.text.deadline import TEMPLATE_FILE, OutOfTime, TimeUp, allowance, deadline
from engine.text.remedies import SHORTER, WRITE_LESS, find_remedy
from engine.text.sandbox import chat_environment

MAX_SOURCE = 200_000  # characters of a template; the longest that are published have 30,000
MAX_WRITTEN = 200_000  # bytes that a template may write on its own, as they are all turned into tokens at once
WRITTEN_PER_INPUT = 8  # and for each byte of the conversation
MAX_REASON = 300  # characters of an error's own words

# What compiling and running a template can raise; a syntax error and endless nesting are told apart above it.
RAISED = (
    *(jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, MemoryError),
    *(RuntimeError, SyntaxError, TypeError, ValueError),
)
_OPEN_COMMENT = re.compile(r"\{#[-+]?\n?\Z")


class TemplateError(Exception):
    """A template could not be used; `line` is 0 where it is not known, `is_final` where other turns cannot help.

    `remedy` is what to do about it, in sentences.
    """

    def __init__(self, reason: str, line: int = 0, *, is_final: bool = False, remedy: str = "") -> None:
        super().__init__(reason)
        quoted = re.sub(r"'([^'\n]+)'", r"`\1`", " ".join(reason.split())).rstrip(".")
        self.reason = quoted if len(quoted) <= MAX_REASON else quoted[:MAX_REASON] + "…"
        self.line = line
        self.is_final = is_final
        self.remedy = remedy

    def sentence(self, subject: str) -> str:
        """Say what failed where: "The template failed at line 12: `role` is undefined."."""
        place = f" at line {self.line}" if self.line else ""
        return f"{subject} failed{place}: {self.reason}."

    def report(self) -> str:
        """The same for who writes the template: "Line 12: `role` is undefined.", and what to do."""
        place = f"Line {self.line}: " if self.line else ""
        found = place + self.reason
        return " ".join(filter(None, [f"{found[:1].upper()}{found[1:]}.", self.remedy]))


@contextmanager
def all_within(limit_seconds: float) -> Iterator[None]:
    """Give what renders templates in the block so long altogether; raises TemplateError once that is over."""
    try:
        with allowance(limit_seconds):
            yield
    except OutOfTime as error:
        raise _too_slow(limit_seconds, error.line) from None


def render_template(source: str, variables: Mapping[str, Any], limit_seconds: float, num_input_bytes: int = 0) -> str:
    """Render on this thread, in at most `limit_seconds` and the memory for such an input; raises TemplateError."""
    if len(source) > MAX_SOURCE:
        reason = f"it has {len(source):,} characters; {MAX_SOURCE:,} is the most"
        raise TemplateError(reason, is_final=True, remedy="Remove what it does not need.")
    template = None
    try:
        with deadline(limit_seconds), budget(num_input_bytes):
            template = _compile(source)
            return _join_bounded(template, variables, MAX_WRITTEN + WRITTEN_PER_INPUT * num_input_bytes)
    except TimeUp as error:
        error.line = template.get_corresponding_lineno(error.frame_line) if template and error.frame_line else 0
        if isinstance(error, OutOfTime):
            raise
        raise _too_slow(limit_seconds, error.line) from None
    except RAISED as error:
        raise _explained(error) from error


def _too_slow(limit_seconds: float, line: int) -> TemplateError:
    return TemplateError(f"it took longer than {limit_seconds:g} s", line, is_final=True, remedy=SHORTER)


def _explained(error: Exception) -> TemplateError:
    reason, remedy = str(error) or type(error).__name__, find_remedy(error)
    if isinstance(error, jinja2.TemplateSyntaxError):
        return TemplateError(error.message or "it cannot be read", error.lineno, is_final=True, remedy=remedy)
    if isinstance(error, RecursionError):
        return TemplateError("it is nested too deeply", _line_of(error), is_final=True, remedy=remedy)
    return TemplateError(reason, _line_of(error), is_final=isinstance(error, SecurityError), remedy=remedy)


def _join_bounded(template: jinja2.Template, variables: Mapping[str, Any], most_bytes: int) -> str:
    chunks, num_bytes = [], 0
    for chunk in template.generate(**variables):
        pay(size_of(chunk))
        num_bytes += size_of(chunk)
        if num_bytes > most_bytes:
            raise TemplateError(f"it writes more than {most_bytes:,} bytes", is_final=True, remedy=WRITE_LESS)
        chunks.append(chunk)
    return "".join(chunks)


def _line_of(error: BaseException) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == TEMPLATE_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


@functools.lru_cache(maxsize=16)
def _compile(source: str) -> jinja2.Template:
    if _OPEN_COMMENT.search(source):  # which Jinja takes for an empty one
        raise jinja2.TemplateSyntaxError("Missing end of comment tag", source.rstrip("\n").count("\n") + 1)
    return chat_environment().from_string(source)
