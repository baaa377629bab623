"""LiveText: one reply's Markdown in the document; only what differs at its end is ever edited."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor, QTextDocument, QTextLength, QTextTable

from app.chat.markdown import Line, Parsed, Span, Table, parse
from app.chat.transcript_formats import Formats, bare_block, cell_format, table_format


class LiveText:
    """The text blocks of one reply, from the block that the cursor stands in; blocks after them stay untouched.

    The anchor stands at the start of the part that may still change; what lies before it is never parsed again.
    """

    def __init__(self, document: QTextDocument, position: int, owner: int, formats: Formats) -> None:
        self._document = document
        self._anchor = QTextCursor(document)
        self._anchor.setPosition(position)
        self._anchor.setKeepPositionOnInsert(True)
        self._owner = owner
        self._formats = formats
        self._open_source = ""
        self._is_first = True
        self._lines: tuple[Line | Table, ...] = ()
        self._starts: list[int] = []  # of each open line, counted from the anchor
        self._table: QTextTable | None = None  # the one that was written last
        self._length = 0  # characters of the open part

    @property
    def end_position(self) -> int:
        """Where the last character of the reply ends."""
        return self._anchor.position() + self._length

    def set_empty(self, height: int) -> None:
        """Give the reply's block a height while it has no text."""
        if not self._lines:
            QTextCursor(self._anchor).setBlockFormat(bare_block("paragraph", self._owner, height=height))

    def append(self, text: str, *, is_live: bool) -> None:
        """Add text; with `is_live` the last block is expected to grow."""
        self._open_source += text
        parsed = parse(self._open_source, is_first=self._is_first, is_live=is_live)
        self._show(parsed.lines)
        self._close(parsed)

    def _close(self, parsed: Parsed) -> None:
        """Leave everything before the last block of the source behind."""
        if not 0 < parsed.open_line < len(parsed.lines):
            return
        shift = self._starts[parsed.open_line]
        self._open_source = self._open_source[parsed.open_offset :]
        self._lines = parsed.lines[parsed.open_line :]
        self._anchor.setPosition(self._anchor.position() + shift)
        self._starts = [start - shift for start in self._starts[parsed.open_line :]]
        self._length -= shift
        self._is_first = False

    def _show(self, lines: tuple[Line | Table, ...]) -> None:
        pairs = zip(self._lines, lines, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1], pairs))
        if same == len(lines) == len(self._lines):
            return
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        first = lines[same] if same < len(lines) else None
        old = self._lines[same] if same < len(self._lines) else None
        if isinstance(first, Line) and isinstance(old, Line):
            self._rewrite(cursor, same, old, first)
            same += 1
        elif isinstance(first, Table) and isinstance(old, Table) and self._can_grow(old, first, same):
            self._grow(cursor, old, first)
            same += 1
        else:
            self._cut(cursor, self._end_of(same - 1))
        del self._starts[same:]
        for line in lines[same:]:
            self._add(cursor, line)
        self._length = cursor.position() - self._anchor.position()
        self._lines = lines
        cursor.endEditBlock()

    def _end_of(self, index: int) -> int:
        """Position, from the anchor, where the line at `index` ends; the anchor itself for -1."""
        if index < 0:
            return 0
        return self._starts[index + 1] - 1 if index + 1 < len(self._starts) else self._length

    def _cut(self, cursor: QTextCursor, start: int) -> None:
        """Remove the open part from `start` on; the cursor is left there."""
        cursor.setPosition(self._anchor.position() + start)
        cursor.setPosition(self.end_position, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _rewrite(self, cursor: QTextCursor, index: int, old: Line, line: Line) -> None:
        """Turn the line at `index` into `line`, keeping the characters that both begin with."""
        spans, common = _rest(old, line)
        self._cut(cursor, self._starts[index] + common)
        # A cut over several blocks may leave the last one's format.
        if index + 1 < len(self._starts) or replace(old, spans=()) != replace(line, spans=()):
            cursor.setBlockFormat(self._formats.block(line, self._owner))
        self._write(cursor, line, spans)

    def _add(self, cursor: QTextCursor, line: Line | Table) -> None:
        is_first = cursor.position() == self._anchor.position() and not self._starts
        if isinstance(line, Table):
            self._starts.append(cursor.position() - self._anchor.position() + (0 if is_first else 1))
            self._add_table(cursor, line)
            return
        block_format = self._formats.block(line, self._owner)
        if is_first:
            cursor.setBlockFormat(block_format)
        else:
            cursor.insertBlock(block_format)
        self._starts.append(cursor.position() - self._anchor.position())
        self._write(cursor, line, line.spans)

    def _write(self, cursor: QTextCursor, line: Line, spans: tuple[Span, ...]) -> None:
        for span in spans:
            cursor.insertText(span.text, self._formats.characters(line, span))

    def _add_table(self, cursor: QTextCursor, table: Table) -> None:
        if cursor.position() == self._anchor.position() and not self._starts[:-1]:
            cursor.setBlockFormat(bare_block("spacer", self._owner, height=1))
        form = table_format(table.gap)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        made = cursor.insertTable(len(table.rows), len(table.at_end), form)
        self._table = made
        for row in range(len(table.rows)):
            for column in range(len(table.at_end)):
                self._fill(made, table, row, column)
        cursor.setPosition(made.lastPosition() + 1)
        cursor.setBlockFormat(bare_block("spacer", self._owner, height=4))

    def _can_grow(self, old: Table, table: Table, index: int) -> bool:
        is_open = self._table is not None and index == len(self._lines) - 1
        return is_open and old.at_end == table.at_end and old.gap == table.gap and len(old.rows) <= len(table.rows)

    def _grow(self, cursor: QTextCursor, old: Table, table: Table) -> None:
        """Write only the cells of the last table that differ."""
        assert self._table is not None
        if len(table.rows) > len(old.rows):
            self._table.appendRows(len(table.rows) - len(old.rows))
        for row, cells in enumerate(table.rows):
            before = old.rows[row] if row < len(old.rows) else ()
            for column in (
                place for place in range(len(cells)) if before[place : place + 1] != cells[place : place + 1]
            ):
                self._fill(self._table, table, row, column)
        cursor.setPosition(self._table.lastPosition() + 1)

    def _fill(self, made: QTextTable, table: Table, row: int, column: int) -> None:
        """Write one cell, whatever it holds."""
        cell = made.cellAt(row, column)
        cell.setFormat(cell_format(is_last=column == len(table.at_end) - 1))
        kind = "cell-head" if row == 0 else "cell"
        form = bare_block(kind, self._owner, height=20)
        if table.at_end[column]:
            form.setAlignment(Qt.AlignmentFlag.AlignRight)
        cursor = cell.firstCursorPosition()
        cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(form)
        self._write(cursor, Line(kind), table.rows[row][column])


def _rest(old: Line, line: Line) -> tuple[tuple[Span, ...], int]:
    """The spans of `line` after what both begin with, and how many characters that is."""
    if old.kind != line.kind or old.level != line.level or old.num_quotes != line.num_quotes:
        return line.spans, 0
    common = 0
    for index, span in enumerate(line.spans):
        before = old.spans[index] if index < len(old.spans) else None
        if before == span:
            common += _width(span.text)
            continue
        shared = _shared_prefix(before.text, span.text) if before and before.style == span.style else 0
        rest = Span(span.text[shared:], span.style)
        return ((rest,) if rest.text else ()) + line.spans[index + 1 :], common + _width(span.text[:shared])
    return (), common


def _width(text: str) -> int:
    """Positions that a text takes in a QTextDocument: its UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _shared_prefix(first: str, second: str) -> int:
    if second.startswith(first):
        return len(first)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
