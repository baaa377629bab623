"""What prompts leave out where that was asked for, whatever is done before the next message."""

from __future__ import annotations

import pytest

from app.chat.notes import Action, NoteBar
from engine.messages import Finished
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


@pytest.fixture
def talk(driver: Driver) -> Driver:
    """A window with three exchanges."""
    for number, text in enumerate(("one", "two", "three"), 1):
        driver.type(text)
        driver.wait_idle(2 * number)
    return driver


def act(driver: Driver, action: Action, place: int) -> None:
    driver.tab.actions_on_messages.act(action, driver.tab.session.messages[place].id)
    driver.run(settle())


def send(driver: Driver, engine: FakeEngine, text: str) -> list[str]:
    """The texts of the prompt that comes of a message."""
    driver.type(text)
    return prompt(driver, engine)


def prompt(driver: Driver, engine: FakeEngine) -> list[str]:
    driver.wait(lambda: not driver.tab.session.is_busy)
    return [turn.text for turn in engine.submits[-1].turns]


def test_an_edit_of_the_first_message_leaves_nothing_out(talk: Driver, fake_engine: FakeEngine) -> None:
    talk.tab.composer.leave_out_asked.emit(2)
    act(talk, Action.EDIT, 0)
    assert send(talk, fake_engine, "ONE") == ["ONE"]
    assert talk.tab.session.messages[0].num_left_out == 0
    assert send(talk, fake_engine, "TWO") == ["ONE", "Hello there", "TWO"]


def test_a_branch_leaves_out_no_more_than_is_before_it(talk: Driver, fake_engine: FakeEngine) -> None:
    talk.tab.composer.leave_out_asked.emit(4)
    act(talk, Action.BRANCH, 1)
    assert send(talk, fake_engine, "TWO") == ["TWO"]
    assert talk.tab.session.messages[2].num_left_out == 2
    assert send(talk, fake_engine, "THREE") == ["TWO", "Hello there", "THREE"]


def test_a_continued_reply_has_the_prompt_that_it_had(talk: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = Finished(0, "length")
    before = send(talk, fake_engine, "four")
    talk.tab.composer.leave_out_asked.emit(2)
    act(talk, Action.CONTINUE, -1)
    assert prompt(talk, fake_engine) == [*before, "Hello there"]
    assert send(talk, fake_engine, "five")[0] == "two"


NOTE = "The oldest 2\u00a0messages are left out of the prompt, from the next message on."


def said(driver: Driver) -> list[str]:
    return [bar.text for bar in driver.tab.findChildren(NoteBar) if bar.isVisible()]


@pytest.mark.parametrize("action", [Action.AGAIN, Action.PREVIOUS, Action.DELETE_FROM])
def test_what_is_left_out_and_its_note_outlast_another_branch(
    talk: Driver, fake_engine: FakeEngine, action: Action
) -> None:
    act(talk, Action.AGAIN, -1)
    prompt(talk, fake_engine)
    talk.tab.composer.leave_out_asked.emit(2)
    act(talk, action, -1)
    prompt(talk, fake_engine)
    assert NOTE in said(talk)
    assert send(talk, fake_engine, "four")[0] == "two"
    assert NOTE not in said(talk)


def test_what_is_left_out_and_its_note_go_where_other_messages_are_the_oldest(
    talk: Driver, fake_engine: FakeEngine
) -> None:
    act(talk, Action.AGAIN, 1)
    talk.tab.composer.leave_out_asked.emit(2)
    act(talk, Action.PREVIOUS, 1)
    assert said(talk) == []
    assert send(talk, fake_engine, "four")[0] == "one"


def test_one_message_is_left_out(talk: Driver) -> None:
    talk.tab.composer.leave_out_asked.emit(1)
    assert said(talk) == ["The oldest message is left out of the prompt, from the next message on."]
