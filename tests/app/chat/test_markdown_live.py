"""A reply that grows is parsed to the same pieces as the whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.chat.markdown_live import LiveParser
from app.chat.markdown_parts import MAX_PART, MAX_WHOLE, cut_source
from app.chat.markdown_pieces import Code, Piece, Table, moved
from app.chat.markdown_reader import parse

CASES = {
    "prose": "# Head\n\nSome *text* of `code`.\nA line.\n\n## Two\n\nMore text.",
    "code": "Before.\n\n```py\nx = 1\n\n``` not an end\n~~~\n```\nAfter.\n\n```\nopen",
    "table": "| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 |\n| **4** | `5|` |\n\nAfter | that.",
    "table and text": "|a|\n|-|\n|b|\n|c|\n> quote\n\nx",
    "list": "Text:\n\n- one\n- two\n  - deep\n\n    more\n- three\n\n1. a\n1. b\n\n   ```\n   x\n   ```\n1. c\n\nend",
    "words after an item": "- a\n**b** c\n- d\n\n1. e\n2.5 f\n* g\n*h* i",
    "quote": "> a\n> b\n\n> c\nd\n\n---\n\nlast",
    "formula": "So\n\n$$\n\\frac{a}{b}\n$$\n\n\\[ x \\]\n\nand $y$.",
}


def grow(source: str, size: int) -> list[Piece]:
    """The pieces after all of a source has come in arrivals of some size."""
    parser = LiveParser()
    shown: list[Piece] = []
    num_closed = start = 0
    for text in [*_arrivals(source, size), ""]:
        parsed, _ = parser.parse(text, is_live=bool(text))
        shown[num_closed:] = [moved(piece, start) for piece in parsed.pieces]
        num_closed += parsed.num_closed
        start += parsed.open_offset
    return shown


def _arrivals(source: str, size: int) -> Iterator[str]:
    return (source[place : place + size] for place in range(0, len(source), size))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("name", CASES)
def test_a_growing_source_gives_the_pieces_of_the_whole(name: str, size: int) -> None:
    assert grow(CASES[name], size) == list(parse(CASES[name]).pieces)


def test_the_beginning_of_a_fence_is_not_shown_as_code() -> None:
    parser = LiveParser()
    parser.parse("```py\nx = 1\n", is_live=True)
    (code,) = parser.parse("``", is_live=True)[0].pieces
    assert isinstance(code, Code)
    assert code.code == "x = 1"


@pytest.mark.parametrize(
    ("source", "kind"), [("```py\n" + "x = [1]\n" * 20_000, Code), ("|a|b|\n|-|-|\n" + "|x|**y**|\n" * 2_000, Table)]
)
def test_long_code_and_tables_stay_what_they_are_while_they_grow(source: str, kind: type) -> None:
    parser = LiveParser()
    for text in _arrivals(source, len(source) // 40):
        parsed, _ = parser.parse(text, is_live=True)
    assert [type(piece) for piece in parsed.pieces] == [kind]


def test_a_table_that_ends_is_closed_whole() -> None:
    parser = LiveParser()
    parser.parse("|a|b|\n|-|-|\n", is_live=True)
    for _ in range(14):
        parser.parse("|x|y|\n" * 100, is_live=True)
    parsed, _ = parser.parse("\nAfter.", is_live=True)
    table = parsed.pieces[0]
    assert isinstance(table, Table)
    assert (len(table.rows), parsed.num_closed) == (1401, 1)


def test_a_long_source_is_cut_where_nothing_is_torn() -> None:
    block = "Text.\n\n```py\nx\n\ny\n```\n\n- a\n\n  b\n\n| t |\n|---|\n| u |\n\n"
    source = block * (MAX_WHOLE // len(block) + 2)
    parts = cut_source(source)
    assert "".join(parts) == source
    assert len(parts) > 5
    assert all(part.startswith(("Text", "```", "- a", "| t")) for part in parts)


def test_a_list_without_a_blank_line_is_cut_between_its_items() -> None:
    parts = cut_source("- item of a list\n" * 10_000)
    assert max(map(len, parts)) < MAX_PART + 100
    assert all(part.startswith("- item") for part in parts)
