"""The dialog on the prompt cache: its words, its question before clearing, and that it keeps itself fresh."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.chat.notes import NoteBar
from app.figures import NO_BREAK
from app.settings.meter import Meter
from app.settings.prompt_cache import CacheDialog, facts_of, sentence_of
from app.theme.theme import Theme
from engine.messages import CachedConversation, CacheReport, ClearCache, DescribeCache, Failed
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine

REPORT = CacheReport(
    folder="/data/prompt-cache",
    memory_bytes=412_000_000,
    memory_limit_bytes=2_000_000_000,
    disk_bytes=5_000_000_000,
    budget_bytes=20_000_000_000,
    written_today_bytes=31_500_000,
    daily_limit_bytes=50_000_000_000,
    conversations=(CachedConversation("a", 1, 2), CachedConversation("b", 1, 2)),
)


@pytest.fixture
def dialog(qtbot: QtBot, bridge: EngineBridge, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> CacheDialog:
    monkeypatch.setattr("app.settings.prompt_cache.REFRESH_MILLISECONDS", 20)
    fake_engine.report = REPORT
    dialog = CacheDialog(Theme(), bridge)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: "5 GB" in words_of(dialog))
    return dialog


def words_of(dialog: CacheDialog) -> list[str]:
    labels = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    return [words.replace(NO_BREAK, " ") for words in labels]


def button(dialog: CacheDialog, words: str) -> QPushButton:
    (found,) = (one for one in dialog.findChildren(QPushButton) if one.text() == words and one.isVisible())
    return found


def test_a_report_is_said_line_by_line() -> None:
    facts = {name: words.replace(NO_BREAK, " ") for name, words in facts_of(REPORT).items()}
    assert facts["In memory"] == "412 MB of 2 GB"
    assert facts["Written today"] == "31.5 MB of 50 GB"
    assert (facts["Chats"], facts["Folder"]) == ("2", "/data/prompt-cache")


def test_a_pause_is_told_before_a_second_program() -> None:
    assert sentence_of(REPORT) == ""
    assert "Another program" in sentence_of(replace(REPORT, is_read_only=True))
    assert sentence_of(replace(REPORT, is_read_only=True, problem="The disk is full.")) == "The disk is full."


def test_the_share_of_the_budget_is_shown_and_said(dialog: CacheDialog) -> None:
    (meter,) = dialog.findChildren(Meter)
    assert meter.value() == meter.maximum() // 4
    assert meter.accessibleName().replace(NO_BREAK, " ") == "5 GB of 20 GB used on disk"
    assert "of a 20 GB budget on disk" in words_of(dialog)


def test_the_figures_follow_the_cache_while_it_is_open(
    dialog: CacheDialog, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.report = replace(REPORT, disk_bytes=7_000_000_000, problem="The disk is full.")
    qtbot.waitUntil(lambda: "7 GB" in words_of(dialog))
    (note,) = dialog.findChildren(NoteBar)
    assert (note.text, note.isVisible()) == ("The disk is full.", True)
    fake_engine.report = REPORT
    qtbot.waitUntil(note.isHidden)


def test_clearing_is_asked_for_first(dialog: CacheDialog, fake_engine: FakeEngine, qtbot: QtBot) -> None:
    button(dialog, "Clear…").click()
    assert any("Chats stay" in words for words in words_of(dialog))
    button(dialog, "Keep").click()
    button(dialog, "Clear…").click()
    assert not any(isinstance(command, ClearCache) for command in fake_engine.commands)
    button(dialog, "Clear").click()
    qtbot.waitUntil(lambda: "0 MB" in words_of(dialog))
    assert [type(command) for command in fake_engine.commands].count(ClearCache) == 1
    assert not button(dialog, "Clear…").isEnabled()


def test_what_another_program_writes_cannot_be_cleared(
    dialog: CacheDialog, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.report = replace(REPORT, is_read_only=True)
    qtbot.waitUntil(lambda: not button(dialog, "Clear…").isEnabled())


def test_an_engine_that_could_not_start_is_told(qtbot: QtBot, bridge: EngineBridge, fake_engine: FakeEngine) -> None:
    fake_engine.answers_on_cache = False
    dialog = CacheDialog(Theme(), bridge)
    qtbot.addWidget(dialog)
    (asked,) = fake_engine.commands
    assert isinstance(asked, DescribeCache)
    fake_engine.emit(Failed(asked.request_id, "engine", "The engine could not start."))
    (note,) = dialog.findChildren(NoteBar)
    qtbot.waitUntil(lambda: note.text == "The engine could not start.")


def test_the_menu_opens_one_dialog(driver: Driver) -> None:
    action = driver.window.actions_of_window.cache
    action.trigger()
    action.trigger()
    (dialog,) = driver.window.findChildren(CacheDialog)
    button(dialog, "Close").click()
    driver.wait(lambda: not driver.window.findChildren(CacheDialog))


@pytest.mark.parametrize("way", ["Esc", "the end of the program"])
def test_the_dialog_asks_no_more_once_it_is_closed(driver: Driver, way: str) -> None:
    driver.window.cache_notes.show()
    (dialog,) = driver.window.findChildren(CacheDialog)
    if way == "Esc":
        driver.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    else:
        driver.window.close()
    driver.wait(lambda: not driver.window.findChildren(CacheDialog))


def test_a_chat_that_the_disk_holds_nothing_of_is_not_counted() -> None:
    held = CachedConversation("a", 1, 2)
    assert facts_of(CacheReport(conversations=(held, replace(held, num_bytes=0))))["Chats"] == "1"


def test_without_a_limit_none_is_named() -> None:
    assert facts_of(CacheReport(memory_bytes=2_000_000))["In memory"] == f"2{NO_BREAK}MB"
