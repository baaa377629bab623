"""Deleting a chat, as the window does it."""

from __future__ import annotations

from engine.messages import Cancel, ForgetConversation
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine


def test_deleting_a_chat_in_mid_reply_lets_drafters_forget_it_at_once(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.sidebar.delete_asked.emit(conversation_id)
    driver.wait(lambda: Cancel(fake_engine.submits[0].request_id) in fake_engine.commands)
    assert fake_engine.commands.count(ForgetConversation(conversation_id)) == 1
