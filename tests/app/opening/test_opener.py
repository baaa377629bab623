"""Opening models and chats from the desktop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from app.dialogs.import_page import ImportPage
from app.opening.given import Given
from app.opening.opener import Opener, absolute
from app.system.single import Handed
from tests.app.conversations.importing.chat_files import chatgpt_chat, chatgpt_node
from tests.app.driver import Driver


@pytest.fixture
def opener(driver: Driver) -> Opener:
    opener = Opener(driver.window, Given())
    opener.begin()
    return opener


@pytest.fixture
def chat_file(tmp_path: Path) -> Path:
    nodes = (chatgpt_node("u", "root", "user", "text"), chatgpt_node("a", "u", "assistant", "reply"))
    path = tmp_path / "Ice.slipstream-chat"
    path.write_text(json.dumps([chatgpt_chat(*nodes, conversation_id="1", title="Ice", current="a")]))
    return path


def import_page(driver: Driver) -> ImportPage | None:
    page = driver.window.workspace.current_page
    return page if isinstance(page, ImportPage) else None


def test_a_model_becomes_the_one_that_chats_go_on_with(driver: Driver, opener: Opener, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    opener.open([str(tmp_path / "tiny.gguf")])
    driver.wait(lambda: driver.window.chooser.target == str(tmp_path / "tiny.gguf"))


def test_an_exported_chat_is_shown_before_it_is_imported(driver: Driver, opener: Opener, chat_file: Path) -> None:
    opener.take_over(Handed(paths=(str(chat_file),)))
    driver.wait(lambda: (page := import_page(driver)) is not None and page.words.text() == "1 chat.")
    page = import_page(driver)
    assert page is not None
    assert not driver.window.catalogue.conversations
    page.act.click()
    driver.wait(lambda: len(driver.window.catalogue.conversations) == 1)
    page.undo.click()
    driver.wait(lambda: not driver.window.catalogue.conversations)


def test_what_cannot_be_opened_is_said_on_every_page(driver: Driver, opener: Opener) -> None:
    opener.open(["/nowhere/chat.json"])
    driver.wait(lambda: driver.window.workspace.bar.isVisible())
    assert driver.window.workspace.bar.text == "/nowhere/chat.json is not there."


def test_what_comes_before_the_window_is_open_waits_for_it(driver: Driver, chat_file: Path) -> None:
    opener = Opener(driver.window, Given(model="/in/use", troubles=("One.",)))
    opener.take_over(Handed(paths=(str(chat_file),)))
    assert import_page(driver) is None
    opener.begin()
    assert driver.window.workspace.bar.text == "One."
    driver.wait(lambda: import_page(driver) is not None)
    assert driver.window.chooser.target != "/in/use"


def test_a_file_that_macos_opens_is_opened(qapp: QApplication, driver: Driver, opener: Opener) -> None:
    QCoreApplication.sendEvent(qapp, QFileOpenEvent("/nowhere/ice.slipstream-chat"))
    driver.wait(lambda: driver.window.workspace.bar.isVisible())
    assert "ice.slipstream-chat is not there" in driver.window.workspace.bar.text


def test_paths_are_made_absolute_where_the_program_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/one")
    assert absolute(["a chat.json", "~/b", "/c"]) == (str(tmp_path / "a chat.json"), "/home/one/b", "/c")
