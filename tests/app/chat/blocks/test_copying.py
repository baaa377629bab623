"""What blocks give to be copied: parts in their marks, items set in as their lists are."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.chat.markdown_reader import parse
from tests.app.chat.blocks.drawing import block_of, blocks_of


@pytest.mark.parametrize(
    ("source", "part", "written"),
    [
        ("a **bold** and `code` end", "old and co", "**old** and `co`"),
        ("a [l](http://x.y) end", "l en", "[l](http://x.y) en"),
        ("see http://x.y now", "http://x.y n", "http://x.y n"),
        ("*it* ~~no~~ ***all***", "t no al", "*t* ~~no~~ ***al***"),
        ("use ``a`b`` so", "a`b", "`` a`b ``"),
        ("**a b**", "a ", "**a** "),
        ("## Head *x*", "Head x", "## Head *x*"),
        ("> one\n> **two**", "e\ntwo", "e\n> **two**"),
        ("so $x^2$ is", "$x^2$ i", "$x^2$ i"),
        ("```py\nx = 1\ny = 2\n```", "x = 1", "x = 1"),
    ],
)
def test_a_part_keeps_its_marks(qapp: QApplication, source: str, part: str, written: str) -> None:
    block = block_of(source)
    start = block.text(0, block.length).index(part)
    assert block.markdown_of(start, start + len(part)) == written


def test_links_keep_addresses_that_stand_elsewhere(qapp: QApplication) -> None:
    block = block_of("see [docs] *now*\n\n[docs]: http://a.b")
    assert block.markdown_of(0, block.length) == "see [docs](http://a.b) *now*"


SOURCES = [
    "1. a\n2. b\n\n   para\n3. c",
    "- a\n\n  ```py\n  x = 1\n  ```\n- b",
    "a\n\n---\n\nb",
    "1. a\n\n   | t |\n   |---|\n   | u |\n2. - [ ] b\n   - [x] c",
    "- a\n\n  $$\n  x\n  $$",
]


@pytest.mark.parametrize("source", SOURCES)
def test_all_blocks_as_markdown_are_what_was_written(qapp: QApplication, source: str) -> None:
    blocks = blocks_of(source)
    parts = [(block.joint, block.markdown_of(0, block.length)) for block in blocks if block.length]
    copied = "".join(joint + words for joint, words in parts)
    assert [block.describe() for block in blocks_of(copied)] == [block.describe() for block in blocks]
    assert [piece.place.level for piece in parse(copied).pieces] == [
        piece.place.level for piece in parse(source).pieces
    ]


def test_text_is_set_in_as_its_list_is(qapp: QApplication) -> None:
    blocks = blocks_of("1. a\n   b\n\n   para\n   - c\n2. ```py\n   x\n   y\n   ```\n\nend")
    texts = [block.text_in_lists(0, block.length) for block in blocks]
    assert texts == ["1. a\n  b", "  para", "  \u2022 c", "2. x\n  y", "end"]


def test_a_rule_is_copied_and_can_be_marked(qapp: QApplication) -> None:
    rule = blocks_of("a\n\n***\n\nb")[1]
    assert rule.text(0, rule.length) == "---"
    assert rule.position_at(rule.rect_of(rule.length).center()) == rule.length
