"""Pages of a very long reply that are handled as one block."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.chat.blocks.block import Block
from app.chat.blocks.find import find_in
from app.chat.blocks.message import LiveBlocks
from app.chat.blocks.part_block import PartBlock
from app.chat.blocks.tint import drafted_in
from app.chat.markdown_parts import MAX_WHOLE
from app.theme.tokens import LIGHT
from tests.app.chat.blocks.drawing import WIDTH, blocks_of, has_colour, message, paint

PAGE = "# Head\n\nSome *text* and [link](https://e.org).\n\n- a\n- b\n\n```py\nx = 1\n```\n\n"


@pytest.fixture
def part(qapp: QApplication) -> Block:
    block = blocks_of(PAGE * (MAX_WHOLE // len(PAGE) + 2))[1]
    assert isinstance(block, PartBlock)
    return block


def test_its_text_is_that_of_its_blocks(part: Block) -> None:
    text = part.text(0, part.length)
    assert "Head\n\nSome text and link.\n\n• a\n• b\n\nx = 1\n\nHead" in text
    assert len(text) == part.length
    assert "".join(part.text(place, place + 7) for place in range(0, part.length, 7)) == text


def test_places_and_positions_belong_together(part: Block) -> None:
    for position in (0, 10, 30, 40, part.length // 2, part.length):
        rect = part.rect_of(position)
        assert part.position_at(QPointF(rect.left() + 0.5, rect.center().y())) == position


def test_what_is_in_it_can_be_pressed_and_followed(part: Block) -> None:
    start = part.text(0, part.length).index("link")
    assert part.link_at(part.rect_of(start + 1).center()) == "https://e.org"
    code = part.rect_of(part.text(0, part.length).index("x = 1"))
    assert part.press(QPointF(WIDTH - 30, code.top() - 26))


def test_marks_are_painted_where_their_text_is(part: Block) -> None:
    ((start, end), *_) = find_in(part, "text")
    image = paint(part, selection=(start, end))
    assert has_colour(image, LIGHT.target_soft, part.rect_of(start).united(part.rect_of(end - 1)))
    assert not has_colour(image, LIGHT.target_soft, part.rect_of(0).adjusted(0, 0, 40, 0))


def test_tint_is_found_in_it(part: Block) -> None:
    start = part.source_start + part.markdown().index("Some")
    assert [part.text(*span) for span in drafted_in(part, [(start, start + 9)])] == ["Some tex"]


def test_its_estimate_is_near_its_height(part: Block) -> None:
    assert 0.6 < part.estimate(WIDTH) / part.set_width(WIDTH) < 1.6


def test_a_reply_that_is_opened_while_it_runs_is_parsed_where_it_is_seen(qapp: QApplication) -> None:
    live = LiveBlocks()
    live.append(PAGE * 2_000)
    parts = [block for block in live.blocks if isinstance(block, PartBlock)]
    assert len(parts) > 20
    assert live.text.startswith("".join(block.markdown() for block in parts))
    assert live.append("The *end*.") >= len(parts)
    assert live.blocks[-1].text(0, 8) == "The end."
    live.end(message(live.text))
    assert live.blocks[-1].text(0, 8) == "The end."
    assert live.blocks[: len(parts)] == parts


def test_much_that_comes_at_once_leaves_what_was_closed(qapp: QApplication) -> None:
    live = LiveBlocks()
    live.append("One.\n\nTwo")
    kept = live.blocks[0]
    live.append(" goes on.\n\n" + PAGE * 1_000)
    assert live.blocks[0] is kept
    assert live.blocks[1].text(0, 12) == "Two goes on."
