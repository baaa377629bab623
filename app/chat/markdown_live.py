"""LiveParser: the part of a reply that may still change.

Code and tables, which grow long before they end, are not parsed as a whole at each arrival.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.chat.markdown_cost import MAX_LIVE, MAX_WHOLE, count_marks, is_too_dear
from app.chat.markdown_parts import last_cut
from app.chat.markdown_pieces import Code, Piece, Table, moved
from app.chat.markdown_reader import NOTHING, Before, Parsed, parse

STEP = 1_500  # characters of an arrival that are taken at once
_FENCE = re.compile(r"(`{3,}|~{3,})[^\n]*\n")


@dataclass(frozen=True, slots=True)
class _OpenCode:
    """Code without an end that is the whole source."""

    piece: Code
    start: int  # of the code, in the source
    fence: str

    def grow(self, source: str) -> Code | None:
        """The code of a longer source; None where it may have ended."""
        last_line = source.rfind("\n", 0, self.piece.place.end) + 1
        added = source[max(self.start, last_line) :]
        if any(line.strip().startswith(self.fence) for line in added.split("\n")):
            return None
        return replace(self.piece, place=replace(self.piece.place, end=len(source)), code=_shown(source, self))


@dataclass(frozen=True, slots=True)
class _OpenTable:
    """A table that is the whole source; the rows of `piece` up to `num_rows` are those before `start`."""

    piece: Table
    head: str  # its first two lines
    num_rows: int
    start: int

    def grow(self, source: str, before: Before) -> Parsed:
        """Parse the rows after `start`, and what may follow the table."""
        parsed = parse(self.head + source[self.start :], before, is_live=True)
        shift = self.start - len(self.head)
        first = parsed.pieces[0] if parsed.pieces else None
        if not isinstance(first, Table) or first.at_end != self.piece.at_end:
            return parse(source, before, is_live=True)
        rows = self.piece.rows[: self.num_rows] + first.rows[1:]
        table = replace(first, rows=rows, place=replace(first.place, end=first.place.end + shift))
        rest = tuple(moved(piece, shift) for piece in parsed.pieces[1:])
        offset = parsed.open_offset + shift if parsed.num_closed else 0
        return replace(parsed, pieces=(table, *rest), open_offset=offset)


class LiveParser:
    def __init__(self, before: Before = NOTHING) -> None:
        self.source = ""  # of what may still change
        self._before = before
        self._open: _OpenCode | _OpenTable | None = None
        self._last_cut = 0  # of the source, that nothing was closed by

    def parse(self, text: str, *, is_live: bool) -> tuple[Parsed, str]:
        """Take more text; returns the pieces of the source, and that source; what is closed is then left out of it.

        Much text is taken in steps, so that only what is open is judged as to how long its parsing takes.
        """
        source = self.source + text
        closed: list[Piece] = []
        offset = 0
        for step, is_last in _steps(source, text, is_live=is_live):
            self.source += step
            parsed = self._take(is_live=is_live or not is_last)
            closed += [moved(piece, offset) for piece in parsed.pieces[: parsed.num_closed]]
            rest = [moved(piece, offset) for piece in parsed.pieces[parsed.num_closed :]]
            offset += parsed.open_offset
        return replace(parsed, pieces=(*closed, *rest), num_closed=len(closed), open_offset=offset), source

    def _take(self, *, is_live: bool) -> Parsed:
        """Parse the source, and leave out of it what is closed."""
        head = self._close_dear() if is_live else None
        parsed = self._parse(is_live=is_live)
        if head is not None:
            rest = [moved(piece, head.open_offset) for piece in parsed.pieces]
            pieces = (*head.pieces[: head.num_closed], *rest)
            num_closed = head.num_closed + parsed.num_closed
            offset = head.open_offset + parsed.open_offset
        else:
            pieces, num_closed, offset = parsed.pieces, parsed.num_closed, parsed.open_offset
        self._leave(parsed)
        self._open = self._find_open(parsed.pieces[parsed.num_closed :], parsed.open_offset) if is_live else None
        return replace(parsed, pieces=pieces, num_closed=num_closed, open_offset=offset)

    def _leave(self, parsed: Parsed) -> None:
        self.source = self.source[parsed.open_offset :]
        self._before = parsed.before_open
        if parsed.open_offset:
            self._last_cut = 0

    def _close_dear(self) -> Parsed | None:
        """Parse what a blank line ended once more where it is too dear to be parsed again and again."""
        if self._open is not None or not is_too_dear(self.source, MAX_LIVE):
            return None
        cut = last_cut(self.source)
        if cut <= self._last_cut:
            return None
        self._last_cut = cut
        end = self.source.index("\n", cut) + 1
        head = parse(self.source[:end], self._before, is_live=True, max_marks=MAX_WHOLE)
        if not head.open_offset:
            return None
        self._leave(head)
        return head

    def _parse(self, *, is_live: bool) -> Parsed:
        if is_live and isinstance(self._open, _OpenCode):
            code = self._open.grow(self.source)
            if code is not None:
                return Parsed((code,), before_open=self._before)
        if is_live and isinstance(self._open, _OpenTable):
            return self._open.grow(self.source, self._before)
        return parse(self.source, self._before, is_live=is_live)

    def _find_open(self, pieces: tuple[Piece, ...], offset: int) -> _OpenCode | _OpenTable | None:
        piece = moved(pieces[0], -offset) if len(pieces) == 1 else None
        if piece is None or piece.place.start or piece.place.level or piece.place.num_quotes:
            return None
        if isinstance(piece, Code) and not piece.is_closed and (fence := _FENCE.match(self.source)):
            return _OpenCode(piece, fence.end(), fence[1])
        if isinstance(piece, Table):
            return self._open_table(piece)
        return None

    def _open_table(self, piece: Table) -> _OpenTable | None:
        end_of_head = self.source.find("\n", self.source.find("\n") + 1) + 1
        last_line = self.source.rfind("\n") + 1
        if not end_of_head or last_line < end_of_head:
            return None
        num_rows = 1 + self.source.count("\n", end_of_head, last_line)
        return _OpenTable(piece, self.source[:end_of_head], min(num_rows, len(piece.rows)), last_line)


def _shown(source: str, code: _OpenCode) -> str:
    """Without the beginning of a fence at its end."""
    last_line = source.rfind("\n") + 1
    is_fence = last_line >= code.start and not source[last_line:].strip().strip(code.fence[0])
    end = last_line if is_fence else len(source)
    return source[code.start : end].removesuffix("\n")


def _steps(source: str, text: str, *, is_live: bool) -> Iterator[tuple[str, bool]]:
    """The text cut at ends of lines, each part with whether it is the last; what ends and is not too dear is one."""
    is_whole = not is_live and not is_too_dear(source, MAX_WHOLE)
    num_marks = start = 0
    while len(text) - start > STEP and not is_whole and num_marks <= MAX_WHOLE:
        end = text.rfind("\n", start, start + STEP) + 1 or start + STEP
        yield text[start:end], False
        num_marks += count_marks(text[start:end])
        start = end
    yield text[start:], True
