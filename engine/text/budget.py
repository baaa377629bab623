"""What one rendering may make: every operation on text and lists in a template pays for its size beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.utils import Namespace

BASE_BYTES = 64_000_000
BYTES_PER_INPUT = 64  # templates copy each message some ten times
MAX_NUMBER_BITS = 4096
ENTRY_BYTES = 8
NODE_BYTES = 64  # a value inside another, and the work of visiting it
CHARACTER_BYTES = 80  # a text of one character
GROWTH = 6  # of a text that is escaped
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_CONTAINERS = (list, tuple, set, frozenset, *_VIEWS)

_left: ContextVar[list[int]] = ContextVar("bytes_left")


@contextmanager
def budget(num_input_bytes: int) -> Iterator[None]:
    """Let the block's template make what a conversation of this size needs, and no more."""
    total = BASE_BYTES + BYTES_PER_INPUT * num_input_bytes
    token = _left.set([total, total])
    try:
        yield
    finally:
        _left.reset(token)


def pay(num_bytes: int) -> None:
    """Take from what is left; raises SecurityError where that is too little."""
    left = _left.get()
    left[0] -= max(0, num_bytes)
    if left[0] < 0:
        raise SecurityError(f"it makes too much text or too long lists; {left[1] // 1_000_000:,} MB in all is the most")


def size_of(text: str) -> int:
    """Bytes that a text takes at most."""
    return len(text) if text.isascii() else 4 * len(text)


def check_number(number: int) -> None:
    """Refuse numbers that are slow to work with."""
    check_bits(number.bit_length())


def check_bits(bits: int) -> None:
    """Refuse a number of so many bits."""
    if bits > MAX_NUMBER_BITS:
        raise SecurityError(f"a number of {bits:,} bits is too large; {MAX_NUMBER_BITS:,} is the most")


def weigh(value: Any, times: int = 1) -> int:
    """Pay for reading a value through, `times` over: each text in it as often as it is met; returns its depth.

    A value that a list holds many times is compared and written as many times, so it is counted as often.
    """
    if isinstance(value, int):
        check_number(value)
        return 0
    deepest = 0
    waiting = [(0, _inside(value))]
    while waiting:
        depth, values = waiting.pop()
        deepest = max(deepest, depth)
        for item in values:
            pay(times * (NODE_BYTES + (GROWTH * size_of(item) if isinstance(item, str) else 0)))
            if isinstance(item, int):
                check_number(item)
            if inner := _inside(item):
                waiting.append((depth + 1, inner))
    return deepest


def take(values: Iterable[Any]) -> list[Any]:
    """Make a list, paid entry by entry."""
    if isinstance(values, str):
        pay(CHARACTER_BYTES * len(values))
        return list(values)
    if isinstance(values, Sized):
        pay(ENTRY_BYTES * len(values))
        return list(values)
    taken = []
    for value in values:
        pay(ENTRY_BYTES)
        taken.append(value)
    return taken


def text_of(value: Any) -> str:
    """Turn a value into text, paid beforehand; a text itself is free."""
    if isinstance(value, str):
        return value
    weigh(value)
    return str(value)


def join_texts(separator: str, texts: list[str]) -> str:
    """Join texts, paid beforehand."""
    length = sum(map(len, texts)) + len(separator) * max(0, len(texts) - 1)
    is_ascii = separator.isascii() and all(text.isascii() for text in texts)
    pay(length if is_ascii else 4 * length)
    return separator.join(texts)


def _inside(value: Any) -> Any:
    """The values that a value is compared and written with; () where it holds none."""
    if isinstance(value, dict):
        return chain.from_iterable(value.items()) if value else ()
    if isinstance(value, Namespace):
        return _inside(object.__getattribute__(value, "_Namespace__attrs"))
    return value if isinstance(value, _CONTAINERS) else ()
