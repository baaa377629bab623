"""The drafter chip of a chat: what it says, and what its popover offers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from app.models.drafter_rows import ALL, AS_SETTINGS, MEASURE, NOTE, STOP
from app.parts.settings import DRAFTERS
from app.popover.popover import Popover
from app.popover.rows import PopoverRow
from app.settings.drafters.measurements import Measurement
from app.settings.drafters.page import DraftersPage
from app.settings.drafters.picker import Picker
from app.tasks import finish
from tests.app.driver import Driver
from tests.app.settings.drafters.hands import click, press
from tests.app.settings.drafters.known_drafters import TARGET, VOCABULARY, KnowingEngine

DFLASH = "dflash:/m/dflash"
FOLDERS = ("/m/dflash", "/m/Qwen3-0.6B", "/m/Llama-3.2-1B")
CHIP = "Choose the drafter: "


@pytest.fixture
def target() -> str:
    return TARGET


@pytest.fixture
def fake_engine() -> KnowingEngine:
    return KnowingEngine()


@pytest.fixture
def picker(driver: Driver, run_async: Callable) -> Picker:
    driver.window.models.planner.use_drafter("")
    picker = driver.window.drafters.picker
    for folder in FOLDERS:
        picker.add_folder(folder)
    picker.candidates.refresh(TARGET)
    driver.wait(lambda: bool(picker.candidates.of(TARGET).misfits))
    run_async(finish())
    return picker


def open_popover(driver: Driver) -> Popover:
    before = driver.window.findChildren(Popover)
    driver.tab.composer.open_drafters()
    return next(one for one in driver.window.findChildren(Popover) if one not in before)


def row_of(popover: Popover, words: str) -> PopoverRow:
    return next(row for row in popover.list.rows.rows if row.words == words)


def choose(popover: Popover, words: str) -> None:
    place = popover.list.rows.rows.index(row_of(popover, words))
    popover.list.clicked.emit(popover.list.rows.index(place, 0))


def keep(picker: Picker, **speeds: float) -> None:
    names = {"dflash": DFLASH}
    picker.measurements.keep(
        Measurement(TARGET, names.get(name, name), 1, speed, 41.0, 1e9, 60.0) for name, speed in speeds.items()
    )


def test_the_chip_names_the_drafter_in_use_and_how_fast_it_is(driver, picker):
    chip = driver.tab.composer.foot.drafter_chip
    assert chip.accessibleName() == f"{CHIP}n-gram not measured yet"
    keep(picker, dflash=2.14)
    assert chip.accessibleName() == f"{CHIP}DFlash ×2.1"


def test_it_offers_automatic_what_fits_and_what_does_not(driver, picker):
    keep(picker, dflash=2.1, suffix=0.9)
    popover = open_popover(driver)
    rows = popover.list.rows.rows
    assert (rows[0].words, rows[0].quiet, rows[0].is_chosen) == ("Automatic", "now DFlash", True)
    assert [row.words for row in rows[1:]][:6] == ["None", "n-gram", "Suffix", "Qwen3-0.6B", "DFlash", "2 do not fit"]
    assert (row_of(popover, "DFlash").quiet, row_of(popover, "DFlash").at_end) == ("800\u00a0MB", "×2.1")
    assert (row_of(popover, "Suffix").at_end, row_of(popover, "Suffix").tone) == ("×0.9", "alert")
    assert row_of(popover, "Qwen3-0.6B").at_end == MEASURE
    assert NOTE in [row.words for row in rows]
    popover.close()


def test_misfits_are_shown_with_their_reason_and_cannot_be_chosen(driver, picker):
    popover = open_popover(driver)
    choose(popover, "2 do not fit")
    assert popover.isVisible()
    assert row_of(popover, "Llama-3.2-1B").reason == VOCABULARY
    choose(popover, "Llama-3.2-1B")
    assert driver.tab.session.drafter == ""
    popover.close()


def test_a_choice_is_for_this_chat_and_heavy_in_its_chip(driver, picker):
    choose(open_popover(driver), "Suffix")
    assert driver.tab.session.drafter == "suffix"
    assert driver.tab.composer.foot.drafter_chip.accessibleName() == f"{CHIP}Suffix not measured yet"
    driver.type("Hello")
    driver.wait_idle()
    assert driver.tab.session.messages[-1].drafter == "suffix"
    other = driver.window.workspace.new_tab()
    assert other.composer.foot.drafter_chip.accessibleName() == f"{CHIP}n-gram not measured yet"


def test_automatic_lets_a_chat_follow_the_settings_again(driver, picker):
    choose(open_popover(driver), "None")
    choose(open_popover(driver), "Automatic")
    assert driver.tab.session.drafter == ""
    picker.choose(TARGET, "suffix")
    assert driver.tab.composer.foot.drafter_chip.accessibleName() == f"{CHIP}Suffix not measured yet"
    popover = open_popover(driver)
    assert (row_of(popover, AS_SETTINGS).quiet, row_of(popover, AS_SETTINGS).is_chosen) == ("now Suffix", True)
    choose(popover, "Automatic")
    assert driver.tab.session.drafter == "automatic"


def test_one_row_has_the_mark_that_of_the_users_choice(driver, picker):
    picker.choose(TARGET, "none")
    for chosen in (AS_SETTINGS, "None", "Suffix", AS_SETTINGS, "Automatic"):
        choose(open_popover(driver), chosen)
        popover = open_popover(driver)
        assert [row.words for row in popover.list.rows.rows if row.is_chosen] == [chosen]
        popover.close()


@pytest.mark.parametrize("is_by_keys", [True, False])
def test_what_is_not_measured_is_measured_from_there(driver, picker, is_by_keys):
    popover = open_popover(driver)
    rows = popover.list
    index = rows.rows.index(rows.rows.rows.index(row_of(popover, "DFlash")), 0)
    rows.setCurrentIndex(index)
    if is_by_keys:
        press(rows, Qt.Key.Key_Right)
    else:
        click(rows.viewport(), QPointF(rows.visualRect(index).topRight() + QPoint(-20, 10)))
    driver.wait(lambda: bool(picker.measuring.progress))
    assert row_of(popover, STOP).can_be_chosen
    driver.wait(lambda: not picker.measuring.is_any)
    assert (row_of(popover, "DFlash").at_end, row_of(popover, "DFlash").act) == ("×2.1", None)
    assert popover.isVisible()
    assert driver.tab.session.drafter == ""
    popover.close()


def test_all_drafters_are_on_the_page_of_the_settings(driver, picker, run_async):
    popover = open_popover(driver)
    assert row_of(popover, ALL).at_end == "Ctrl+Shift+D"
    choose(popover, ALL)
    page = driver.window.settings_pages.window.made_page(DRAFTERS)
    assert isinstance(page, DraftersPage)
    assert page.target == TARGET
    run_async(finish())
    driver.window.settings_pages.close()


def test_esc_closes_it_and_the_focus_goes_back(driver, picker, qtbot):
    driver.tab.composer.foot.drafter_chip.setFocus(Qt.FocusReason.TabFocusReason)
    popover = open_popover(driver)
    qtbot.keyClick(popover.list, Qt.Key.Key_Escape)
    assert not popover.isVisible()
