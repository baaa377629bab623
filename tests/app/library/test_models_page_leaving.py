"""The page of models: what is deleted, forgotten or gone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.library.models_page import ModelsPage, Shelf
from app.library.removal_sheet import RemovalSheet
from engine.messages import STARTER, Failed
from tests.app.fake_engine import FakeEngine
from tests.app.library.models_pages import lines_of, words_of

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def page(make_page: Callable[[], ModelsPage]) -> ModelsPage:
    return make_page()


def test_deleting_asks_first_and_takes_the_row(page: ModelsPage, shelf: Shelf, cache: Path, wait: Wait) -> None:
    page.here.list.choose(page.here.list.rows.rows[2].key)
    QTest.keyClick(page.here.list, Qt.Key.Key_Delete)
    wait(lambda: page.findChild(RemovalSheet) is not None)
    sheet = page.findChild(RemovalSheet)
    assert isinstance(sheet, RemovalSheet)
    assert sheet.question.text() == "Delete Qwen3 8B 4-bit?"
    sheet.delete_button.click()
    wait(lambda: len(words_of(page)) == 2)
    assert not (cache / "models--org--Qwen3-8B-4bit").exists()


def test_a_model_that_is_loaded_while_one_is_asked_is_kept(
    page: ModelsPage, shelf: Shelf, cache: Path, wait: Wait
) -> None:
    page.here.list.choose(page.here.list.rows.rows[2].key)
    page.detail.delete_button.click()
    wait(lambda: page.findChild(RemovalSheet) is not None)
    shelf.chooser.choose(page.here.list.rows.rows[2].key)
    sheet = page.findChild(RemovalSheet)
    assert isinstance(sheet, RemovalSheet)
    sheet.delete_button.click()
    assert page.note.text.startswith("Qwen3 8B was not deleted. It is being loaded.")
    assert (cache / "models--org--Qwen3-8B-4bit").exists()


def test_the_keys_are_in_the_list_after_a_deletion(page: ModelsPage, wait: Wait) -> None:
    page.activateWindow()
    page.here.list.choose(page.here.list.rows.rows[2].key)
    page.detail.delete_button.setFocus()
    page.detail.delete_button.click()
    wait(lambda: page.findChild(RemovalSheet) is not None)
    sheet = page.findChild(RemovalSheet)
    assert isinstance(sheet, RemovalSheet)
    sheet.delete_button.click()
    wait(lambda: len(words_of(page)) == 2)
    assert page.focusWidget() is page.here.list


def test_the_starter_is_not_deleted(page: ModelsPage) -> None:
    page.here.list.choose(STARTER)
    assert not page.detail.delete_button.isEnabled()
    assert page.detail.kept.text() == "It came with Slipstream and cannot be deleted."


def test_a_folder_that_has_no_models_can_be_forgotten(
    page: ModelsPage, shelf: Shelf, tmp_path: Path, wait: Wait
) -> None:
    (tmp_path / "empty").mkdir()
    page.add_folder(str(tmp_path / "empty"))
    wait(lambda: bool(shelf.library.troubles))
    page.here.forget(str(tmp_path / "empty"))
    wait(lambda: not shelf.library.troubles)
    assert shelf.settings.preferences.library.folders == (str(tmp_path / "added"),)


def test_a_folder_that_vanished_says_so_where_it_is_shown(
    page: ModelsPage, shelf: Shelf, cache: Path, fake_engine: FakeEngine, wait: Wait
) -> None:
    target = page.here.list.rows.rows[2].key
    page.here.list.choose(target)
    fake_engine.estimate = Failed(0, "model", f"Nothing found at {target!r}; give a model folder.")
    shutil.rmtree(target)
    shelf.fits.renew()
    wait(lambda: page.detail.fit.problem.text().startswith("The files of this model are gone from "))
    assert page.detail.fit.answer.text() == ""
    assert words_of(page)[1] == ("Qwen3 8B", "Cannot be read")
    assert not page.detail.load.isEnabled()


def test_a_model_that_answers_stays_loaded_when_its_folder_vanishes(
    page: ModelsPage, shelf: Shelf, fake_engine: FakeEngine, wait: Wait
) -> None:
    target = page.here.list.rows.rows[2].key
    shelf.chooser.choose(target)
    page.here.list.choose(target)
    wait(lambda: shelf.chooser.is_loaded)
    shutil.rmtree(target)
    fake_engine.unreadable[target] = "Nothing found."
    shelf.library.refresh()
    wait(lambda: "Gone" in dict(words_of(page)).values())
    gone = next(line for line in lines_of(page) if "gone" in line)
    assert gone.startswith("Loaded. The files of this model are gone from ")
    assert (page.detail.load.isVisible(), page.detail.load.text()) == (True, "Eject")


def test_the_menu_of_a_model_forgets_the_folder_that_was_added(page: ModelsPage, shelf: Shelf, wait: Wait) -> None:
    added = next(row.model for row in page.here.list.rows.rows if row.model and row.model.kind == "added")
    folder = page.here.added_folder_of(added)
    page.here.forget(folder)
    wait(lambda: all(model.kind != "added" for model in shelf.library.models))
    assert Path(added.folder).is_dir()
    assert page.here.added_folder_of(next(model for model in shelf.library.models)) == ""
