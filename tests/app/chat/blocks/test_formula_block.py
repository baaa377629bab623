"""Formulas in blocks: drawn by a worker, their source until then and where they cannot be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.blocks.block import Block
from app.chat.blocks.formula_setter import FormulaKey, is_too_deep, set_formula
from app.chat.blocks.formulas import MAX_SOURCE, formulas
from app.chat.blocks.message import LiveBlocks
from app.theme.tokens import DARK, LIGHT
from tests.app.chat.blocks.drawing import WIDTH, block_of, has_colour, message, paint


def wait_for_drawing(qtbot: QtBot, block: Block) -> None:
    """Until a formula of the block has come, which leaves it to be laid out again."""
    qtbot.waitUntil(lambda: not block.is_laid_out, timeout=10_000)
    block.set_width(WIDTH)


@pytest.mark.parametrize("source", ["\\frac{a}{b}", "x^2", "\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}", "\\text{if } x"])
def test_a_formula_has_a_size_and_a_baseline(source: str) -> None:
    drawing = set_formula(FormulaKey(source, 16, True))
    assert drawing is not None
    assert drawing.width > 8
    assert drawing.ascent > 5


_NO_END = "\\begin{array}{cc}_'('\\text{\\begin{cases}\\mathbb\\sqrté\\left\\\\left\\right"


@pytest.mark.parametrize(
    "source", ["\\frac{a", "{" * 300, "\\nosuchcommand{x}", "a_b_c", "\\left(", "\\begin{x}", "&&", "\x01", _NO_END]
)
def test_what_cannot_be_set_is_not_drawn(source: str) -> None:
    assert set_formula(FormulaKey(source, 16, True)) is None


def test_a_formula_too_long_to_set_is_not_tried() -> None:
    key = FormulaKey("x+" * MAX_SOURCE, 16, True)
    assert formulas().is_known(key)
    assert formulas().find(key) is None


def _nested(opening: str, closing: str, depth: int) -> str:
    return opening * depth + "x" + closing * depth


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("\\sqrt{", "}"), ("1+\\frac{1}{", "}"), ("{", "}"), ("x^{", "}"), ("\\left(", "\\right)"), ("\\hat{", "}")],
)
def test_a_formula_nested_too_deep_stands_as_source_at_once(opening: str, closing: str) -> None:
    key = FormulaKey(_nested(opening, closing, 20), 17, True)
    assert formulas().is_known(key)
    assert formulas().find(key) is None
    assert not is_too_deep(_nested(opening, closing, 6))


@pytest.mark.parametrize(
    "source",
    [
        "\\frac{1}{\\sqrt{2\\pi\\sigma^2}}\\exp\\left(-\\frac{(x-\\mu)^{2}}{2\\sigma^{2}}\\right)",
        "\\begin{aligned}L&=\\sum_{i=1}^{n}\\left(\\frac{\\partial f_{i}}{\\partial x_{j}}\\right)^{2}\\end{aligned}",
    ],
)
def test_formulas_as_they_are_written_are_not_too_deep(source: str) -> None:
    assert not is_too_deep(source)


def test_a_display_formula_is_drawn_in_the_room_that_was_kept(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of("$$\n\\frac{7}{b}\n$$")
    before = block.set_width(WIDTH)
    wait_for_drawing(qtbot, block)
    assert block.set_width(WIDTH) == pytest.approx(before, abs=24)
    assert abs((block.rect_of(0).left() + block.rect_of(block.length).left()) / 2 - WIDTH / 2) < 2
    assert block.text(0, block.length) == "$$\n\\frac{7}{b}\n$$"
    assert block.describe() == "Formula, \\frac{7}{b}"


def test_a_drawing_has_the_ink_of_the_theme(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of("$$\\frac{8888}{b}$$")
    wait_for_drawing(qtbot, block)
    assert has_colour(paint(block), LIGHT.ink)
    assert has_colour(paint(block, tokens=DARK), DARK.ink)


def test_a_formula_in_a_sentence_keeps_the_positions_of_its_source(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of("So $x^{22}$ holds.")
    before = [block.rect_of(place).left() for place in (3, 11, 18)]
    wait_for_drawing(qtbot, block)
    after = [block.rect_of(place).left() for place in (3, 11, 18)]
    assert after[0] == before[0]
    assert after[1] < before[1]
    assert block.text(3, 11) == "$x^{22}$"
    assert block.position_at(QPointF(after[1] + 1, 10)) == 11


def test_a_high_formula_makes_its_line_higher(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of("So $\\frac{\\frac{1}{2}}{\\frac{3}{4}}$ holds.")
    before = block.set_width(WIDTH)
    wait_for_drawing(qtbot, block)
    assert before == 24 < block.set_width(WIDTH)


def test_half_a_formula_takes_its_room_while_it_is_written(qapp: QApplication, qtbot: QtBot) -> None:
    live = LiveBlocks()
    source = "$$\n\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}"
    heights = []
    for letter in source:
        live.append(letter)
        heights.append(live.blocks[0].set_width(WIDTH))
    live.append("\n$$")
    live.blocks[0].set_width(WIDTH)
    wait_for_drawing(qtbot, live.blocks[0])
    assert live.blocks[0].set_width(WIDTH) == heights[-1]
    assert sorted(heights) == heights
    live.end(message(live.text))
    assert live.blocks[0].set_width(WIDTH) == heights[-1]


def test_prices_stay_words_while_they_are_written(qapp: QApplication) -> None:
    live = LiveBlocks()
    for letter in "It costs $5 and $10.":
        live.append(letter)
        assert live.blocks[0].text(0, 99) == live.text.strip()
