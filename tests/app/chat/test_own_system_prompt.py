"""A chat that was imported with a system prompt goes on with that, and says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.chat.draft import Draft
from app.chat.preset_menu import OWN_PROMPT, fill_presets
from app.chat.session import ChatSession
from app.conversations.adding import add_chats
from app.conversations.importing.lm_studio import read_lm_studio
from app.conversations.records import Message
from app.settings.presets import DEFAULT_ID, Presets
from engine.messages import Finished, Turn
from tests.app.driver import RunAsync
from tests.app.fake_engine import FakeEngine

OWN = Turn("system", "Answer in verse.")
TOLD = "This chat has its own system prompt; that of the preset “Brief” was not used."
MESSAGES = [
    {"versions": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
    {"versions": [{"role": "assistant", "content": [{"type": "text", "text": "Oh, hi!"}]}]},
]


@pytest.fixture
def session(make_session, ask, run_async: RunAsync) -> ChatSession:
    chat = read_lm_studio({"createdAt": 1000, "systemPrompt": OWN.text, "messages": MESSAGES}, "1")
    ask(lambda store: add_chats(store, [chat]))
    session: ChatSession = make_session()
    assert run_async(session.open(chat.conversation.id))
    return session


@pytest.fixture
def brief(presets: Presets) -> str:
    """A preset with another one."""
    preset = replace(presets.add("Brief"), system_prompt="Be brief.", temperature=0.2)
    presets.change(preset)
    return preset.id


@pytest.fixture
def rest(qtbot: QtBot, session: ChatSession) -> Callable[[], Message]:
    def rest() -> Message:
        qtbot.waitUntil(lambda: not session.is_busy)
        return session.messages[-1]

    return rest


def test_it_stands_alone_before_the_turns_and_the_preset_is_named(
    session: ChatSession, brief: str, run_async: RunAsync, fake_engine: FakeEngine, rest: Callable[[], Message]
) -> None:
    run_async(session.choose_preset(brief))
    assert run_async(session.send(Draft("And now?")))
    reply, turns = rest(), fake_engine.submits[-1].turns
    assert [turn.role for turn in turns] == ["system", "user", "assistant", "user"]
    assert turns[0] == OWN
    assert (reply.system_prompt, reply.notices, reply.temperature) == (OWN.text, (TOLD,), 0.2)


def test_again_and_continue_keep_it(
    session: ChatSession, brief: str, run_async: RunAsync, fake_engine: FakeEngine, rest: Callable[[], Message]
) -> None:
    run_async(session.choose_preset(brief))
    fake_engine.ending = Finished(0, "length")
    assert run_async(session.regenerate(session.messages[-1].id))
    rest()
    assert run_async(session.continue_reply())
    rest()
    again, continued = ([turn for turn in one.turns if turn.role == "system"] for one in fake_engine.submits)
    assert again == continued == [OWN]


def test_nothing_is_told_where_the_preset_has_none(
    session: ChatSession, run_async: RunAsync, rest: Callable[[], Message]
) -> None:
    assert run_async(session.send(Draft("And now?")))
    assert (rest().notices, session.preset) == ((), DEFAULT_ID)


def test_a_chat_that_has_none_takes_the_presets(session: ChatSession, make_session, brief: str, run_async) -> None:
    other: ChatSession = make_session()
    run_async(other.choose_preset(brief))
    assert other.turns_for(Draft("Hi")) == (Turn("system", "Be brief."), Turn("user", "Hi"))
    assert session.turns_for(Draft("Hi"))[0] == OWN


def test_the_menu_of_presets_says_so(qtbot: QtBot, session: ChatSession, make_session) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    for one, is_told in ((session, True), (make_session(), False)):
        fill_presets(menu, one, lambda: None)
        assert (OWN_PROMPT in [action.text() for action in menu.actions()]) == is_told


def test_the_preset_of_the_first_reply_here_is_saved_with_it(
    session: ChatSession, make_session, run_async: RunAsync, rest: Callable[[], Message]
) -> None:
    run_async(session.send(Draft("And now?")))
    rest()
    again: ChatSession = make_session()
    assert run_async(again.open(session.conversation_id))
    assert again.preset == DEFAULT_ID
