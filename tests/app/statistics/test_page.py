"""The page: what it says while replies run, at rest and before the first, by eye, by keyboard and as text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.figures import NO_BREAK
from app.statistics.chart import Chart
from app.statistics.figure_table import FigureTable
from app.statistics.focus_ring import FocusRing
from app.statistics.legend import Legend
from app.statistics.memory import MemoryWatch
from app.statistics.page import EMPTY, StatisticsPage
from app.statistics.tables import UNKNOWN
from app.statistics.time_chart import TimeChart
from app.theme.theme import Theme
from app.theme.tokens import DARK
from tests.app.statistics.replies import Talk


@pytest.fixture
def page(qtbot: QtBot, theme: Theme, talk: Talk) -> StatisticsPage:
    page = StatisticsPage(theme, talk.history, MemoryWatch(talk.bridge))  # type: ignore[arg-type]
    qtbot.addWidget(page)
    page.resize(1064, 860)
    return page


def run_two(talk: Talk) -> None:
    talk.begin(1)
    talk.begin(2, "rust", drafter="none")
    for _ in range(3):
        talk.round(1, 2, 1)
        talk.round(2)


def test_before_the_first_reply_it_says_when_statistics_appear(page: StatisticsPage) -> None:
    page.show()
    assert page.empty.isVisible()
    assert not page.series.isVisible()
    assert not page.exporting.button.isEnabled()
    assert page.plain_text().startswith(EMPTY)


def test_it_shows_what_the_history_tells_while_it_is_seen(qtbot: QtBot, page: StatisticsPage, talk: Talk) -> None:
    page.show()
    run_two(talk)
    qtbot.waitUntil(page.series.isVisible)
    assert not page.empty.isVisible()
    assert page.replies.figures.rowCount() == 2
    assert "from position 1 on: 100%, 0%" in page.positions.chart.sentence


def test_a_hidden_page_does_no_work(qtbot: QtBot, page: StatisticsPage, talk: Talk) -> None:
    with qtbot.waitSignal(talk.history.changed):
        run_two(talk)
    assert page.replies.figures.rowCount() == 0
    page.show()
    assert page.replies.figures.rowCount() == 2


def test_a_segment_shows_one_chat(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    assert [page.segments.tabText(place) for place in range(page.segments.count())] == [
        "All replies",
        "Why does ice float?",
        "New chat",
    ]
    page.show_chat("rust")
    assert page.replies.figures.rowCount() == 1
    assert page.positions.note.text() == "Nothing was drafted."
    assert "forward 50.0 ms" in page.rounds.chart.sentence.replace(NO_BREAK, " ")


def test_every_chart_can_be_shown_as_its_table(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    for panel in page.panels.values():
        panel.table_action.setChecked(True)
        assert panel.table.isVisible()
        assert not panel.chart.isVisible()
        assert panel.table.figures.table == panel.chart.table
    talk.round(1, 2, 2)
    page.refresh()
    assert page.positions.table.figures.table.rows[0][1] == "4"


def test_tables_beside_a_higher_card_keep_their_heading_at_the_top(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    for _ in range(30):
        talk.round(1, 2, 2)
    for panel in page.panels.values():
        panel.table_action.setChecked(True)
    QApplication.processEvents()
    lower = (page.rounds, page.memory, page.prompts)
    assert len({panel.more.y() for panel in lower}) == 1
    assert len({panel.y() for panel in lower}) == 1


def test_the_whole_page_can_be_had_as_text(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    text = page.plain_text().replace(NO_BREAK, " ")
    for words in ("Accepted by position", "Time of a round", "Memory", "Prompt tokens, 2 replies\t100", "None"):
        assert words in text


def test_each_part_is_reached_by_tab_and_has_a_name(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    reached: list[QWidget] = []
    widget = page.segments.nextInFocusChain()
    while widget is not page.segments:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and page.isAncestorOf(widget):
            reached.append(widget)
        widget = widget.nextInFocusChain()
    assert {type(one) for one in reached} >= {QPushButton, FigureTable}
    assert len([one for one in reached if isinstance(one, Chart)]) == 6
    assert all(one.accessibleName() for one in reached)


def test_a_ring_stands_around_the_chart_that_tab_reached_and_not_after_a_click(
    qtbot: QtBot, page: StatisticsPage, talk: Talk
) -> None:
    run_two(talk)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    chart = page.positions.chart
    chart.setFocus(Qt.FocusReason.TabFocusReason)
    (ring,) = page.positions.findChildren(FocusRing)
    assert ring.isVisible()
    assert ring.geometry().contains(chart.geometry())
    page.memory.chart.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not ring.isVisible()
    assert page.memory.findChildren(FocusRing) == []


def test_a_chart_is_one_to_a_screen_reader(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.refresh()
    chart = QAccessible.queryAccessibleInterface(page.series.chart)
    assert chart.role() == QAccessible.Role.Chart
    assert chart.text(QAccessible.Text.Description) == page.series.chart.sentence


@pytest.mark.parametrize("width", [480, 644, 1064])
def test_nothing_is_wider_than_the_page(page: StatisticsPage, talk: Talk, width: int) -> None:
    run_two(talk)
    page.resize(width, 600)
    page.show()
    QApplication.processEvents()
    for panel in page.panels.values():
        assert panel.mapTo(page, panel.rect().topRight()).x() < width


def test_the_legend_has_a_line_of_its_own_where_the_heading_leaves_no_room(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.resize(480, 600)
    page.show()
    QApplication.processEvents()
    legend = page.series.findChild(Legend)
    assert legend is not None
    assert legend.y() > page.series.more.y() + page.series.more.height() / 2
    assert legend.width() > 200


@pytest.mark.parametrize("width", [420, 700, 1064])
def test_a_sentence_that_grows_makes_room_for_itself(
    qtbot: QtBot, page: StatisticsPage, talk: Talk, width: int
) -> None:
    page.resize(width, 500)
    page.show()
    talk.begin(1)
    for reason in ("Short.", "With two replies in the batch a depth of 6 measured no faster than one of 5. " * 3):
        talk.round(1, 2, 1, depth_reason=reason)
        page.refresh()
        note, chart = page.series.note, page.series.chart
        qtbot.waitUntil(lambda note=note: note.height() >= note.heightForWidth(note.width()))
        qtbot.waitUntil(lambda note=note, chart=chart: note.y() > chart.geometry().bottom())


def test_the_time_axis_is_a_minute_until_there_is_more(page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.refresh()
    chart = page.series.chart
    assert isinstance(chart, TimeChart)
    assert chart.span == 60
    talk.now += 90
    talk.round(1, 2, 2)
    page.refresh()
    assert chart.span == 300


def test_the_numbers_behind_a_chart_are_copied_from_it(qtbot: QtBot, page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    qtbot.keyClick(page.positions.chart, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == f"{page.positions.chart.sentence}\n{page.positions.chart.table.text}"


def test_it_is_drawn_in_dark_and_from_right_to_left(page: StatisticsPage, theme: Theme, talk: Talk) -> None:
    run_two(talk)
    theme.apply(DARK)
    page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    page.show()
    assert not page.grab().isNull()


def test_rows_of_the_table_are_copied_as_text(qtbot: QtBot, page: StatisticsPage, talk: Talk) -> None:
    run_two(talk)
    page.show()
    page.replies.selectRow(1)
    qtbot.keyClick(page.replies, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QApplication.clipboard().text().split("\n")
    assert [line.split("\t")[0] for line in lines] == ["Reply", "Why does ice float?"]


def test_rounds_that_nobody_timed_have_no_number(page: StatisticsPage, talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 2, 1, verify_seconds=0.0, draft_seconds=0.0, num_rows=0)
    page.show()
    text = page.rounds.text + "".join(label.text() for label in page.rounds.findChildren(QLabel))
    assert page.rounds.value.text() == "not measured"
    assert page.rounds.chart.sentence == "No round has been timed."
    assert page.rounds.chart.table.rows[0][1:] == (UNKNOWN, UNKNOWN, "1 of 2", UNKNOWN)
    assert "ms" not in text
    talk.round(1, 2, 1)
    page.refresh()
    assert page.rounds.value.text().endswith("ms")
