"""Tables: columns, sides, scrolling, folding, copying."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.chat.blocks.message import LiveBlocks
from app.chat.blocks.table_widths import fit_columns, is_number
from app.chat.markdown_inline import Span
from app.theme.tokens import LIGHT
from tests.app.chat.blocks.drawing import WIDTH, block_of, blocks_of, has_colour, paint

TABLE = """| Layer | Note | Depth |
|---|---|---|
| Surface | Ice, **about** 5 | 0.3 m |
| Floor | [x](https://e.org) | 12 m |"""
WIDE = "|" + "a long heading|" * 9 + "\n|" + "-|" * 9 + "\n|" + "some text here|" * 9


def test_cells_are_copied_with_tabs_and_rows_with_lines(qapp: QApplication) -> None:
    block = block_of(TABLE)
    assert block.text(0, block.length) == "Layer\tNote\tDepth\nSurface\tIce, about 5\t0.3 m\nFloor\tx\t12 m"
    assert block.text(6, 17) == "Note\tDepth\n"


def test_numbers_stand_at_the_end_side(qapp: QApplication) -> None:
    block = block_of(TABLE)
    text = block.text(0, block.length)
    ends = [block.rect_of(text.index(word) + len(word)).left() for word in ("Depth", "0.3 m", "12 m")]
    assert max(ends) - min(ends) < 2
    assert ends[0] > WIDTH - 4
    assert block.rect_of(text.index("Surface")).left() == block.rect_of(0).left() == 0


def test_what_is_a_number() -> None:
    assert all(is_number([Span(text)]) for text in ("12", "−5", "1,204.5", "3 %", "12 m", "$5", "", "×1.9", "62 tok/s"))
    assert not any(is_number([Span(text)]) for text in ("x", "about 5", "12 long words", "v2"))


def test_a_point_in_a_cell_gives_its_position(qapp: QApplication) -> None:
    block = block_of(TABLE)
    for position in (0, 8, 20, 31, block.length):
        rect = block.rect_of(position)
        assert block.position_at(QPointF(rect.left(), rect.center().y())) == position


def test_a_link_in_a_cell_can_be_pressed(qapp: QApplication) -> None:
    block = block_of(TABLE)
    rect = block.rect_of(block.text(0, block.length).index("x\t"))
    assert block.link_at(rect.center() + QPointF(3, 0)) == "https://e.org"


def test_columns_share_a_width_that_is_enough() -> None:
    assert sum(fit_columns([50, 100], 400)) == 400 - 24
    pressed = fit_columns([60, 900], 400)
    assert pressed[0] == 60
    assert round(sum(pressed)) == 400 - 24


def test_a_wide_table_scrolls_sideways_and_fades(qapp: QApplication) -> None:
    block = block_of(WIDE)
    assert block.rect_of(block.length).left() > WIDTH
    assert block.scroll_by(QPointF(10, 10), 1e6)
    assert not block.scroll_by(QPointF(10, 10), 10)
    assert block.rect_of(block.length).left() <= WIDTH


def test_a_narrow_table_does_not_scroll(qapp: QApplication) -> None:
    assert not block_of(TABLE).scroll_by(QPointF(10, 10), 10)


def test_a_hit_in_a_column_out_of_sight_is_revealed(qapp: QApplication) -> None:
    block = block_of(WIDE)
    block.reveal(block.length - 2)
    assert block.rect_of(block.length - 2).left() < WIDTH


def test_a_very_long_table_is_folded_until_it_is_pressed(qapp: QApplication) -> None:
    block = block_of("|a|b|\n|-|-|\n" + "|one|2|\n" * 400)
    folded = block.set_width(WIDTH)
    assert block.press(QPointF(10, folded - 10))
    assert block.set_width(WIDTH) > folded + 150 * 36
    assert block.describe() == "Table, 400 rows, 2 columns"


def test_a_table_grows_by_its_rows(qapp: QApplication) -> None:
    live = LiveBlocks()
    heights = []
    for line in ("|a|b|\n", "|-|-|\n", "|c|d|\n", "|e|f|\n", "|g|", "h"):
        live.append(line)
        heights.append(live.blocks[0].set_width(WIDTH))
    assert heights[1:] == [33, 69, 105, 141, 141]
    assert live.blocks[0].text(0, 99) == "a\tb\nc\td\ne\tf\ng\th"


def test_marks_are_painted_in_their_cell(qapp: QApplication) -> None:
    block = block_of(TABLE)
    image = paint(block, selection=(0, 5))
    assert has_colour(image, LIGHT.target_soft, block.rect_of(0).united(block.rect_of(4)))
    assert not has_colour(image, LIGHT.target_soft, block.rect_of(6).united(block.rect_of(9)))


def test_a_very_long_table_stands_as_its_source(qapp: QApplication) -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 1_000
    blocks = blocks_of(f"Before:\n\n{table}\nAfter.")
    assert [block.describe() for block in blocks] == ["Before:", "Code, Markdown, 1,002 lines", "After."]
    assert blocks[1].text(0, 9) == "| a | b |"


def test_a_very_long_table_in_a_list_stands_as_its_source(qapp: QApplication) -> None:
    rows = "  | 1 | 2 |\n" * 1_000
    blocks = blocks_of(f"- Before\n\n  | a | b |\n  |---|---|\n{rows}\n- After")
    assert [block.describe() for block in blocks][1] == "Code, Markdown, 1,002 lines"


def test_a_column_that_is_written_so_is_centred() -> None:
    table = block_of("| a long heading | b |\n|:-:|---|\n| x | y |")
    table.set_width(WIDTH)
    head, cell = table.text(0, table.length).index("a"), table.text(0, table.length).index("x")
    middle = (table.rect_of(head).left() + table.rect_of(head + len("a long heading")).left()) / 2
    letter = (table.rect_of(cell).left() + table.rect_of(cell + 1).left()) / 2
    assert abs(middle - letter) < 1
