"""Importing chats from the page that says first what was found."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.dialogs.import_page import KEPT, NOTHING, ImportPage
from app.tasks import finish
from tests.app.conversations.importing.chat_files import chatgpt_chat, chatgpt_node
from tests.app.driver import Driver


@pytest.fixture
def export_file(tmp_path: Path) -> Path:
    """Two chats of ChatGPT, and one that is none."""
    nodes = (chatgpt_node("u", "root", "user", "text"), chatgpt_node("a", "u", "assistant", "reply"))
    chats = [chatgpt_chat(*nodes, conversation_id=name, title=f"Chat {name}", current="a") for name in "12"]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([*chats, {"title": "bare", "mapping": 3}]))
    return path


def open_page(driver: Driver) -> ImportPage:
    driver.window.actions_of_window.import_chats.trigger()
    page = driver.window.workspace.current_page
    assert isinstance(page, ImportPage)
    return page


def read(driver: Driver, page: ImportPage, path: Path) -> None:
    page.files.click()
    dialog = page.findChild(QFileDialog)
    assert dialog is not None
    dialog.filesSelected.emit([str(path)])
    dialog.reject()
    driver.wait(lambda: page.words.text().endswith("."))


def num_chats(driver: Driver) -> int:
    return len(driver.window.catalogue.conversations)


def test_what_was_found_is_said_before_anything_is_imported(driver: Driver, export_file: Path) -> None:
    page = open_page(driver)
    read(driver, page, export_file)
    assert page.words.text() == "2 chats, 1 that cannot be read."
    assert page.act.text() == "Import 2\u00a0chats"
    rows = [page.chats.found.index(row).data() for row in range(page.chats.found.rowCount())]
    assert [row.partition("  ")[0] for row in rows] == ["Chat 1", "Chat 2"]
    assert page.list.isVisible()
    assert "conversations.json was left out" in page.list.toPlainText()
    assert num_chats(driver) == 0


def test_what_was_found_takes_no_more_room_than_it_needs(driver: Driver, export_file: Path) -> None:
    page = open_page(driver)
    read(driver, page, export_file)
    driver.window.resize(1320, 860)
    driver.wait(lambda: page.chats.height() < 150)
    last = page.chats.found.index(1)
    assert page.chats.viewport().rect().contains(page.chats.visualRect(last))
    assert page.list.height() < 100
    assert page.list.verticalScrollBar().maximum() == 0


def test_an_import_is_taken_back_also_from_a_page_opened_again(driver: Driver, export_file: Path) -> None:
    page = open_page(driver)
    read(driver, page, export_file)
    page.act.click()
    driver.wait(lambda: num_chats(driver) == 2)
    driver.wait(lambda: page.words.text() == "2\u00a0chats were imported.")
    driver.window.actions_of_window.close.trigger()
    page = open_page(driver)
    assert page.undo.text() == "Undo the import of 2\u00a0chats"
    page.undo.click()
    driver.wait(lambda: num_chats(driver) == 0)
    assert not page.undo.isVisible()


def test_chats_that_are_here_are_not_imported_again(driver: Driver, export_file: Path) -> None:
    page = open_page(driver)
    read(driver, page, export_file)
    page.act.click()
    driver.wait(lambda: page.undo.isVisible())
    read(driver, page, export_file)
    assert not page.act.isVisible()
    assert page.reason.text() == f"{NOTHING} {KEPT}"


@pytest.mark.parametrize("content", ["", "{", "[[[[", '{"a": 1}', "\0\0"])
def test_an_unreadable_file_is_named_and_changes_nothing(driver: Driver, tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content)
    page = open_page(driver)
    read(driver, page, path)
    assert page.words.text() == "No chats, 1 that cannot be read."
    assert "broken.json" in page.list.toPlainText()
    assert not page.act.isVisible()
    assert num_chats(driver) == 0


def test_files_dropped_on_the_page_are_read(driver: Driver, export_file: Path) -> None:
    page = open_page(driver)
    drop(page, export_file)
    driver.wait(lambda: page.words.text().startswith("2 chats"))


def test_a_page_closed_while_files_are_read_imports_nothing(driver: Driver, export_file: Path) -> None:
    open_page(driver)
    driver.window.importer.read([export_file])
    driver.window.actions_of_window.close.trigger()
    driver.run(finish())
    assert num_chats(driver) == 0
    assert driver.window.workspace.row.bar.count() == 1


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_a_folder_and_an_archive_are_read_from_the_dialog_and_when_dropped(
    driver: Driver, export_file: Path, tmp_path: Path, kind: str
) -> None:
    source = tmp_path / "given"
    if kind == "folder":
        source.mkdir()
        export_file.rename(source / export_file.name)
    else:
        source = source.with_suffix(".zip")
        with zipfile.ZipFile(source, "w") as archive:
            archive.write(export_file, export_file.name)
    page = open_page(driver)
    (page.folder if kind == "folder" else page.files).click()
    dialog = page.findChild(QFileDialog)
    assert dialog is not None
    dialog.filesSelected.emit([str(source)])
    dialog.reject()
    driver.wait(lambda: page.words.text().startswith("2 chats"))
    page.show_start()
    drop(page, source)
    driver.wait(lambda: page.words.text().startswith("2 chats"))


def drop(page: ImportPage, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    actions, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    page.dropEvent(QDropEvent(QPointF(5, 5), actions, data, left, Qt.KeyboardModifier.NoModifier))


def test_only_the_chats_with_a_mark_are_imported(driver: Driver, export_file: Path) -> None:
    page = open_page(driver)
    read(driver, page, export_file)
    page.choose_all.click()
    assert not page.act.isEnabled()
    page.choose_all.click()
    page.chats.setCurrentIndex(page.chats.found.index(0))
    driver.qtbot.keyClick(page.chats, Qt.Key.Key_Space)
    assert page.act.text() == "Import 1\u00a0chat"
    page.act.click()
    driver.wait(lambda: page.words.text() == "1\u00a0chat was imported.")
    assert [one.title for one in driver.window.catalogue.conversations] == ["Chat 2"]


def test_why_a_file_cannot_be_read_is_said_at_once(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "picture.json"
    path.write_text("{")
    page = open_page(driver)
    read(driver, page, path)
    assert page.list.isVisible()
    assert "picture.json" in page.list.toPlainText()
    assert not page.show_bad.isVisible()
    assert not page.chats.isVisible()
