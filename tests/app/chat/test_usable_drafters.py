"""A drafter that is gone or does not fit: the reply is made with another one, which is said under it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.chat.draft import Draft
from app.chat.session import ChatSession
from app.settings.preferences import ModelChoice, Settings
from app.system.machine import PLACE
from engine.messages import Command, DrafterFacts, Failed, Finished, InspectDrafter
from tests.app.driver import RunAsync
from tests.app.fake_engine import FakeEngine

GONE = "dflash:/m/Qwen3-dflash"
NOTICE = f"The drafter Qwen3-dflash is gone from {PLACE}; n-gram was used."


class LosingEngine(FakeEngine):
    """Finds nothing at the paths in `lost`."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = {"/m/Qwen3-dflash"}

    def send(self, *commands: Command) -> None:
        for command in commands:
            if isinstance(command, InspectDrafter) and command.path in self.lost:
                self.emit(Failed(command.request_id, "model", "Nothing is there."))
            else:
                super().send(command)


@pytest.fixture
def fake_engine() -> LosingEngine:
    return LosingEngine()


@pytest.fixture
def session(make_session: Callable[[], ChatSession], bridge: EngineBridge) -> ChatSession:
    return make_session()


@pytest.fixture
def send(session: ChatSession, run_async: RunAsync, qtbot: QtBot) -> Callable[[], None]:
    def send() -> None:
        assert run_async(session.send(Draft("Hi")))
        qtbot.waitUntil(lambda: not session.is_busy)

    return send


def test_a_drafter_that_is_gone_is_told_and_comes_back_with_its_folder(session, send, fake_engine) -> None:
    session.choose_drafter(GONE)
    send()
    assert (fake_engine.submits[-1].drafter, session.messages[-1].notices) == ("ngram", (NOTICE,))
    assert session.drafter == GONE
    fake_engine.lost.clear()
    send()
    assert (fake_engine.submits[-1].drafter, session.messages[-1].notices) == (GONE, ())


def test_that_of_a_model_is_told_likewise(session, send, fake_engine, settings: Settings, target: str) -> None:
    settings.change_model(target, ModelChoice(drafter=GONE))
    send()
    assert (fake_engine.submits[-1].drafter, session.messages[-1].notices) == ("ngram", (NOTICE,))
    assert settings.preferences.model(target).drafter == GONE


def test_a_drafter_that_does_not_fit_the_model_of_now_is_told(session, send, fake_engine) -> None:
    refusal = "Its vocabulary is another."
    fake_engine.drafters["/m/small"] = DrafterFacts("model:/m/small", "model", "/m/small", "small", refusal)
    session.choose_drafter("model:/m/small")
    send()
    assert fake_engine.submits[-1].drafter == "ngram"
    assert session.messages[-1].notices == ("The drafter small does not fit this model; n-gram was used.",)


def test_a_reply_that_was_begun_with_it_is_continued(session, send, fake_engine, run_async, qtbot) -> None:
    fake_engine.lost.clear()
    fake_engine.ending = Finished(0, "length")
    session.choose_drafter(GONE)
    send()
    fake_engine.lost.add("/m/Qwen3-dflash")
    assert run_async(session.continue_reply())
    qtbot.waitUntil(lambda: not session.is_busy)
    assert [one.drafter for one in fake_engine.submits] == [GONE, "ngram"]
    assert session.messages[-1].notices == (NOTICE,)
