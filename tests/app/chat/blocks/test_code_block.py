"""Code: its lines, its header, copying, folding and scrolling."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.blocks.changes import changes
from app.chat.blocks.code_text import MAX_AT_ONCE, CodeText
from app.chat.blocks.message import LiveBlocks
from app.chat.code_colours import colour_code, prepare
from app.theme.tokens import LIGHT
from tests.app.chat.blocks.drawing import WIDTH, block_of, has_colour, message, paint

CODE = '```py\ndef f(x):\n    return "text"  # 😀 note\n```'
COPY = QPointF(WIDTH - 30, 16)


@pytest.fixture(autouse=True)
def _in_colours() -> None:
    prepare("py")


def long_code(num_lines: int) -> str:
    return "```py\n" + "x = 1\n" * num_lines + "```"


def test_code_is_copied_without_its_fence(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of(CODE)
    with qtbot.waitSignal(changes().changed):
        assert block.press(COPY)
    assert QGuiApplication.clipboard().text() == 'def f(x):\n    return "text"  # 😀 note\n'


def test_copied_is_said_for_a_moment(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of(CODE)
    before = paint(block)
    block.press(COPY)
    assert paint(block) != before
    with qtbot.waitSignal(changes().changed, timeout=3000):
        pass
    assert paint(block) == before


def test_the_rules_of_a_language_are_read_beside_the_window(qapp: QApplication, qtbot: QtBot) -> None:
    block = block_of("```pascal\nprogram Ice; begin end.\n```")
    assert not has_colour(paint(block), LIGHT.target, QRectF(0, 34, WIDTH, 60))
    with qtbot.waitSignal(changes().changed, timeout=10_000):
        pass
    assert has_colour(paint(block), LIGHT.target, QRectF(0, 34, WIDTH, 60))


def test_code_has_the_colours_of_its_language(qapp: QApplication) -> None:
    image = paint(block_of(CODE))
    assert has_colour(image, LIGHT.target, QRectF(0, 34, WIDTH, 60))
    assert has_colour(image, LIGHT.ok, QRectF(0, 34, WIDTH, 60))


def test_positions_are_those_of_its_text(qapp: QApplication) -> None:
    block = block_of(CODE)
    text = block.text(0, block.length)
    assert text == 'def f(x):\n    return "text"  # 😀 note'
    for position in (0, 9, 10, 20, block.length):
        rect = block.rect_of(position)
        assert block.position_at(QPointF(rect.left() + 0.5, rect.center().y())) == position


def test_long_code_is_folded_until_it_is_pressed(qapp: QApplication) -> None:
    block = block_of(long_code(500))
    folded = block.set_width(WIDTH)
    assert block.press(QPointF(20, folded - 10))
    assert not block.is_laid_out
    assert block.set_width(WIDTH) > folded + 90 * 20
    assert block.describe() == "Code, Python, 500 lines"


def test_code_that_grew_before_the_reader_does_not_fold(qapp: QApplication) -> None:
    live = LiveBlocks()
    source = long_code(500)
    for place in range(0, len(source), 300):
        live.append(source[place : place + 300])
    height = live.blocks[0].set_width(WIDTH)
    live.end(message(source))
    assert live.blocks[0].set_width(WIDTH) == height > 500 * 20


def test_a_hit_in_folded_code_is_revealed(qapp: QApplication) -> None:
    block = block_of(long_code(500))
    folded = block.set_width(WIDTH)
    block.reveal(block.length)
    assert block.set_width(WIDTH) > folded


def test_long_lines_scroll_sideways_to_their_end_only(qapp: QApplication) -> None:
    block = block_of("```\n" + "word " * 100 + "\n```")
    assert not block.scroll_by(QPointF(20, 50), -40)
    assert block.scroll_by(QPointF(20, 50), 40)
    assert block.rect_of(0).left() < 0
    assert block.scroll_by(QPointF(20, 50), 1e6)
    assert not block.scroll_by(QPointF(20, 50), 1)
    assert block.rect_of(499).left() < WIDTH


def test_a_hit_beyond_the_edge_is_scrolled_to(qapp: QApplication) -> None:
    block = block_of("```\n" + "word " * 100 + "\n```")
    block.reveal(400)
    assert 0 < block.rect_of(400).left() < WIDTH


def test_right_to_left_letters_do_not_turn_code_around(qapp: QApplication) -> None:
    block = block_of("```\nx = 'שלום'\nשלום = x\n```")
    assert block.rect_of(0).left() == 14
    assert block.rect_of(block.length).left() > block.rect_of(11).left()


def test_code_over_the_limit_has_no_colours_and_says_so(qapp: QApplication) -> None:
    block = block_of("```py\n" + "x = 'text'\n" * 20_000 + "```")
    assert "without colours" in block.describe()
    assert not has_colour(paint(block, most=200), LIGHT.ok)


def test_a_line_of_200_000_characters_is_laid_out_where_it_is_seen(qapp: QApplication) -> None:
    block = block_of("```\n" + "x=1;" * 50_000 + "\n```")
    block.scroll_by(QPointF(20, 50), 1e9)
    position = block.position_at(QPointF(WIDTH - 20, 50))
    assert 199_900 < position <= 200_000
    assert abs(block.rect_of(position).left() - (WIDTH - 20)) < 10


@pytest.mark.parametrize("steps", [["a\nb", "a\nb\nc"], ["", "a"], ["a\n\n", "a\n\n\nx"], ["a", "b\nc"]])
def test_lines_are_those_of_the_code_however_it_came(steps: list[str]) -> None:
    text = CodeText("", "py", is_closed=False)
    for step in steps:
        text.take(step, is_closed=False)
    assert text.lines == steps[-1].split("\n")
    assert text.starts[-1] == len(steps[-1]) + 1
    assert ["".join(part for part, _ in text.row(index)) for index in range(len(text.lines))] == text.lines


def test_a_string_over_many_lines_is_coloured_when_the_code_ends(qapp: QApplication, qtbot: QtBot) -> None:
    code = 's = """\n' + "words\n" * (MAX_AT_ONCE // 4) + '"""'
    text = CodeText(code, "python", is_closed=True)
    assert text.row(1000) != (("words", "ok"),)
    qtbot.waitUntil(lambda: text.row(1000) == (("words", "ok"),), timeout=10_000)


def test_what_a_diff_adds_and_takes_away_has_colours() -> None:
    rows = colour_code("@@ -1 +1 @@\n-old\n+new\n same", "diff")
    assert [row[0][1] for row in rows] == ["code_type", "alert", "ok", ""]
