"""Notes above the composer: what they say goes when it is past."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt

from app.chat.notes import NoteBar
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine

Ask = Callable[..., Any]


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
