"""The page of models in a window: how it is opened, and who is told of what was found."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.library.models_page import ModelsPage
from tests.app.driver import Driver
from tests.app.library.model_folders import make_cache_entry


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With one model."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    make_cache_entry(folder, "org--Qwen3-8B-4bit")
    return folder


def shown_page(driver: Driver) -> ModelsPage:
    driver.wait(lambda: isinstance(driver.window.workspace.current_page, ModelsPage))
    page = driver.window.workspace.current_page
    assert isinstance(page, ModelsPage)
    return page


def test_keys_menu_and_sidebar_open_one_page(driver: Driver) -> None:
    QTest.keyClick(driver.window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    page = shown_page(driver)
    driver.window.sidebar.models_row.click()
    driver.window.actions_of_window.models.trigger()
    assert shown_page(driver) is page
    assert driver.window.windowTitle() == "Models · Slipstream"
    driver.wait(lambda: "Qwen3 8B" in [row.name for row in page.here.list.rows.rows])


def test_a_model_that_is_loaded_there_answers_every_chat(driver: Driver, cache: Path) -> None:
    target = str(cache / "models--org--Qwen3-8B-4bit")
    driver.wait(lambda: driver.window.library.library.find(target) is not None)
    page = driver.show_models()
    assert page.here.list.choose(target)
    page.detail.load.click()
    driver.wait(lambda: page.detail.load.text() == "Eject")
    page.detail.chat.click()
    assert driver.window.workspace.current is not None
    assert driver.window.chooser.target == target
    assert driver.window.chooser.name == "Qwen3 8B"


def test_a_page_that_was_closed_opens_anew(driver: Driver) -> None:
    driver.show_models()
    driver.window.actions_of_window.close.trigger()
    driver.window.library.show_more()
    page = shown_page(driver)
    driver.wait(lambda: page.segments.key == "more" and page.find_more.field.hasFocus())


def test_the_page_is_shown_in_the_turn_of_the_loop_after_it_is_made(driver: Driver) -> None:
    driver.window.library.show_page()
    assert driver.window.workspace.current is not None
    shown_page(driver)
