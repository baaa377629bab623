"""The page of the drafters: what its rows say, and what keys and the mouse do there."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent, QFontMetricsF
from PySide6.QtWidgets import QMenu

from app.settings.drafters.columns import columns_of
from app.settings.drafters.page import DraftersPage
from app.settings.drafters.painting import BETWEEN, name_span
from app.settings.drafters.rows import Act, Kind, axis_end, write_day, write_left
from app.settings.preferences import AUTOMATIC
from app.system.machine import PLACE, program_version, system_version
from app.tasks import finish
from app.theme.fonts import font
from app.theme.theme import Theme
from tests.app.settings.drafters.conftest import measured
from tests.app.settings.drafters.hands import click, press
from tests.app.settings.drafters.known_drafters import TARGET, VOCABULARY

DFLASH, EAGLE = "dflash:/m/dflash", "eagle3:/m/eagle3"


@pytest.fixture
def page(picker, qtbot, run_async) -> DraftersPage:
    page = DraftersPage(Theme(), picker)
    qtbot.addWidget(page)
    page.resize(832, 900)
    page.show_target(TARGET)
    page.show()
    run_async(finish())
    return page


def row_of(page, words: str):
    return next(row for row in page.list.rows if row.words == words)


def go_to(page, words: str):
    index = page.list.model().index(page.list.rows.index(row_of(page, words)))
    page.list.setFocus(Qt.FocusReason.TabFocusReason)
    page.list.setCurrentIndex(index)
    return index


def test_rows_stand_in_groups_and_the_misfits_last(page):
    titles = [row.words for row in page.list.rows if row.kind is Kind.TITLE]
    assert titles == ["No weights", "A second model", "Reads the model’s layers", "Does not fit Qwen3 8B"]
    assert row_of(page, "Llama-3.2-1B").kind is Kind.MISFIT


def test_a_row_says_all_that_it_shows(page, picker):
    picker.measurements.keep([measured(DFLASH, 2.14), measured(DFLASH, 0.88, 4)])
    said = (
        page.list.model().index(page.list.rows.index(row_of(page, "DFlash"))).data(Qt.ItemDataRole.AccessibleTextRole)
    )
    assert said == (
        "DFlash block of 8, in use, 800\u00a0MB of memory, ×2.1 with 1 reply, ×0.9 with 4 at once, "
        "measured before an update"
    )


def test_a_misfit_is_reached_said_with_its_reason_and_not_chosen(page, picker, qtbot):
    index = go_to(page, "Llama-3.2-1B")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == f"Llama-3.2-1B, does not fit: {VOCABULARY}"
    assert VOCABULARY in index.data(Qt.ItemDataRole.ToolTipRole)
    press(page.list, Qt.Key.Key_Space)
    assert picker.choice(TARGET) == AUTOMATIC
    press(page.list, Qt.Key.Key_Down)
    assert page.list.current.words == "Built-in MTP heads"


def test_a_key_chooses_a_drafter_and_the_card_the_automatic(page, picker, qtbot):
    go_to(page, "Suffix")
    press(page.list, Qt.Key.Key_Space)
    assert picker.choice(TARGET) == "suffix"
    assert (row_of(page, "Suffix").is_chosen, row_of(page, "Suffix").is_in_use) == (True, True)
    assert not page.automatic.choice.isChecked()
    page.automatic.choice.click()
    assert picker.choice(TARGET) == AUTOMATIC
    assert page.automatic.choice.isChecked()


def test_a_click_chooses_and_a_click_on_the_button_measures(page, picker, fake_engine, qtbot, wait):
    index = go_to(page, "EAGLE-3")
    viewport = page.list.viewport()
    click(viewport, page.list.button_rect(index).center())
    assert picker.choice(TARGET) == AUTOMATIC
    wait(lambda: not picker.measuring.is_any)
    assert row_of(page, "EAGLE-3").alone is not None
    click(viewport, QRectF(page.list.visualRect(index)).center())
    assert picker.choice(TARGET) == EAGLE


def test_keys_go_to_the_button_of_a_row_and_press_it(page, picker, fake_engine, qtbot, wait):
    fake_engine.holds_trials = True
    go_to(page, "EAGLE-3")
    press(page.list, Qt.Key.Key_Right)
    press(page.list, Qt.Key.Key_Return)
    wait(lambda: row_of(page, "EAGLE-3").act is Act.STOP)
    assert row_of(page, "EAGLE-3").num_all == 9
    press(page.list, Qt.Key.Key_Return)
    wait(lambda: not picker.measuring.is_any)
    assert row_of(page, "EAGLE-3").act is Act.MEASURE


def test_the_menu_of_a_row_has_what_its_parts_do(page, qtbot):
    go_to(page, "EAGLE-3")
    page.list.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1)))
    menu = page.list.findChild(QMenu)
    assert [action.text() for action in menu.actions()] == ["Use EAGLE-3", "Measure here"]
    menu.close()


def test_measure_all_says_about_how_long_it_takes_once_that_is_known(page, picker):
    assert page.measure_all.text() == "Measure all"
    picker.measurements.keep([measured(DFLASH, 2.1), measured(DFLASH, 1.6, 4)])
    assert page.measure_all.text() == "Measure all, about 5\u00a0min"


def test_all_are_measured_and_it_can_be_stopped(page, picker, fake_engine, wait):
    page.measure_all.click()
    assert page.measure_all.text() == "Stop measuring"
    wait(lambda: not picker.measuring.is_any)
    assert page.automatic.choice.accessibleDescription() == (
        f"Uses DFlash, the fastest measured on {PLACE}. Falls back to n-gram when memory is short."
    )
    assert [row.words for row in page.list.rows if row.is_in_use] == ["DFlash"]
    fake_engine.holds_trials = True
    page.measure_all.click()
    page.measure_all.click()
    wait(lambda: not picker.measuring.is_any)


def test_a_measurement_of_other_versions_is_one_of_before_an_update(page, picker):
    now = {"program": program_version(), "system": system_version()}
    picker.measurements.keep([measured(DFLASH, 2.1, **now), measured(EAGLE, 1.5, **now | {"program": "0.0"})])
    assert (row_of(page, "DFlash").is_old, row_of(page, "EAGLE-3").is_old) == (False, True)
    assert row_of(page, "EAGLE-3").measured == "before an update"


def test_the_axis_ends_at_the_next_half_above_the_best(page, picker):
    assert axis_end(page.list.rows) == 1.5
    picker.measurements.keep([measured(DFLASH, 2.0)])
    assert axis_end(page.list.rows) == 2.5


def test_without_an_answer_on_the_model_the_page_says_why(page, picker, fake_engine, wait):
    fake_engine.gone.add("/models/gone")
    page.show_target("/models/gone")
    wait(lambda: page.problem.isVisible())
    assert page.problem.text() == "Nothing found at '/models/gone'."
    assert [row.words for row in page.list.rows if row.is_reachable] == ["None", "n-gram", "Suffix"]


def test_a_chosen_drafter_that_is_gone_is_told(page, picker, library, run_async):
    picker.choose(TARGET, DFLASH)
    assert not page.problem.isVisible()
    library.drafters = []
    library.changed.emit()
    run_async(finish())
    assert page.problem.text().startswith("dflash was chosen and is not here any more")


def test_the_list_is_a_list_of_items_for_a_screen_reader(page):
    assert QAccessible.queryAccessibleInterface(page.list).role() == QAccessible.Role.List
    assert page.list.accessibleName() == "Drafters"


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "1\u00a0s"), (42.1, "43\u00a0s"), (200, "4\u00a0min")])
def test_time_left_is_rounded_up(seconds, words):
    assert write_left(seconds) == words


def test_days_are_named_then_counted_then_dated():
    taken_at = datetime(2026, 3, 4, 23, 59).timestamp()
    days = [date(2026, 3, 4), date(2026, 3, 5), date(2026, 3, 7), date(2026, 6, 1)]
    assert [write_day(taken_at, day) for day in days] == ["today", "yesterday", "3\u00a0days ago", "4\u00a0Mar 2026"]


def test_legend_has_all_its_marks_on_a_narrow_page(page, picker, run_async):
    picker.measurements.keep([measured(DFLASH, 2.1), measured(DFLASH, 1.6, 4)])
    page.resize(360, 900)
    run_async(finish())
    legend = page.legend
    lines = legend.lines(legend.width())
    assert [words for line in lines for _, words in line][:2] == ["1 reply", "4 replies at once"]
    assert len(lines) > 1
    assert legend.height() == legend.heightForWidth(legend.width())


def test_note_of_the_drafter_in_use_has_the_room_that_its_memory_leaves(page):
    columns = columns_of(page.list.viewport().width())
    metrics = QFontMetricsF(font("interface-medium"))
    needed = sum(metrics.horizontalAdvance(words) + BETWEEN for words in ("n-gram", "repeats from this chat", "In use"))
    assert columns.name.width < needed < name_span(columns, "0").width
    assert name_span(columns, "800 MB of memory") == columns.name
