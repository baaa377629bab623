"""Runs a chat template in its sandbox, within a time limit, and says in a sentence why one fails."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import jinja2
from jinja2.exceptions import SecurityError

from engine.text.budget import budget, pay, size_of
from engine.text.deadline import TEMPLATE_FILE, TimeUp, deadline
from engine.text.sandbox import chat_environment

# What compiling and running a template can raise; a syntax error and endless nesting are told apart above it.
RAISED = (
    *(jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, MemoryError),
    *(RuntimeError, SyntaxError, TypeError, ValueError),
)
_OPEN_COMMENT = re.compile(r"\{#[-+]?\n?\Z")


class TemplateError(Exception):
    """A template could not be used; `line` is 0 where it is not known, `is_final` where other turns cannot help."""

    def __init__(self, reason: str, line: int = 0, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.is_final = is_final

    def sentence(self, subject: str) -> str:
        """Say what failed where: "The template failed at line 12: `role` is undefined."."""
        place = f" at line {self.line}" if self.line else ""
        reason = re.sub(r"'([^'\n]+)'", r"`\1`", self.reason).rstrip(".")
        return f"{subject} failed{place}: {reason}."


def render_template(source: str, variables: Mapping[str, Any], limit_seconds: float, num_input_bytes: int = 0) -> str:
    """Render on this thread, in at most `limit_seconds` and the memory for such an input; raises TemplateError."""
    template = None
    try:
        with deadline(limit_seconds), budget(num_input_bytes):
            template = _compile(source)
            return _join_bounded(template, variables)
    except TimeUp as error:
        line = template.get_corresponding_lineno(error.frame_line) if template and error.frame_line else 0
        raise TemplateError(f"it took longer than {limit_seconds:g} s", line, is_final=True) from None
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(error.message or "it cannot be read", error.lineno, is_final=True) from error
    except RecursionError as error:
        raise TemplateError("it is nested too deeply", is_final=True) from error
    except RAISED as error:
        is_final = isinstance(error, SecurityError)
        raise TemplateError(str(error) or type(error).__name__, _line_of(error), is_final=is_final) from error


def _join_bounded(template: jinja2.Template, variables: Mapping[str, Any]) -> str:
    chunks = []
    for chunk in template.generate(**variables):
        pay(size_of(chunk))
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
