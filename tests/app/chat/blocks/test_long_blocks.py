"""Long blocks: only what is seen of them is laid out and painted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.chat.blocks.block import Block
from app.chat.blocks.find import find_in
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.user_block import UserBlock
from app.chat.markdown_inline import Span
from tests.app.chat.blocks.drawing import WIDTH, block_of

ARABIC = "\u0645\u0627\u0621 \u062c\u0644\u064a\u062f " * 400


@pytest.fixture
def count_laid_out(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many paragraphs were laid out since the test began."""
    made: list[Paragraph] = []
    lay_out = Paragraph.lay_out

    def count(paragraph: Paragraph, width: float) -> float:
        if not paragraph.is_laid_out:
            made.append(paragraph)
        return lay_out(paragraph, width)

    monkeypatch.setattr(Paragraph, "lay_out", count)
    return lambda: len(made)


BLOCKS: dict[str, Callable[[], Block]] = {
    "a user's message": lambda: UserBlock("water ice line\n" * 20_000 + "end"),
    "a line of code": lambda: block_of("```js\n" + "var ice=1;" * 20_000 + "end\n```"),
    "a line of code with wide letters": lambda: block_of("```js\n" + "var ice=1;" * 20_000 + "\U0001f642end\n```"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_hit_far_away_lays_out_only_what_is_near_it(
    qapp: QApplication, count_laid_out: Callable[[], int], name: str
) -> None:
    block = BLOCKS[name]()
    block.set_width(WIDTH)
    (hit,) = find_in(block, "end")
    block.reveal(hit[0])
    height = block.set_width(WIDTH)
    rect = block.rect_of(hit[0])
    assert block.position_at(rect.center() + QPointF(1, 0)) == hit[0]
    assert 0 <= rect.top() < height
    assert count_laid_out() < 60


def test_a_long_message_keeps_its_height_when_it_is_laid_out_again(qapp: QApplication) -> None:
    block = UserBlock("A line.\n" * 30)
    height = block.set_width(WIDTH)
    block.release()
    assert block.set_width(WIDTH) == height


def test_lines_of_a_long_message_are_as_high_as_their_text(qapp: QApplication) -> None:
    line = "Words that wrap, since there are many of them in this line, which is longer than the room. " * 2
    short, long = UserBlock(f"{line}\n" * 30), UserBlock(f"{line}\n" * 1_500)
    for block in (short, long):
        block.reveal(block.length)
    heights = [block.set_width(WIDTH) for block in (short, long)]
    per_line = [short.rect_of(len(line) + 1).top(), long.rect_of(len(line) + 1).top()]
    assert per_line[0] == per_line[1]
    assert heights[1] > 40 * heights[0]


def test_whole_rows_that_run_from_right_to_left_are_covered_in_one(qapp: QApplication) -> None:
    paragraph = Paragraph([Span(ARABIC)])
    paragraph.lay_out(WIDTH)
    assert len(paragraph.rects(0, paragraph.length)) == len(paragraph.rows) > 3


def test_places_after_letters_of_two_units_are_found(qapp: QApplication) -> None:
    block = block_of("\U0001f642 \u6c34 \U0001f642\U0001f642 ice, \u6c34 and ice")
    assert [block.text(*span) for span in find_in(block, "ice")] == ["ice", "ice"]
    assert [block.text(*span) for span in find_in(block, "\u6c34")] == ["\u6c34", "\u6c34"]
