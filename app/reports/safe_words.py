"""What a file may say of an error or of a logged value: never words that could be those of a chat.

An exception's own words often quote what was being worked on. They are kept where the interpreter itself found them, or
where MLX names one of its operations, and are left out wherever somebody's code raised them.
"""

from __future__ import annotations

import dis
import linecache
import logging
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

LEFT_OUT = "(its words are left out: they may be those of a chat)"
MOST_LETTERS = 300  # of the words of one error
_OURS = ("app", "engine")
_OF_INTERPRETER = (AttributeError, ImportError, MemoryError, NameError, RecursionError, TypeError, ZeroDivisionError)
_OF_MLX = re.compile(r"\[[A-Za-z_:]+\] [\x20-\x7e]+")
_RAISE = dis.opmap["RAISE_VARARGS"]
_IDENTIFIER = re.compile(r"(?=.*\d)[0-9a-f-]{8,64}|[\w.-]{1,80}\.(json|sqlite|safetensors|gguf|txt|log)", re.ASCII)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|'[^']*'", re.DOTALL)


class SafeText(str):
    """May stand in a log as it is, also where its source asks for quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shorten(text: str) -> str:
    """With "~" for the home folder, whose name is often that of its owner."""
    home = str(Path.home())
    return text if len(home) < 2 else text.replace(home, "~")


def without_quotes(text: str) -> SafeText:
    """A message of Qt's in one line, without what stands in it between quotation marks."""
    return SafeText(shorten(" ".join(_QUOTED.sub("“…”", text).split()))[:MOST_LETTERS])


def describe_error(error: BaseException) -> str:
    """Its type, with the words that may be told."""
    name = type(error).__name__
    if isinstance(error, OSError):
        return f"{name}: {error.strerror}" if error.errno is not None and error.strerror else name
    if isinstance(error, sqlite3.Error):
        return f"{name}: {getattr(error, 'sqlite_errorname', None) or LEFT_OUT}"
    words = " ".join(str(error).split())
    if not words:
        return name
    is_found = isinstance(error, _OF_INTERPRETER) and not _was_raised_by_code(error)
    is_of_mlx = isinstance(error, RuntimeError | ValueError) and _OF_MLX.fullmatch(words)
    return f"{name}: {shorten(words)[:MOST_LETTERS] if is_found or is_of_mlx else LEFT_OUT}"


def _was_raised_by_code(error: BaseException) -> bool:
    """Whether a raise statement gave the error its words; also where that is not known."""
    place = error.__traceback__
    if place is None:
        return True
    while place.tb_next is not None:
        place = place.tb_next
    return place.tb_lasti < 0 or place.tb_frame.f_code.co_code[place.tb_lasti] == _RAISE


def write_traceback(error: BaseException) -> str:
    """As Python writes it, causes first, with the source of programs only and without values."""
    parts = []
    for one in reversed(list(_with_causes(error))):
        lines = ["Traceback (most recent call last):", *_places(one.__traceback__), describe_error(one)]
        parts.append("\n".join(lines))
    return "\n\nThis led to:\n\n".join(parts)


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _places(place: TracebackType | None) -> Iterator[str]:
    while place is not None:
        code, line = place.tb_frame.f_code, place.tb_lineno
        yield f'  File "{shorten(code.co_filename)}", line {line}, in {code.co_name}'
        source = linecache.getline(code.co_filename, line).strip() if code.co_filename.endswith(".py") else ""
        if source:  # a template has its text for a source
            yield f"    {source}"
        place = place.tb_next


def safe_value(value: object) -> int | float | SafeText | None:
    """A logged value, or what may be told of it."""
    if value is None or isinstance(value, int | float | SafeText):
        return value
    if isinstance(value, BaseException):
        return SafeText(describe_error(value))
    if isinstance(value, Path):
        return SafeText(shorten(str(value)))
    if isinstance(value, str):
        return SafeText(value if not value or _IDENTIFIER.fullmatch(value) else f"({len(value)} characters)")
    return SafeText(f"({type(value).__name__})")


class SafeFormatter(logging.Formatter):
    """Of our own records the sentence with safe values; of all others only who logged and how bad it is."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        told = logging.makeLogRecord({**record.__dict__, "exc_info": None, "exc_text": None, "stack_info": None})
        told.msg, told.args = self._sentence(record), ()
        written = super().format(told)
        error = record.exc_info[1] if record.exc_info else None
        return f"{written}\n{write_traceback(error)}" if error is not None else written

    def _sentence(self, record: logging.LogRecord) -> str:
        if not is_ours(record) or not isinstance(record.msg, str):
            return LEFT_OUT
        if not record.args:
            return record.msg
        values = record.args if isinstance(record.args, tuple) else (record.args,)
        try:
            return record.msg % tuple(map(safe_value, values))
        except (TypeError, ValueError):
            return record.msg


def is_ours(record: logging.LogRecord) -> bool:
    return record.name.split(".")[0] in _OURS
