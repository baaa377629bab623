"""Chats in which two things are done at once, one of them perhaps that their tab is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from app.chat.notes import Action, NoteBar
from app.tasks import failures, finish
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine, deltas_of

Ask = Callable[..., Any]


@pytest.mark.parametrize("action", [Action.BRANCH, Action.DELETE_FROM, Action.PREVIOUS])
def test_a_tab_is_closed_while_something_is_done_with_a_message(driver: Driver, ask: Ask, action: Action) -> None:
    driver.type("one")
    driver.wait_idle(2)
    session, actions, told, gone = driver.tab.session, driver.tab.actions_on_messages, list[str](), list[str]()
    driver.run(session.regenerate(session.messages[-1].id))
    driver.wait_idle(2)
    failures.happened.connect(told.append)
    driver.window.workspace.messages_gone.connect(gone.append)
    actions.act(action, session.messages[0 if action is Action.BRANCH else 1].id)
    driver.window.workspace.close_tab(0)
    driver.run(finish())
    failures.happened.disconnect(told.append)
    assert told == []
    is_deletion = action is Action.DELETE_FROM
    assert gone == ([session.conversation_id] if is_deletion else [])
    opened = ask(lambda store: store.open_conversation(session.conversation_id))
    assert bool(opened.siblings) is not is_deletion


def test_messages_are_put_back_once_where_that_is_asked_for_twice(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle(2)
    session, troubles = driver.tab.session, list[str]()
    driver.run(session.delete_from(session.messages[1].id))
    session.trouble.connect(troubles.append)

    async def undo_twice() -> list[bool]:
        return await asyncio.gather(session.undo_deletion(), session.undo_deletion())

    assert driver.run(undo_twice()) == [True, False]
    assert troubles == []
    assert len(session.messages) == 2


@pytest.mark.parametrize("other", ["", " and more"])
def test_a_reply_once_more_with_the_same_text_says_why(driver: Driver, fake_engine: FakeEngine, other: str) -> None:
    driver.type("one")
    driver.wait_idle(2)
    fake_engine.script = [*fake_engine.script, *deltas_of(other)] if other else fake_engine.script
    driver.tab.actions_on_messages.write_again()
    driver.wait(lambda: len(fake_engine.submits) == 2)
    driver.wait_idle(2)
    said = [bar.text for bar in driver.tab.findChildren(NoteBar) if bar.isVisible()]
    assert said == ([] if other else ["The same text: temperature is 0."])
    driver.type("two")
    driver.wait_idle(4)
    assert not any(bar.isVisible() for bar in driver.tab.findChildren(NoteBar))


def test_a_deletion_says_how_much_of_other_branches_went_with_it(driver: Driver, fake_engine: FakeEngine) -> None:
    for number, text in enumerate(("one", "two"), 1):
        driver.type(text)
        driver.wait_idle(2 * number)
    actions = driver.tab.actions_on_messages
    actions.act(Action.BRANCH, driver.tab.session.messages[1].id)
    driver.type("other")
    driver.wait(lambda: len(fake_engine.submits) == 3)
    driver.wait_idle(4)
    actions.act(Action.DELETE_FROM, driver.tab.session.messages[1].id)
    words = "Deleted 5\u00a0messages, 2 of them in other branches."
    driver.wait(lambda: any(bar.text == words for bar in driver.tab.findChildren(NoteBar) if bar.isVisible()))
