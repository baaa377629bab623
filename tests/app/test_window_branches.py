"""A branch in which nothing was sent yet is there when its chat is left and come back to."""

from __future__ import annotations

from collections.abc import Callable

from app.chat.notes import Action, NoteBar
from tests.app.driver import Driver

BRANCHING = "What you send next begins a branch here."


def said(driver: Driver) -> list[str]:
    return [bar.text for bar in driver.tab.findChildren(NoteBar) if bar.isVisible()]


def begin_branch(driver: Driver) -> str:
    """Of two exchanges, behind the first; returns the id of the chat."""
    for number, text in enumerate(("one", "two"), 1):
        driver.type(text)
        driver.wait_idle(2 * number)
    driver.tab.actions_on_messages.act(Action.BRANCH, driver.tab.session.messages[1].id)
    driver.wait(lambda: said(driver) == [BRANCHING])
    return driver.tab.session.conversation_id or ""


def test_a_branch_that_is_begun_is_there_when_the_chat_is_opened_again(driver: Driver) -> None:
    chat = begin_branch(driver)
    driver.tab.composer.field.setPlainText("other")
    driver.window.workspace.close_tab(0)
    driver.window.workspace.open_chat(chat)
    driver.wait(lambda: said(driver) == [BRANCHING])
    assert driver.tab.composer.draft.text == "other"
    driver.type("other")
    driver.wait_idle(4)
    assert [message.text for message in driver.tab.session.messages if message.role == "user"] == ["one", "other"]
    assert said(driver) == []


def test_a_branch_that_is_begun_is_there_at_the_next_start_and_can_be_left(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    begin_branch(driver)
    driver.window.leave()
    again = make_driver()
    again.wait(lambda: said(again) == [BRANCHING])
    again.press("Go back to the messages that followed")
    assert len(again.tab.session.messages) == 4
    again.window.leave()
    third = make_driver()
    assert said(third) == []
