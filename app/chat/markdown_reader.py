"""Markdown to pieces; what may still change as the source grows is told apart from what is closed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from markdown_it.token import Token

from app.chat.markdown_cost import MAX_LIVE, MAX_WHOLE, is_too_dear
from app.chat.markdown_inline import Span, read_inline
from app.chat.markdown_parser import make_parser
from app.chat.markdown_pieces import TASK_DONE, TASK_OPEN, Code, Formula, Piece, Place, Rule, Table, Text
from app.chat.markdown_references import References

MAX_TEXT = 6_000  # characters of one paragraph; a longer one is laid out in parts
_GAPS = {"text": 12, "heading": 20, "item": 12, "code": 12, "table": 12, "formula": 12, "rule": 16}
_MARK_AT_END = re.compile(r"(?:^|\n) {0,3}(?:\d{1,9}[.)]?|[*+-]+)\Z")  # of an item, or words of the one before it
_TASK = re.compile(r"\[([ xX])\](?:\s|$)")  # at the beginning of an item
_ROW_END = re.compile(r"\r\n|\n|\r")
_PARSER = make_parser()


@dataclass(frozen=True, slots=True)
class Before:
    """What of a reply stands above a source that is parsed on its own."""

    is_empty: bool = True
    is_list: bool = False  # its last block is a list that the source goes on with
    number: int | None = None  # of the source's first item, where that list has numbers


NOTHING = Before()


@dataclass(frozen=True, slots=True)
class Parsed:
    """Pieces of a source; from `num_closed` and `open_offset` on they may still change as the source grows."""

    pieces: tuple[Piece, ...]
    num_closed: int = 0
    open_offset: int = 0
    before_open: Before = NOTHING


def parse(source: str, before: Before = NOTHING, *, is_live: bool = False, max_marks: int = 0) -> Parsed:
    """Parse a part of a reply; a source of more marks than may be parsed at once stays as it is written."""
    if is_too_dear(source, max_marks or (MAX_LIVE if is_live else MAX_WHOLE)):
        return Parsed(tuple(_as_written(source, before)), before_open=before)
    references = References()
    tokens = _PARSER.parse(source, {"is_live": is_live, "references": references})
    tokens = [token for token in tokens if token.meta.get("label") not in references.used]
    reader = _Reader(source, before)
    open_row, is_item = _open_row(tokens)
    for index, token in enumerate(tokens):
        if token.map and token.map[0] == open_row and not token.type.endswith("list_open"):
            reader.mark_open(is_item=is_item)
        reader.read(tokens, index)
    if not reader.pieces and source.strip():
        return Parsed(tuple(_as_written(source, before)), before_open=before)  # nothing is ever lost
    num_closed, before_open = reader.open or (0, before)
    if num_closed == 0 or (is_live and _MARK_AT_END.search(source)):
        return Parsed(tuple(reader.pieces), before_open=before)
    return Parsed(tuple(reader.pieces), num_closed, reader.offset_of(open_row), before_open)


def _open_row(tokens: Sequence[Token]) -> tuple[int, bool]:
    """First row of the last block, or of the last item where that is a list."""
    tops = [index for index, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0 and token.map]
    if not tops:
        return 0, False
    last = tokens[tops[-1]]
    items = [token for token in tokens[tops[-1] :] if token.type == "list_item_open" and token.level == 1]
    if last.type.endswith("list_open") and items and items[-1].map:
        return items[-1].map[0], len(items) > 1
    return (last.map or [0])[0], False


def _as_written(source: str, before: Before) -> list[Piece]:
    text = source.strip("\n")
    start = source.index(text)
    gap, joint = (0, "") if before.is_empty else (_GAPS["text"], "\n\n")
    place = Place(start, start + len(text), gap, joint)
    return _cut(Text(place, (Span(text.replace("\n", "\u2028")),)))


class _Reader:
    """Walks one parse; what stands around a block (lists, quotes) is its state."""

    def __init__(self, source: str, before: Before) -> None:
        self.pieces: list[Piece] = []
        self.open: tuple[int, Before] | None = None  # number of pieces before the open block, and what they are
        self._rows = [0, *(found.end() for found in _ROW_END.finditer(source))]
        self._length = len(source)
        self._before = before
        self._begins_list = False
        self._lists: list[int | None] = []  # number of the next item of each open list, None for bullets
        self._num_quotes = 0
        self._num_quotes_on = 0  # which the last piece was in too
        self._mark = ""  # of an item whose first piece has not come
        self._item: Token | None = None  # which that is
        self._heading = 0

    def mark_open(self, *, is_item: bool) -> None:
        """Called before the first token of what may still change."""
        if self.open is None:
            number = self._lists[-1] if is_item else None
            is_empty = self._before.is_empty and not self.pieces
            self.open = len(self.pieces), Before(is_empty, is_list=is_item, number=number)

    def offset_of(self, row: int) -> int:
        return self._rows[row] if row < len(self._rows) else self._length

    def read(self, tokens: Sequence[Token], index: int) -> None:
        token = tokens[index]
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._open_list(token)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._open_item(token)
            case "list_item_close":
                self._add_empty_item()
            case "blockquote_open" | "blockquote_close":
                self._num_quotes += token.nesting
                self._num_quotes_on = min(self._num_quotes_on, self._num_quotes)
            case "heading_open":
                self._heading = int(token.tag[1])
            case "table_open":
                self._add_table(tokens, index)
            case "inline" if tokens[index - 1].type in ("paragraph_open", "heading_open"):
                self._add_text(token)
            case "fence" | "code_block":
                self._add_code(token)
            case "formula_block":
                place = self._place(token, "formula")
                self.pieces.append(Formula(place, token.content, token.meta["is_closed"]))
            case "address":
                self._add_address(token, follows=index > 0 and tokens[index - 1].type == token.type)
            case "hr":
                self.pieces.append(Rule(self._place(token, "rule")))

    def _open_list(self, token: Token) -> None:
        goes_on = self._before.is_list and not self.pieces and not self._lists
        self._begins_list = not goes_on and not self._lists
        if token.type == "bullet_list_open":
            self._lists.append(None)
        elif goes_on and self._before.number is not None:
            self._lists.append(self._before.number)
        else:
            start = token.attrGet("start")
            self._lists.append(1 if start is None else int(start))

    def _open_item(self, token: Token) -> None:
        number = self._lists.pop()
        self._add_empty_item(has_source=False)
        self._mark = "•" if number is None else f"{number}."
        self._item = token
        self._lists.append(None if number is None else number + 1)

    def _add_empty_item(self, *, has_source: bool = True) -> None:
        """The mark of an item in which nothing stands, or another list right away, whose source has the mark too."""
        if self._mark and self._item is not None:
            place = self._place(self._item, "item")
            self.pieces.append(Text(place if has_source else replace(place, end=place.start), ()))

    def _add_text(self, token: Token) -> None:
        kind = "heading" if self._heading else "item" if self._lists else "text"
        spans = read_inline(token.children or [])
        if self._mark and spans and (task := _TASK.match(spans[0].text)):
            self._mark = TASK_DONE if task[1].strip() else TASK_OPEN
            spans = (replace(spans[0], text=spans[0].text[task.end() :]), *spans[1:])
        text = Text(self._place(token, kind), spans, self._heading)
        self._heading = 0
        self.pieces.extend(_cut(text))

    def _add_address(self, token: Token, *, follows: bool) -> None:
        """One that no link has is shown as it is written."""
        place = self._place(token, "text")
        if follows:
            place = replace(place, gap=0, joint="\n")
        self.pieces.append(Text(place, read_inline([Token("text", "", 0, content=token.content.strip())])))

    def _add_code(self, token: Token) -> None:
        info = token.info.strip().split(maxsplit=1)
        place = self._place(token, "code")
        is_closed = token.type == "code_block" or _has_end(token)
        self.pieces.append(Code(place, token.content.removesuffix("\n"), info[0] if info else "", is_closed))

    def _add_table(self, tokens: Sequence[Token], index: int) -> None:
        rows: list[list[tuple[Span, ...]]] = []
        at_end: list[bool] = []
        centred: list[bool] = []
        for token in takewhile(lambda token: token.type != "table_close", tokens[index:]):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                style = str(token.attrGet("style") or "")
                at_end.append("right" in style)
                centred.append("center" in style)
            elif token.type == "inline":
                rows[-1].append(read_inline(token.children or []))
        width = len(at_end)
        cells = tuple(tuple(row + [()] * (width - len(row)))[:width] for row in rows)
        self.pieces.append(Table(self._place(tokens[index], "table"), cells, tuple(at_end), tuple(centred)))

    def _place(self, token: Token, kind: str) -> Place:
        first, last = token.map or [0, 0]
        level = len(self._lists)
        start, end = self.offset_of(first), self.offset_of(last)
        quotes = (self._num_quotes, self._num_quotes_on)
        self._num_quotes_on = self._num_quotes
        is_close = level > 0 and not self._begins_list
        self._begins_list = False
        mark, self._mark = self._mark, ""
        if not self.pieces and self._before.is_empty:
            return Place(start, end, 0, "", level, *quotes, mark)
        gap = 6 if is_close and kind == "item" else _GAPS[kind]
        return Place(start, end, gap, "\n" if is_close and mark else "\n\n", level, *quotes, mark)


def _has_end(fence: Token) -> bool:
    """Whether a fence was closed: it then has two rows more than its code."""
    first, last = fence.map or [0, 0]
    num_lines = fence.content.count("\n") + (1 if fence.content and not fence.content.endswith("\n") else 0)
    return last - first - 1 > num_lines


def _cut(text: Text) -> list[Piece]:
    """A paragraph that is too long to be laid out at once, in parts."""
    if sum(len(span.text) for span in text.spans) <= MAX_TEXT:
        return [text]
    parts: list[list[Span]] = [[]]
    room = MAX_TEXT
    for span in text.spans:
        rest = span.text
        while rest:
            taken = _take(rest, room)
            parts[-1].append(replace(span, text=taken))
            rest, room = rest[len(taken) :], room - len(taken)
            if rest or room <= 0:
                parts.append([])
                room = MAX_TEXT
    return _place_parts(text, [tuple(part) for part in parts if part])


def _take(text: str, room: int) -> str:
    """As much of a text as there is room for, up to the end of a line or word where there is one."""
    if len(text) <= room:
        return text
    ends = (text.rfind(mark, room // 2, room) for mark in ("\u2028", " "))
    return text[: next((end + 1 for end in ends if end >= 0), room)]


def _place_parts(text: Text, parts: Sequence[tuple[Span, ...]]) -> list[Piece]:
    placed: list[Piece] = []
    start = text.place.start
    for spans in parts:
        end = text.place.end if spans is parts[-1] else start + sum(len(span.text) for span in spans)
        around = replace(text.place, start=start, end=end)
        is_first = spans is parts[0]
        place = around if is_first else replace(around, gap=0, joint="", mark="")
        placed.append(Text(place, spans, text.heading))
        start = end
    return placed
