"""A reply's Markdown as plain values, one Line for each text block of the transcript.

HTML is shown as it is written, pictures are never fetched, and a link is one only where its scheme is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.code_colours import Row, colour_code, name_language
from app.chat.markdown_cost import is_too_dear
from app.chat.markdown_inline import Span, Style, is_allowed, read_inline

__all__ = ["Line", "Span", "Style", "Table", "is_allowed", "parse"]
_GAPS = {"paragraph": 12, "heading": 20, "item": 6, "code-head": 12, "code": 0, "code-foot": 0, "rule": 16}
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(["table", "strikethrough"])


@dataclass(frozen=True, slots=True)
class Line:
    """One text block: "paragraph", "heading", "item", "code-head", "code", "code-foot" or "rule"."""

    kind: str
    spans: tuple[Span, ...] = ()
    gap: int = 0  # px above
    level: int = 0  # heading level, or depth of the list
    mark: str = ""  # "•" or "3." before a list's item
    num_quotes: int = 0

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[tuple[Span, ...], ...], ...]  # the first is the header
    at_end: tuple[bool, ...]  # columns set at the end side
    gap: int = 12


@dataclass(frozen=True, slots=True)
class Parsed:
    """Lines of a source; from `open_line` and `open_offset` on they may still change as the source grows."""

    lines: tuple[Line | Table, ...]
    open_line: int
    open_offset: int


def parse(source: str, *, is_first: bool = True, is_live: bool = False) -> Parsed:
    """Parse the part of a reply that is not closed; `is_first` where nothing of the reply stands above it.

    A source that would take too long stays as it is written; a live one until it is closed.
    """
    if is_too_dear(source, is_live=is_live):
        return Parsed((_as_written(source, is_first),), 0, 0)
    tokens = _PARSER.parse(source)
    tops = [token.map[0] for token in tokens if token.level == 0 and token.nesting >= 0 and token.map]
    open_row = tops[-1] if tops else 0
    reader = _Reader(open_row if is_live else -1)
    open_line = 0
    for start, end in _top_level(tokens):
        if tokens[start].map and tokens[start].map[0] == open_row:  # type: ignore[index]
            open_line = len(reader.lines)
        reader.read(tokens[start:end])
    lines = reader.lines
    if not lines and source.strip():
        lines.append(Line("paragraph", (Span(source.strip()),), gap=_GAPS["paragraph"]))  # nothing is ever lost
    if lines and is_first:
        lines[0] = replace(lines[0], gap=0)
    return Parsed(tuple(lines), open_line, _offset_of_row(source, open_row))


def _as_written(source: str, is_first: bool) -> Line:
    text = source.strip("\n").replace("\n", "\u2028")
    return Line("paragraph", (Span(text),), gap=0 if is_first else _GAPS["paragraph"])


def _top_level(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    start = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            yield start, index + 1
            start = index + 1


def _offset_of_row(source: str, row: int) -> int:
    offset = 0
    for _ in range(row):
        offset = source.index("\n", offset) + 1
    return offset


class _Reader:
    """Walks one parse; what stands around a block (lists, quotes) is its state."""

    def __init__(self, live_row: int) -> None:
        self.lines: list[Line | Table] = []
        self._live_row = live_row
        self._lists: list[int | None] = []  # next number of each open list, None for bullets
        self._num_quotes = 0
        self._mark = ""
        self._heading = 0

    def read(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            if tokens[index].type == "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self.lines.append(_read_table(tokens[index:end]))
                index = end
            else:
                self._read_one(tokens[index])
            index += 1

    def _read_one(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._open_item()
            case "blockquote_open":
                self._num_quotes += 1
            case "blockquote_close":
                self._num_quotes -= 1
            case "heading_open":
                self._heading = int(token.tag[1])
            case "inline":
                self._add_text(read_inline(token.children or []))
            case "fence" | "code_block":
                self._add_code(token)
            case "hr":
                self._add(Line("rule"))

    def _open_item(self) -> None:
        number = self._lists[-1]
        self._mark = "•" if number is None else f"{number}."
        if number is not None:
            self._lists[-1] = number + 1

    def _add_text(self, spans: tuple[Span, ...]) -> None:
        if self._heading:
            self._add(Line("heading", spans, level=self._heading))
            self._heading = 0
        elif self._lists:
            self._add(Line("item", spans, level=len(self._lists), mark=self._mark))
            self._mark = ""
        else:
            self._add(Line("paragraph", spans))

    def _add_code(self, token: Token) -> None:
        info = token.info.strip().split(maxsplit=1)
        language = info[0] if info else ""
        is_live = token.map is not None and token.map[0] >= self._live_row >= 0
        self._add(Line("code-head", (Span(name_language(language)),), level=len(self._lists)))
        rows = colour_code(token.content.removesuffix("\n"), language, is_live=is_live)
        self.lines.extend(_code_line(row, len(self._lists), self._num_quotes) for row in rows)
        self._add(Line("code-foot", level=len(self._lists)))

    def _add(self, line: Line) -> None:
        gap = _GAPS[line.kind]
        if line.kind == "item" and not (self.lines and getattr(self.lines[-1], "kind", "") == "item"):
            gap = 12
        self.lines.append(replace(line, gap=gap, num_quotes=self._num_quotes))


@lru_cache(maxsize=4096)
def _code_line(row: Row, level: int, num_quotes: int) -> Line:
    """The same object for the same line, so that a long block is compared with its last state at once."""
    spans = tuple(Span(text, Style(is_code=True, tone=tone)) for text, tone in row)
    return Line("code", spans, level=level, num_quotes=num_quotes)


def _read_table(tokens: Sequence[Token]) -> Table:
    rows: list[list[tuple[Span, ...]]] = []
    at_end: list[bool] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            at_end.append("right" in str(token.attrGet("style") or ""))
        elif token.type == "inline":
            rows[-1].append(read_inline(token.children or []))
    width = len(at_end)
    return Table(tuple(tuple(row + [()] * (width - len(row)))[:width] for row in rows), tuple(at_end))
