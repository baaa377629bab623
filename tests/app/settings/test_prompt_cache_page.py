"""The page of the prompt cache: what it shows of a report, and what it asks of the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.conversations.rereads import Reread
from app.figures import NO_BREAK
from app.settings.cache_table import CHAT, DRAFTER, SIZE, TOKENS, USED
from app.settings.preferences import CacheChoice, Settings
from app.settings.prompt_cache_page import READ_ONLY, PromptCachePage
from app.settings.reread_list import cause_of
from engine.messages import (
    CACHE_OFF,
    CachedConversation,
    CacheReport,
    ClearCache,
    DescribeCache,
    Failed,
    RemoveCached,
    SetCacheLimits,
    Statistics,
)
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine

GB = 1_000_000_000
REASON = "6,332 tokens were read again: the chat's text changed at token 41."
REPORT = CacheReport(
    memory_bytes=412_000_000,
    memory_limit_bytes=2 * GB,
    disk_bytes=5 * GB,
    drafter_bytes=300_000_000,
    budget_bytes=20 * GB,
    written_today_bytes=31_500_000,
    daily_limit_bytes=50 * GB,
    conversations=(CachedConversation("gone", 3 * GB, 8020, 300_000_000, ("DFlash",)),),
)


@pytest.fixture
def page(driver: Driver, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> PromptCachePage:
    """The page of a window that has one chat, shown."""
    monkeypatch.setattr("app.settings.prompt_cache_page.REFRESH_MILLISECONDS", 20)
    fake_engine.when_stopped = Statistics(num_reread=6332, reread_reason=REASON)
    driver.type("Why does ice float?")
    driver.wait_idle()
    chat = driver.tab.session.conversation_id
    own = CachedConversation(chat, 2 * GB, 1130)
    fake_engine.report = replace(REPORT, conversations=(*REPORT.conversations, own))
    driver.window.actions_of_window.cache.trigger()
    page = driver.window.settings_pages.show_cache()
    driver.wait(lambda: page.used.text() == f"5{NO_BREAK}GB")
    fake_engine.commands.remove(SetCacheLimits())  # of the start
    return page


def asked(engine: FakeEngine, kind: type) -> list:
    return [command for command in engine.commands if isinstance(command, kind)]


def row_of(page: PromptCachePage, row: int) -> list[str]:
    cells = (page.table.rows.index(row, column).data() for column in (CHAT, TOKENS, SIZE, DRAFTER, USED))
    return [words.replace(NO_BREAK, " ") for words in cells]


def test_used_of_the_budget_is_said_and_each_chat_has_its_tokens_size_drafter_state_and_use(
    page: PromptCachePage,
) -> None:
    assert page.bands.value() == page.bands.maximum() // 4
    assert page.bands.accessibleName().replace(NO_BREAK, " ") == "5 GB of 20 GB used on disk"
    assert page.drafter_words.text().replace(NO_BREAK, " ") == "drafter state, 300 MB"
    assert "31.5 MB of 50 GB" in page.more.text().replace(NO_BREAK, " ")
    assert row_of(page, 0) == ["A deleted chat", "8,020", "3 GB", "DFlash", ""]
    assert row_of(page, 1) == ["Why does ice float?", "1,130", "2 GB", "none", "now"]


def test_delete_removes_what_is_kept_of_the_chat_in_the_row(
    page: PromptCachePage, driver: Driver, fake_engine: FakeEngine
) -> None:
    page.table.setCurrentIndex(page.table.rows.index(0, CHAT))
    driver.qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    driver.wait(lambda: page.table.rows.rowCount() == 1)
    assert [command.conversation_id for command in asked(fake_engine, RemoveCached)] == ["gone"]
    assert row_of(page, 0)[0] == "Why does ice float?"


def test_removing_all_is_asked_for_first(page: PromptCachePage, driver: Driver, fake_engine: FakeEngine) -> None:
    page.remove_all.click()
    assert "Chats stay" in page.question.text
    page.no.click()
    assert (page.question.text, asked(fake_engine, ClearCache)) == ("", [])
    page.remove_all.click()
    page.yes.click()
    driver.wait(lambda: page.used.text() == f"0{NO_BREAK}MB")
    assert len(asked(fake_engine, ClearCache)) == 1
    assert page.question.isHidden()


def type_budget(page: PromptCachePage, driver: Driver, typed: str) -> None:
    page.budget.field.setFocus()
    page.budget.field.selectAll()
    driver.qtbot.keyClicks(page.budget.field, typed)
    driver.qtbot.keyClick(page.budget.field, Qt.Key.Key_Return)


@pytest.mark.parametrize("way", ["restore", "empty field"])
def test_default_with_no_room_for_what_is_cached_is_asked_for_first(
    page: PromptCachePage, driver: Driver, fake_engine: FakeEngine, way: str
) -> None:
    def choose_default() -> None:
        page.restore.click() if way == "restore" else type_budget(page, driver, "\b")

    settings = driver.window.settings
    settings.change(replace(settings.preferences, cache=CacheChoice(budget_bytes=30 * GB)))
    fake_engine.report = replace(fake_engine.report, budget_bytes=30 * GB, default_budget_bytes=4 * GB)
    driver.wait(lambda: page.of_budget.text().endswith(f"30{NO_BREAK}GB budget"))
    choose_default()
    assert page.budget_question.text.replace(NO_BREAK, " ") == "Remove 1 GB of cached prompts?"
    assert page.budget.slider.value() == 4
    page.budget_question.no.click()
    assert settings.preferences.cache == CacheChoice(budget_bytes=30 * GB)
    assert (page.budget.slider.value(), page.budget.field.text()) == (30, "30")
    choose_default()
    page.budget_question.yes.click()
    assert settings.preferences.cache == CacheChoice()


@pytest.mark.parametrize(("typed", "size"), [("0", "5 GB"), ("3", "2 GB")])
def test_budget_with_no_room_for_what_is_cached_is_asked_for_first(
    page: PromptCachePage, driver: Driver, fake_engine: FakeEngine, typed: str, size: str
) -> None:
    type_budget(page, driver, typed)
    assert page.budget_question.text.replace(NO_BREAK, " ") == f"Remove {size} of cached prompts?"
    assert page.budget.slider.value() == int(typed)
    page.budget_question.no.click()
    driver.wait(lambda: page.budget.slider.value() == 20)
    assert (page.budget_question.text, page.budget.field.text(), asked(fake_engine, SetCacheLimits)) == ("", "", [])
    type_budget(page, driver, typed)
    page.budget_question.yes.click()
    limit = int(typed) * GB or CACHE_OFF
    assert asked(fake_engine, SetCacheLimits) == [SetCacheLimits(budget_bytes=limit)]
    assert page.budget_question.isHidden()


def test_chat_without_anything_on_disk_has_no_row(
    page: PromptCachePage, driver: Driver, fake_engine: FakeEngine
) -> None:
    ghost = CachedConversation("gone", 0, 173)
    fake_engine.report = replace(fake_engine.report, conversations=(ghost,), disk_bytes=0)
    driver.wait(lambda: page.table.rows.rowCount() == 0)
    assert not page.empty.isHidden()


def test_budget_of_the_field_is_kept_and_sent(page: PromptCachePage, driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.report = replace(fake_engine.report, disk_bytes=0, conversations=())
    driver.wait(lambda: page.table.rows.rowCount() == 0)
    kept, none = CacheChoice(True, 12_500_000_000), CacheChoice(False, 0)
    for typed, choice, limit in (("12.5", kept, 12_500_000_000), ("0", none, CACHE_OFF)):
        page.budget.field.selectAll()
        driver.qtbot.keyClicks(page.budget.field, typed)
        driver.qtbot.keyClick(page.budget.field, Qt.Key.Key_Return)
        assert driver.window.settings.preferences.cache == choice
        assert asked(fake_engine, SetCacheLimits)[-1] == SetCacheLimits(budget_bytes=limit)
        page.restore.click()
        assert asked(fake_engine, SetCacheLimits)[-1] == SetCacheLimits()


def test_slider_goes_by_gigabytes(page: PromptCachePage, driver: Driver, fake_engine: FakeEngine) -> None:
    driver.qtbot.keyClick(page.budget.slider, Qt.Key.Key_Left)
    assert asked(fake_engine, SetCacheLimits) == [SetCacheLimits(budget_bytes=19 * GB)]
    assert page.budget.field.text() == "19"


def test_budget_is_sent_at_the_next_start(
    make_driver: Callable[[], Driver], settings: Settings, fake_engine: FakeEngine
) -> None:
    settings.change(replace(settings.preferences, cache=CacheChoice(budget_bytes=7 * GB)))
    make_driver()
    assert asked(fake_engine, SetCacheLimits) == [SetCacheLimits(budget_bytes=7 * GB)]


def test_what_another_program_writes_cannot_be_removed(
    page: PromptCachePage, driver: Driver, fake_engine: FakeEngine
) -> None:
    fake_engine.report = replace(fake_engine.report, is_read_only=True)
    driver.wait(lambda: page.note.text == READ_ONLY)
    assert not page.remove_all.isEnabled()
    page.table.setCurrentIndex(page.table.rows.index(0, CHAT))
    driver.qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert asked(fake_engine, RemoveCached) == []


def test_engine_that_does_not_answer_is_told(page: PromptCachePage, driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.answers_on_cache = False

    def refuse_last() -> bool:  # which may have been answered a moment ago
        request_id = asked(fake_engine, DescribeCache)[-1].request_id
        fake_engine.emit(Failed(request_id, "engine", "The engine could not start."))
        return page.note.text == "The engine could not start."

    driver.wait(refuse_last)


def test_page_asks_no_more_once_it_is_hidden(page: PromptCachePage, driver: Driver, fake_engine: FakeEngine) -> None:
    driver.window.settings_pages.close()
    driver.qtbot.wait(30)
    num_asked = len(asked(fake_engine, DescribeCache))
    driver.qtbot.wait(60)
    assert len(asked(fake_engine, DescribeCache)) == num_asked


def test_cause_is_a_sentence_behind_the_count() -> None:
    words = cause_of(Reread(0.0, "a", 6332, REASON)).replace(NO_BREAK, " ")
    assert words == "6,332 tokens. The chat's text changed at token 41."


def test_reply_that_read_again_stands_in_the_list_with_its_cause(
    qtbot: QtBot, driver: Driver, fake_engine: FakeEngine
) -> None:
    fake_engine.ending = None
    fake_engine.when_stopped = Statistics(num_prompt=7000, num_reread=6332, reread_reason=REASON, num_tokens=2)
    driver.type("Why does ice float?")
    driver.wait_text("Hello there")
    driver.tab.stop()
    driver.wait_idle()
    page = driver.window.settings_pages.show_cache()
    driver.wait(lambda: bool(page.rereads.lines) and page.rereads.lines[0].chat == "Why does ice float?")
    assert page.rereads.lines[0].cause.endswith("The chat's text changed at token 41.")
