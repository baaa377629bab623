"""Paragraphs, headings and items: their words, places and marks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication

from app.theme.tokens import DARK, LIGHT
from tests.app.chat.blocks.drawing import WIDTH, block_of, blocks_of, has_colour, middle_of, paint

ARABIC = "هذا نص عربي مع English داخله"


def test_every_position_is_one_of_its_text(qapp: QApplication) -> None:
    block = block_of("Some **bold** 😀 text\nand `code`.")
    text = block.text(0, block.length)
    assert text == "Some bold 😀 text\nand code."
    assert block.length == len(text) + 1  # one character takes two units
    assert "".join(block.text(place, place + 1) for place in range(block.length)) == text.replace("😀", "")


def test_a_point_on_a_letter_gives_its_position(qapp: QApplication) -> None:
    block = block_of("The quick brown fox jumps over the lazy dog, again and again, for as long as it takes to wrap.")
    for position in (0, 5, 40, 80, block.length):
        rect = block.rect_of(position)
        assert block.position_at(QPointF(rect.left() + 0.5, rect.center().y())) == position


def test_a_click_beyond_the_end_of_a_line_stays_in_that_line(qapp: QApplication) -> None:
    block = block_of("One.\nTwo.")
    assert block.position_at(QPointF(WIDTH, 10)) == 4
    assert block.position_at(QPointF(WIDTH, 1000)) == 9


def test_a_paragraph_starts_at_the_side_of_its_first_strong_letter(qapp: QApplication) -> None:
    left, right = blocks_of(f"English, then عربي.\n\n{ARABIC}")
    assert left.rect_of(0).left() < 2
    assert right.rect_of(0).left() > WIDTH - 2


def test_an_item_of_a_list_is_copied_with_its_mark(qapp: QApplication) -> None:
    first, nested, number = blocks_of("- one\n  - two\n\n7. seven")
    assert [block.text(0, block.length) for block in (first, nested, number)] == ["• one", "  • two", "7. seven"]
    assert nested.joint == "\n"
    assert number.rect_of(0).left() == 22


def test_a_link_is_under_its_words_only(qapp: QApplication) -> None:
    block = block_of("See [the article](https://example.org/ice) there.")
    assert block.link_at(middle_of(block, 5, 9)) == "https://example.org/ice"
    assert block.link_at(middle_of(block, 0, 2)) == ""
    assert block.link_at(QPointF(WIDTH - 1, 10)) == ""


def test_a_link_is_underlined_under_the_mouse(qapp: QApplication) -> None:
    block = block_of("See [the article](https://example.org/ice) there.")
    below = QRectF(block.rect_of(7).left(), 19, 3, 3)
    assert has_colour(paint(block, hover=middle_of(block, 5, 9)), LIGHT.target, below)
    assert not has_colour(paint(block, hover=QPointF(1, 1)), LIGHT.target, below)


def test_selection_covers_what_lies_between_its_positions(qapp: QApplication) -> None:
    block = block_of(ARABIC + " " + ARABIC)
    english = ARABIC.index("English")
    image = paint(block, selection=(english, english + 7))
    inside = block.rect_of(english).united(block.rect_of(english + 6))
    assert has_colour(image, LIGHT.target_soft, inside)
    assert not has_colour(image, LIGHT.target_soft, QRectF(WIDTH - 20, 0, 20, 24))


def test_tint_hits_and_selection_are_painted_in_their_colours(qapp: QApplication) -> None:
    block = block_of("plain text of some words")
    assert has_colour(paint(block, drafted=[(0, 5)]), LIGHT.draft_soft)
    assert has_colour(paint(block, found=[(0, 5)]), LIGHT.draft_soft)
    assert has_colour(paint(block, tokens=DARK, selection=(0, 5)), DARK.target_soft)
    assert not has_colour(paint(block), LIGHT.draft_soft)


def test_another_theme_recolours_what_is_laid_out(qapp: QApplication) -> None:
    block = block_of("[wwwwwwwwwwwww](https://example.org)")
    assert has_colour(paint(block), LIGHT.target)
    dark = paint(block, tokens=DARK)
    assert has_colour(dark, DARK.target)
    assert not has_colour(dark, LIGHT.target)


def test_a_released_block_keeps_its_text_and_its_height(qapp: QApplication) -> None:
    block = block_of("Some words.")
    height = block.set_width(WIDTH)
    block.release()
    assert not block.is_laid_out
    assert block.text(0, block.length) == "Some words."
    assert block.set_width(WIDTH) == height


def test_the_estimate_is_near_the_height(qapp: QApplication) -> None:
    block = block_of("Some words of ordinary length that go on for some lines. " * 20)
    assert 0.7 < block.estimate(WIDTH) / block.set_width(WIDTH) < 1.4


def test_a_heading_says_that_it_is_one(qapp: QApplication) -> None:
    assert block_of("## Head").describe() == "Heading, Head"


@pytest.mark.parametrize(
    "source",
    [
        "".join("  " * level + f"- item {level}\n" for level in range(45)),
        "> " * 45 + "quote",
        "".join("  " * level + "- a\n" for level in range(40)) + "  " * 40 + "```py\n" + "  " * 40 + "x = 1",
        "".join("  " * level + "- a\n" for level in range(40)) + "  " * 40 + "|a|b|\n" + "  " * 40 + "|-|-|",
    ],
    ids=["list", "quote", "code", "table"],
)
def test_deep_nesting_leaves_half_of_the_column(qapp: QApplication, source: str) -> None:
    blocks = blocks_of(source)
    assert all(block.rect_of(0).left() <= WIDTH / 2 + 20 for block in blocks)
