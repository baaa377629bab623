"""Tabs that are closed while something is being done with their chats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.chat.notes import Action
from app.tasks import failures, finish
from tests.app.driver import Driver

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
