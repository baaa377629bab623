"""CodeText: the lines of a code block as they grow, and their colours."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial

from app.chat.blocks.units import count_units
from app.chat.blocks.worker import worker
from app.chat.code_colours import MAX_COLOURED, Row, colour_code, is_prepared, prepare

TAB_COLUMNS = 4
MAX_AT_ONCE = 8_000  # characters that are coloured within a frame; more is coloured by the worker
_CHUNK_LINES = 64
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffe6\U0001f000-\U0003ffff]"
)


class CodeText:
    def __init__(self, code: str, language: str, *, is_closed: bool) -> None:
        self.code = code
        self.language = language
        self.is_closed = is_closed
        self.lines = code.split("\n")
        self.num_columns = max(map(_count_columns, self.lines))
        self._starts = [0]
        self._rows: tuple[Row, ...] = ()  # of the whole, once that is closed and coloured
        self._is_asked = False
        self._asked_for = ""  # language

    @property
    def is_coloured(self) -> bool:
        return bool(self.language) and len(self.code) <= MAX_COLOURED

    def take(self, code: str, *, is_closed: bool) -> int:
        """Become longer, or another; returns the index of the first line that differs."""
        if code == self.code and is_closed == self.is_closed:
            return len(self.lines)
        first = len(self.lines) - 1 if code.startswith(self.code) and not self.is_closed else 0
        kept = len(self.code) - len(self.lines[-1]) if first else 0
        self.lines[first:] = code[kept:].split("\n")
        widest = max(map(_count_columns, self.lines[first:]))
        self.num_columns = max(self.num_columns, widest) if first else widest
        self.code = code
        self.is_closed = is_closed
        del self._starts[first + 1 :]
        self._rows, self._is_asked = (), False
        return 0 if is_closed else first

    @property
    def starts(self) -> list[int]:
        """Where each line begins, in UTF-16 units; the last is where a line after it would."""
        for line in self.lines[len(self._starts) - 1 :]:
            self._starts.append(self._starts[-1] + count_units(line) + 1)
        return self._starts

    def line_at(self, position: int) -> int:
        return min(max(0, bisect_right(self.starts, position) - 1), len(self.lines) - 1)

    def row(self, index: int) -> Row:
        """One line in its colours; in none where those are not known, or do not fit the line."""
        line = self.lines[index]
        if not self.is_coloured or not line or not self._is_prepared():
            return ((line, ""),)
        row = self._coloured(index)
        return row if "".join(text for text, _ in row) == line else ((line, ""),)

    def _coloured(self, index: int) -> Row:
        if self.is_closed and not self._rows and len(self.code) <= MAX_AT_ONCE:
            self._rows = colour_code(self.code, self.language)
        if self._rows:
            return self._rows[index] if index < len(self._rows) else ()
        if self.is_closed and not self._is_asked:
            self._is_asked = True
            worker().ask(partial(colour_code, self.code, self.language), partial(self._take_rows, self.code))
        return self._chunk_row(index)

    def _is_prepared(self) -> bool:
        is_there = is_prepared(self.language)
        if not is_there and self._asked_for != self.language:
            self._asked_for = self.language
            worker().ask(partial(prepare, self.language), lambda _: None)
        return is_there

    def _chunk_row(self, index: int) -> Row:
        """Of a chunk of lines coloured by itself; the last line alone, so that a long block costs the same each time.

        A string or comment over a chunk's edge is put right when the block is closed.
        """
        start = index - index % _CHUNK_LINES
        last = len(self.lines) - 1
        is_last = index == last and not self.is_closed
        lines = [self.lines[last]] if is_last else self.lines[start : min(start + _CHUNK_LINES, last + self.is_closed)]
        rows = colour_code("\n".join(lines), self.language)
        place = 0 if is_last else index - start
        return rows[place] if place < len(rows) else ()

    def _take_rows(self, code: str, rows: tuple[Row, ...]) -> None:
        if code == self.code:
            self._rows = rows


def _count_columns(line: str) -> int:
    tabs = (TAB_COLUMNS - 1) * line.count("\t")
    return len(line) + tabs + (0 if line.isascii() else len(_WIDE.findall(line)))
