"""Notes above the composer: what they say goes when it is past."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.chat.notes import NoteBar
from app.conversations.exporting.files import ExportKind
from app.upkeep.disk_full import SENTENCE as DISK_FULL_NOTE
from engine.messages import CacheReport, ConversationDeleted, Finished, Notice, Progress
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, deltas_of

Ask = Callable[..., Any]
FULL = "The disk is full."
PAUSED = f"{FULL} The prompt cache writes nothing for a while; chats go on."


def notes_of(driver: Driver) -> list[str]:
    bars = driver.tab.findChildren(NoteBar)
    return [bar.text for bar in bars if bar.isVisible()]


def refuse_replies(ask: Ask, is_refused: bool) -> None:
    """Let the database take no reply that begins, as a full disk does, or take them again."""
    for name in ("INSERT", "UPDATE"):
        refuse = "WHEN NEW.state = 'running' BEGIN SELECT RAISE(ABORT, 'full'); END"
        make = f"CREATE TRIGGER no_{name} BEFORE {name} ON messages {refuse}"
        statement = make if is_refused else f"DROP TRIGGER no_{name}"
        ask(lambda store, statement=statement: store.connection.execute(statement))


def test_the_banner_of_a_message_that_was_not_sent_goes_with_the_next_that_is(driver: Driver, ask: Ask) -> None:
    refuse_replies(ask, True)
    driver.type("one")
    driver.wait(lambda: any("not sent" in text for text in notes_of(driver)))
    refuse_replies(ask, False)
    driver.qtbot.keyClick(driver.tab.composer.field, Qt.Key.Key_Return)
    driver.wait_idle()
    assert notes_of(driver) == []


def test_the_banner_of_a_reply_that_was_not_continued_goes_when_it_is(
    driver: Driver, fake_engine: FakeEngine, ask: Ask
) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.tab.stop()
    driver.wait_idle()
    refuse_replies(ask, True)
    driver.press("Continue this reply")
    driver.wait(lambda: any("not continued" in text for text in notes_of(driver)))
    refuse_replies(ask, False)
    driver.press("Continue this reply")
    driver.wait(lambda: len(fake_engine.submits) == 2)
    assert not any("not continued" in text for text in notes_of(driver))


def test_another_trouble_stays_over_the_next_message(driver: Driver) -> None:
    driver.window.show_trouble("The chats could not be listed.")
    driver.type("one")
    driver.wait_idle()
    assert notes_of(driver) == ["The chats could not be listed."]


def test_the_note_on_a_cache_that_writes_nothing_goes_after_a_reply_once_it_writes(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.conversations.cache_keeper.SAVED_MILLISECONDS", 0)
    driver = make_driver()
    fake_engine.report = CacheReport(problem=FULL)
    fake_engine.emit(Notice(0, "cache", PAUSED))
    driver.wait(lambda: notes_of(driver) == [PAUSED])
    driver.type("one")
    driver.wait_idle()
    driver.run(settle())
    assert notes_of(driver) == [PAUSED]
    fake_engine.report = CacheReport()
    driver.type("two")
    driver.wait_idle(4)
    driver.wait(lambda: notes_of(driver) == [])
    fake_engine.emit(Notice(0, "cache", PAUSED))
    driver.wait(lambda: notes_of(driver) == [PAUSED])  # of another time


def test_what_a_deletion_left_behind_is_a_quiet_note_once(driver: Driver, fake_engine: FakeEngine) -> None:
    left = "What the prompt cache saved of this chat could not be deleted now."
    for conversation_id in ("a", "b"):
        fake_engine.emit(ConversationDeleted(conversation_id, left))
    driver.wait(lambda: notes_of(driver) == [left])
    driver.press("Close this note")
    fake_engine.emit(ConversationDeleted("c", left))
    driver.run(settle())
    assert notes_of(driver) == []


def test_a_full_disk_takes_the_cache_first_and_offers_to_free_it(driver: Driver, fake_engine: FakeEngine) -> None:
    said = "The disk of the prompt cache is full. The prompt cache writes nothing for a while; chats go on."
    fake_engine.emit(Notice(0, "cache", said))
    driver.wait(
        lambda: any("left, so prompts are not cached. Chats are still saved." in one for one in notes_of(driver))
    )
    driver.press("Clear the prompt cache, after a question")
    page = driver.window.settings_pages.show_cache()
    assert page is not None
    assert "Chats stay" in page.question.text


def test_o40_nothing_is_sent_while_the_disk_is_full_and_all_goes_on_when_it_is_not(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.upkeep.disk_full.ASK_MILLISECONDS", 20)
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    limit_pages(ask, 1)
    long = "water " * 60_000
    driver.type(long)
    driver.wait(lambda: DISK_FULL_NOTE in notes_of(driver))
    assert not driver.tab.composer.foot.send_button.isEnabled()
    assert driver.tab.composer.draft.text.strip() or driver.tab.composer.draft.attachments
    other = driver.window.workspace.new_tab()
    assert not other.composer.foot.send_button.isEnabled()
    limit_pages(ask, 1_000_000)
    driver.wait(lambda: DISK_FULL_NOTE not in notes_of(driver))
    driver.type("two")
    driver.wait_idle()
    assert len(fake_engine.submits) == 2


def test_a_disk_that_is_found_full_by_a_change_of_the_list_lets_nothing_be_sent(driver: Driver) -> None:
    driver.window.catalogue.disk_full.emit(f"The conversation could not be renamed. {FULL}")
    assert notes_of(driver) == [DISK_FULL_NOTE]
    assert driver.tab.composer.foot.send_button.toolTip() == DISK_FULL_NOTE


def test_a_sentence_that_only_reads_like_a_full_disk_stops_nothing(
    driver: Driver, fake_engine: FakeEngine, tmp_path: Path
) -> None:
    driver.type("one")
    driver.wait_idle()
    chat, nowhere = driver.tab.session.conversation_id, tmp_path / FULL / "chats.json"
    driver.run(driver.window.catalogue.export([chat], nowhere, ExportKind.JSON))
    assert [str(nowhere) in note for note in notes_of(driver)] == [True]
    driver.type("two")
    driver.wait_idle(4)
    assert len(fake_engine.submits) == 2


def test_the_note_on_a_full_disk_comes_back_when_what_was_said_later_is_closed(driver: Driver) -> None:
    driver.window.catalogue.disk_full.emit(FULL)
    driver.window.show_trouble("The chats could not be listed.")
    driver.press("Close this note")
    assert notes_of(driver) == [DISK_FULL_NOTE]


def limit_pages(ask: Ask, num_pages: int) -> None:
    """Let the file grow to so many pages; 1 stands for as many as it has."""
    ask(lambda store: store.connection.execute(f"PRAGMA max_page_count = {num_pages}").fetchone())


def test_where_a_reply_goes_on_is_said_until_it_ends(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.window.workspace.close_tab(0)
    assert notes_of(driver) == ["The reply in “one” goes on. It is in the sidebar."]
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: notes_of(driver) == [])


def test_what_waited_in_a_tab_that_is_closed_is_said_to_be_kept(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("and two")
    driver.window.workspace.close_tab(0)
    (note,) = notes_of(driver)
    assert note.endswith("What waited to be sent is kept there, and not sent.")
    driver.window.workspace.open_chat(fake_engine.submits[0].conversation_id)
    driver.wait(lambda: [draft.text for draft in driver.tab.composer.unsent()] == ["and two"])


def test_a_reply_without_memory_waits_and_need_not(driver: Driver, fake_engine: FakeEngine) -> None:
    words = "A third reply at 32,768 tokens needs 4.8 GB more; 2.1 GB is free. It starts when another ends."
    fake_engine.script, fake_engine.ending = [Notice(0, "memory", words)], None
    driver.type("one")
    driver.wait_text(words)
    driver.press("Do not wait for memory")
    driver.wait_idle()
    assert words not in driver.text
    assert driver.tab.session.messages[-1].notices == ()


def test_the_wait_for_memory_is_past_when_the_reply_begins(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script = [Notice(0, "memory", "It waits."), Progress(0, "reading", 1, 9), *deltas_of("Hello there")]
    driver.type("one")
    driver.wait_text("Hello there")
    driver.wait_idle()
    assert "It waits." not in driver.text


def test_a_tab_that_closes_in_the_turn_in_which_it_sends_lets_its_reply_go_on(driver: Driver, fake_engine) -> None:
    fake_engine.ending = None
    tab = driver.tab
    driver.type("one")
    driver.window.workspace.close_pages([tab])
    assert len(driver.window.workspace.busy_sessions) == 1
    driver.wait(lambda: len(fake_engine.submits) == 1)
    assert driver.window.workspace.busy_sessions[0].is_busy
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
