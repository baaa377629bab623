"""The methods of text, lists and mappings that templates may call, each paid for by what it reads and makes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext

from engine.text.budget import CHARACTER_BYTES, GROWTH, join_texts, pay, size_of, take, text_of, weigh

LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
SPACES = LINE_ENDS + "\t\x1f \xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_NUMBERS = re.compile(r"[0-9]+")
_READING = frozenset(
    {"count", "endswith", "find", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier"}
    | {"islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "startswith"}
)
_COPYING = frozenset({"lower", "partition", "removeprefix", "removesuffix"})
_CASING = frozenset({"capitalize", "casefold", "swapcase", "title", "upper"})
_BACKWARDS = frozenset({"rfind", "rindex", "rpartition"})
_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_PADS = frozenset({"center", "ljust", "rjust", "zfill"})
_SPLITS = frozenset({"split", "rsplit", "splitlines"})
_OTHERS: tuple[tuple[Any, frozenset[str]], ...] = (
    (dict, frozenset({"copy", "get", "items", "keys", "values"})),
    ((list, tuple), frozenset({"copy", "count", "index"})),
    (float, frozenset({"is_integer"})),
)


def check_method(method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Pay for a call of a built-in method, or refuse it."""
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if isinstance(owner, LoopContext):
        if name == "changed":  # it compares
            weigh(args)
        return
    if not inspect.isbuiltin(method):
        return
    if isinstance(owner, str):
        _check_text_method(owner, name, args, kwargs)
        return
    weigh(tuple(value for value in args if isinstance(value, tuple)))
    if not any(isinstance(owner, kind) and name in names for kind, names in _OTHERS):
        raise SecurityError(f"the method '{name}' is not offered to templates")
    if isinstance(owner, (list, tuple)) or name == "copy":
        weigh(owner)


def replace_text(text: str, old: str, new: str, count: int | None = -1) -> str:
    """Like str.replace, paid beforehand."""
    count = -1 if count is None else count
    found = text.count(old) if count < 0 else min(count, text.count(old))
    length = len(text) + found * len(new)
    pay(length if text.isascii() and new.isascii() else 4 * length)
    return text.replace(old, new, count)


def join_values(separator: str, values: Any) -> str:
    """Join the texts of any values."""
    return join_texts(separator, [text_of(value) for value in take(values)])


def check_strip(text: str, characters: Any) -> None:
    """Pay for trimming: each character of the text may be looked for among those."""
    pay(size_of(text) + len(text) * (len(characters) if isinstance(characters, str) else 0) // 16)


def check_printf(pattern: str, values: Any) -> None:
    """Pay for a printf-style pattern: the widths in it, and the values once for each field."""
    if "*" in pattern:
        raise SecurityError("a format field takes its width from a value")
    texts = [value for value in (values if isinstance(values, tuple) else (values,)) if isinstance(value, str)]
    num_fields = pattern.count("%")
    weigh(values, times=max(1, num_fields))
    pay(size_of(pattern) + num_fields * sum(map(size_of, texts)) * GROWTH)
    check_widths(pattern)


def check_widths(pattern: str) -> None:
    """Pay for every number in a format as if it were a width."""
    for digits in _NUMBERS.findall(pattern):
        pay(int(digits) if len(digits) < 12 else 10**12)


def _check_text_method(text: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    weigh(args)
    first = args[0] if args else kwargs.get("sep")
    if name in _STRIPS:
        check_strip(text, first)
    elif name in _BACKWARDS:
        _check_backwards(text, first)
    elif name in _PADS:
        pay(4 * (first if isinstance(first, int) else 0) + size_of(text))
    elif name in _SPLITS:
        _check_split(text, name, args, kwargs)
    elif name in _COPYING:
        pay(size_of(text))
    elif name in _CASING:
        pay(3 * size_of(text))  # a capital of one letter may have three
    elif name not in _READING:
        raise SecurityError(f"the method '{name}' of text is not offered to templates")


def _check_backwards(text: str, part: Any) -> None:
    """A search from the end may compare the whole part at every place."""
    pay(size_of(text) + len(text) * (len(part) if isinstance(part, str) else 0) // 16)


def _check_split(text: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    separator = args[0] if args and name != "splitlines" else kwargs.get("sep")
    limit = args[1] if len(args) > 1 else kwargs.get("maxsplit", -1)
    if name == "rsplit":
        _check_backwards(text, separator)
    if isinstance(separator, str):
        num_parts = text.count(separator) + 1
    else:
        num_parts = sum(map(text.count, LINE_ENDS if name == "splitlines" else SPACES)) + 1
    if isinstance(limit, int) and limit >= 0:
        num_parts = min(num_parts, limit + 1)
    pay(size_of(text) + CHARACTER_BYTES * num_parts)
