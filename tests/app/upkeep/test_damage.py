"""What is said of a chats file that was damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QPushButton

from app.conversations.restoring import SetAside
from app.upkeep.damage import tell_damage
from tests.app.driver import Driver, settle


def press(driver: Driver, words: str) -> None:
    buttons = driver.window.workspace.bar.findChildren(QPushButton)
    next(button for button in buttons if button.text() == words and button.isVisible()).click()


@pytest.fixture
def set_aside(tmp_path: Path) -> SetAside:
    files = [tmp_path / "conversations.damaged.sqlite", tmp_path / "backups" / "one.sqlite"]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"")
    return SetAside(files[0], "it is malformed", files[1], 3)


def test_damage_is_said_over_every_page_until_it_is_closed(driver: Driver, set_aside: SetAside) -> None:
    tell_damage(driver.window.notes, set_aside)
    bar = driver.window.workspace.bar
    assert bar.text.startswith("The chats file was damaged and set aside. The backup of ")
    assert bar.text.endswith("was opened; 3 later messages may be missing.")
    driver.window.actions_of_window.statistics.trigger()
    assert bar.isVisible()
    press(driver, "Close")
    assert not bar.isVisible()


def test_a_bar_that_is_closed_keeps_no_room_between_tabs_and_page(driver: Driver, set_aside: SetAside) -> None:
    workspace = driver.window.workspace
    driver.run(settle())
    assert workspace.body.y() == workspace.row.height()
    tell_damage(driver.window.notes, set_aside)
    driver.run(settle())
    assert workspace.body.y() > workspace.row.height() + workspace.bar.height()
    press(driver, "Close")
    driver.run(settle())
    assert workspace.body.y() == workspace.row.height()


def test_both_files_are_shown_and_the_sentence_stays(
    driver: Driver, set_aside: SetAside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    tell_damage(driver.window.notes, set_aside)
    press(driver, "Show both files")
    assert [Path(url.toLocalFile()) for url in shown] == [tmp_path, tmp_path / "backups"]
    assert driver.window.workspace.bar.isVisible()


def test_where_there_was_no_backup_nothing_is_offered_but_to_close(driver: Driver, tmp_path: Path) -> None:
    tell_damage(driver.window.notes, SetAside(tmp_path / "old.sqlite", "it is malformed"))
    bar = driver.window.workspace.bar
    assert "A new one was begun." in bar.text
    assert [button.text() for button in bar.findChildren(QPushButton)] == ["Close"]


def test_in_a_narrow_window_the_buttons_stand_under_the_sentence(driver: Driver, set_aside: SetAside) -> None:
    bar = driver.window.workspace.bar
    tell_damage(driver.window.notes, set_aside)
    for width, is_under in ((480, True), (1320, False), (480, True)):
        driver.window.resize(width, 560)
        driver.run(settle())
        label, button = bar.findChild(QLabel), bar.buttons[0]
        assert label is not None
        assert (button.y() >= label.geometry().bottom()) is is_under
        assert bar.height() >= bar.height_for(bar.width()) - 10
        assert label.height() >= label.heightForWidth(label.width())


def test_damage_is_announced_once(driver: Driver, set_aside: SetAside, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("app.chat.tab_notes.announce", lambda widget, text, is_urgent: said.append(text))
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: True)
    tell_damage(driver.window.notes, set_aside)
    press(driver, "Show both files")
    assert said == [set_aside.describe()]
    press(driver, "Close")
    tell_damage(driver.window.notes, set_aside)
    assert len(said) == 2
