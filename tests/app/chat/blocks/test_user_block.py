"""Users' messages and what is attached to them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication

from app.chat.blocks.attachments_block import AttachmentsBlock
from app.chat.blocks.user_lines import UserLines, spans_of
from app.conversations.records import Attachment
from app.theme.tokens import LIGHT
from tests.app.chat.blocks.drawing import WIDTH, block_of, blocks_of, has_colour, paint

ATTACHED = (Attachment("parser.rs", "fn main() {}\n"), Attachment("notes.txt", "words " * 500))


def test_a_short_message_stands_at_the_end_side_on_its_ground(qapp: QApplication) -> None:
    image = paint(block_of("Short.", role="user"))
    assert has_colour(image, LIGHT.sunken, QRectF(WIDTH - 60, 0, 60, 40))
    assert not has_colour(image, LIGHT.sunken, QRectF(0, 0, WIDTH / 2, 40))


def test_a_long_message_leaves_room_at_the_start_side(qapp: QApplication) -> None:
    block = block_of("Some words that go on. " * 20, role="user")
    assert block.rect_of(0).left() >= WIDTH * 0.22 + 16


def test_each_line_takes_its_own_direction(qapp: QApplication) -> None:
    block = block_of("كيف حالك؟\nAnd a much longer line in English", role="user")
    assert block.rect_of(0).left() > WIDTH - 40
    assert block.rect_of(10).left() < WIDTH / 2


def test_a_long_message_is_folded_until_it_is_pressed(qapp: QApplication) -> None:
    text = "\n".join(f"line {number}" for number in range(1204))
    block = block_of(text, role="user")
    folded = block.set_width(WIDTH)
    assert folded < 41 * 23 + 60
    assert block.press(QPointF(WIDTH - 60, folded - 20))
    assert block.set_width(WIDTH) > 1204 * 23
    assert block.text(0, block.length) == text


def test_lines_stay_as_many_as_were_written(qapp: QApplication) -> None:
    block = block_of("a\n\n\nb", role="user")
    assert block.set_width(WIDTH) == 4 * 23 + 24
    assert block.rect_of(4).top() - block.rect_of(0).top() == 3 * 23
    assert [block.position_at(QPointF(WIDTH, 12 + 23 * line + 5)) for line in range(4)] == [1, 2, 3, 5]


def test_a_huge_message_is_shown_in_steps(qapp: QApplication) -> None:
    block = block_of("x\n" * 200_000, role="user")
    for _ in range(2):
        height = block.set_width(WIDTH)
        assert block.press(QPointF(WIDTH - 60, height - 20))
    assert height < 2_000 * 23


def test_a_hit_in_what_is_folded_is_revealed(qapp: QApplication) -> None:
    block = block_of("line\n" * 5_000, role="user")
    block.reveal(20_000)
    block.set_width(WIDTH)
    assert block.rect_of(20_000).top() > 3_900 * 23


def test_measuring_before_a_hit_is_revealed_leaves_it_where_it_is(qapp: QApplication) -> None:
    text = "".join(chr(0x4E00 + number % 5_000) for number in range(70_000))
    alone = UserLines(text)
    alone.set_width(301.0)
    steps = list(UserLines(text).measure_ahead(300.0))
    ahead = UserLines(text)
    ahead.set_width(300.0)
    assert len(steps) == 12
    assert ahead.tops == [0.0, *(sum(ahead.paragraph(index).height for index in range(end + 1)) for end in range(12))]
    assert ahead.tops[-1] >= alone.tops[-1]


def test_a_block_measures_in_steps_what_a_hit_would_unfold(qapp: QApplication) -> None:
    block = block_of("冰" * 100_000, role="user")
    assert len(list(block.measure_for(10, WIDTH))) == 0
    assert len(list(block.measure_for(90_000, WIDTH))) == 17


def chips_of(*attachments: Attachment) -> AttachmentsBlock:
    chips, _ = blocks_of("See these.", role="user", attachments=attachments)
    assert isinstance(chips, AttachmentsBlock)
    return chips


def test_attachments_are_chips_with_name_and_size(qapp: QApplication) -> None:
    chips, text = blocks_of("See these.", role="user", attachments=ATTACHED)
    assert chips.describe() == "Attached: parser.rs 0.01 kB, notes.txt 3 kB"
    assert text.gap == 8


def test_a_click_on_a_chip_asks_for_its_text(qapp: QApplication) -> None:
    chips = chips_of(*ATTACHED)
    assert not chips.press(QPointF(1, 14))
    assert chips.press(QPointF(WIDTH - 20, 14))
    assert chips.pressed == ATTACHED[1]


def test_the_keyboard_goes_from_chip_to_chip(qapp: QApplication) -> None:
    chips = chips_of(*ATTACHED)
    for by, attachment in ((0, ATTACHED[0]), (1, ATTACHED[1]), (1, ATTACHED[1]), (-1, ATTACHED[0])):
        chips.step(by)
        assert chips.press(chips.place_of_focus.center())
        assert chips.pressed == attachment
    assert has_colour(paint(chips, has_focus=True), LIGHT.target)


def test_a_chip_is_no_wider_than_its_column(qapp: QApplication) -> None:
    chips = chips_of(Attachment("a name that goes on and on.txt", ""))
    chips.set_width(120)
    assert chips.place_of_focus.left() >= 0


def test_many_chips_take_more_rows(qapp: QApplication) -> None:
    chips = blocks_of("", role="user", attachments=ATTACHED * 4)[0]
    assert chips.set_width(WIDTH) > 2 * 28


def test_code_between_backticks_is_set_as_code_with_every_letter() -> None:
    spans = spans_of("Why `a`, not ``c`d``, `e?")
    assert "".join(span.text for span in spans) == "Why `a`, not ``c`d``, `e?"
    assert [span.text for span in spans if span.style.is_code] == ["`a`", "``c`d``"]
