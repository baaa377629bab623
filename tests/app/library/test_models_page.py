"""The page of models: list, detail and choices."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.bridge import EngineBridge
from app.figures import NO_BREAK
from app.library.fits import Fits
from app.library.models_page import ModelsPage, Shelf
from app.settings.preferences import LibraryChoice, Settings
from engine.messages import STARTER, Cancel, MemoryEstimate
from tests.app.fake_engine import FakeEngine
from tests.app.library.model_folders import make_model
from tests.app.library.models_pages import lines_of, words_of

GB = 10**9
TAB = Qt.FocusPolicy.TabFocus


Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def page(make_page: Callable[[], ModelsPage]) -> ModelsPage:
    return make_page()


def test_models_that_do_not_fit_say_what_would(page: ModelsPage) -> None:
    needed = "Needs 27.2 GB"
    assert words_of(page) == [("SmolLM2 135M", needed), ("Qwen3 8B", needed), ("Llama 3.2 3B", needed)]
    assert lines_of(page)[0] == "Needs 27.2 GB; 27.0 GB is allowed. A context of 4,096 would fit."
    assert page.segments.tabText(0).endswith("3")


def test_models_that_fit_say_where_they_are_and_what_they_leave(
    page: ModelsPage, shelf: Shelf, fake_engine: FakeEngine, wait: Wait
) -> None:
    fake_engine.estimate = MemoryEstimate(18 * GB, 0, 2 * GB, 30 * GB, GB, 27 * GB)
    shelf.fits.renew()
    wait(lambda: {fit for _, fit in words_of(page)} == {"Fits, 6.0 GB left"})
    assert lines_of(page) == ["Came with Slipstream", "Hugging Face cache", "Folder added"]
    assert page.here.list.rows.rows[0].size.replace(NO_BREAK, " ").endswith("in 2 folders")


def test_a_shorter_context_is_the_model_s_own_from_then_on(page: ModelsPage, shelf: Shelf, wait: Wait) -> None:
    page.here.list.choose(STARTER)
    page.detail.fit.context.chosen.emit("4096")
    assert shelf.settings.preferences.model(STARTER).context_length == 4096
    wait(lambda: words_of(page)[0][1] == "Fits, 3.9 GB left")
    assert page.detail.fit.answer.text().replace(NO_BREAK, " ") == "Yes, 3.9 GB to spare"
    page.detail.fit.tabs.chosen.emit("2")
    wait(lambda: words_of(page)[0][1] == "Fits, 0.0 GB left" or words_of(page)[0][1] == "Fits with one tab")


def test_the_number_of_tabs_is_kept_for_the_next_start(page: ModelsPage, shelf: Shelf, bridge: EngineBridge) -> None:
    page.detail.fit.tabs.chosen.emit("3")
    again = Settings(shelf.settings.folder)
    assert Fits(bridge, again).num_tabs == 3
    again.change(replace(again.preferences, library=LibraryChoice(num_tabs=5)))  # as no control offers it
    shelf.settings.change(again.preferences)
    page.here.list.choose(STARTER)
    assert page.detail.fit.tabs.key == "5"


def test_words_choose_what_is_listed(page: ModelsPage) -> None:
    page.here.field.setText("3.2 llama")
    page.here.refresh()
    assert [name for name, _ in words_of(page)] == ["Llama 3.2 3B"]
    page.here.field.setText("nothing like it")
    page.here.refresh()
    assert page.here.nothing.text() == "No model has “nothing like it” in its name or folder."


def test_load_chooses_the_model_and_eject_lets_it_go(page: ModelsPage, shelf: Shelf, wait: Wait) -> None:
    target = page.here.list.rows.rows[2].key
    page.here.list.choose(target)
    page.detail.load.click()
    assert shelf.chooser.target == target
    wait(lambda: page.detail.load.text() == "Eject")
    assert page.detail.kept.text() == "It is loaded. Eject it first."
    page.detail.load.click()
    wait(lambda: page.detail.load.text() == "Load")


def test_enter_goes_from_a_model_to_its_button(page: ModelsPage) -> None:
    page.activateWindow()
    page.here.list.choose(page.here.list.rows.rows[2].key)
    QTest.keyClick(page.here.list, Qt.Key.Key_Return)
    assert page.focusWidget() is page.detail.load


def test_a_load_can_be_stopped(page: ModelsPage, shelf: Shelf, fake_engine: FakeEngine, wait: Wait) -> None:
    fake_engine.holds_loads = True
    page.here.list.choose(page.here.list.rows.rows[2].key)
    page.detail.load.click()
    assert page.detail.load.text() == "Stop loading"
    page.detail.load.click()
    wait(lambda: page.detail.load.text() == "Load")
    assert any(isinstance(one, Cancel) for one in fake_engine.commands)


def test_where_it_is_narrow_the_detail_lies_over_the_list(page: ModelsPage) -> None:
    page.resize(480, 560)
    assert page.here.list.isVisible()
    assert not page.detail.isVisible()
    QTest.keyClick(page.here.list, Qt.Key.Key_Return)
    assert page.detail.isVisible()
    assert not page.here.list.isVisible()
    QTest.keyClick(page.detail.back, Qt.Key.Key_Escape)
    assert page.here.list.isVisible()


def test_a_computer_without_models_says_where_there_are_some(
    make_page: Callable[[], ModelsPage], cache: Path, tmp_path: Path, fake_engine: FakeEngine
) -> None:
    fake_engine.unreadable[STARTER] = "It is not installed."
    shutil.rmtree(cache)
    shutil.rmtree(tmp_path / "added")
    page = make_page()
    assert page.here.nothing.text().startswith("No model is on this")
    page.here.find_button.click()
    assert page.segments.key == "more"
    assert page.find_more.isVisible()


def test_two_models_of_one_name_say_where_each_lies(page: ModelsPage, shelf: Shelf, tmp_path: Path, wait: Wait) -> None:
    make_model(tmp_path / "added" / "later" / "Llama-3.2-3B-4bit")
    shelf.library.refresh()
    wait(lambda: len(words_of(page)) == 4)
    told = [line.partition(". ")[0] for line in lines_of(page)[2:]]
    assert told == [str(tmp_path / "added"), str(tmp_path / "added" / "later")]


def test_whatever_takes_the_keyboard_has_a_name(page: ModelsPage) -> None:
    for key in ("here", "more"):
        page.segments.choose(key)
        parts = [one for one in page.findChildren(QWidget) if one.isVisible() and one.focusPolicy() & TAB]
        assert len(parts) > 4
        unnamed = [one for one in parts if not one.accessibleName() and not getattr(one, "text", str)()]
        assert unnamed == []


def test_rows_are_read_out_with_all_that_they_say(page: ModelsPage) -> None:
    index = page.here.list.rows.index(2)
    words = index.data(Qt.ItemDataRole.AccessibleTextRole).replace(NO_BREAK, " ")
    assert words.startswith("Qwen3 8B 4-bit, Needs 27.2 GB; 27.0 GB is allowed.")
    assert page.detail.load.accessibleName() == "Load: SmolLM2 135M"
