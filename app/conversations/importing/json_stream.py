"""Reads a long JSON array element by element: one call of the parser holds every thread of the program up.

Elements over 2 MB, each a chat of its own, are read by the parser that Python has beside the one in C: it takes a few
times as long and lets others in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, TextIO

_CHUNK = 1 << 18  # characters
_LONG = 1 << 21  # characters, which the parser in C reads in up to 40 ms
_LONGEST = 1 << 24  # characters of one element, or of a file that is no array
_SPACE = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_PATIENT_DECODER = json.JSONDecoder()
_PATIENT_DECODER.scan_once = py_make_scanner(_PATIENT_DECODER)  # type: ignore[attr-defined]


class BrokenJsonError(Exception):
    """What was read is no JSON; the text says where and why."""


class _Window:
    """The part of a stream that is looked at."""

    def __init__(self, stream: TextIO) -> None:
        self.text = ""
        self.place = 0
        self.num_passed = 0  # characters before `text`
        self.is_at_end = False
        self._stream = stream

    @property
    def here(self) -> str:
        return f"at character {self.num_passed + self.place:,}"

    def extend(self) -> None:
        """Read on, more each time, so that a long element is parsed a few times and not a thousand."""
        length = len(self.text) - self.place
        more = list(self._pieces(max(_CHUNK, length if length < _LONG else _LONGEST + 1 - length)))
        self.is_at_end = not more
        self.num_passed += self.place
        self.text, self.place = "".join((self.text[self.place :], *more)), 0

    def _pieces(self, num_characters: int) -> Iterator[str]:
        """What comes, up to so many characters: decoding all of them in one call would hold every thread up."""
        while num_characters > 0 and (piece := self._stream.read(min(_CHUNK, num_characters))):
            yield piece
            num_characters -= len(piece)

    def skip_space(self) -> str:
        """The next character that is no space and no comma; "" at the end."""
        while True:
            match = _SPACE.match(self.text, self.place)
            self.place = match.end() if match else self.place
            if self.place < len(self.text) or self.is_at_end:
                return self.text[self.place : self.place + 1]
            self.extend()

    def _decode(self) -> Any:
        """The parser in C has what is short, and the beginning of what may be."""
        if len(self.text) - self.place <= _LONG:
            value, self.place = _DECODER.raw_decode(self.text, self.place)
            return value
        try:
            value, length = _DECODER.raw_decode(self.text[self.place : self.place + _CHUNK])
            self.place += length
        except json.JSONDecodeError:
            value, self.place = _PATIENT_DECODER.raw_decode(self.text, self.place)
        return value

    def take(self) -> Any:
        """The value that begins here."""
        while True:
            try:
                return self._decode()
            except json.JSONDecodeError as error:
                goes_on = error.pos >= len(self.text) - 16 or error.msg.startswith("Unterminated string")
                if self.is_at_end or not goes_on:
                    raise BrokenJsonError(f"{error.msg} at character {self.num_passed + error.pos:,}") from error
            except (RecursionError, ValueError) as error:
                raise BrokenJsonError(
                    f"what begins at character {self.num_passed + self.place:,} is no chat"
                ) from error
            if len(self.text) - self.place > _LONGEST:
                raise BrokenJsonError(f"what begins at character {self.num_passed + self.place:,} is too long")
            self.extend()


def elements_of(stream: TextIO, before: re.Pattern[str] | None = None) -> Iterator[Any]:
    """Elements of the array that the stream holds, or the one value that is no array.

    `before` is what may stand before the array, its bracket included. Raises BrokenJsonError, after what is sound.
    """
    window = _Window(stream)
    first = window.skip_space()
    match = before.match(window.text, window.place) if before else None
    if match is None and first != "[":
        yield window.take()
        return
    window.place = match.end() if match else window.place + 1
    while (character := window.skip_space()) != "]":
        if not character:
            raise BrokenJsonError(f"it ends in the middle, {window.here}")
        yield window.take()
