"""What replies are made with: preferences, presets and the chat's own choices, each from the next reply on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.chat import plan
from app.chat.counting import Counting
from app.chat.draft import Draft
from app.chat.plan import Planner
from app.chat.session import ChatSession
from app.settings.preferences import ModelChoice, Settings
from app.settings.presets import DEFAULT_ID, Presets
from engine.messages import CountTokens, Finished, KvScheme, ModelFacts, ModelLoaded, Sampling, Turn
from tests.app.driver import RunAsync, settle
from tests.app.fake_engine import FakeEngine, facts_of

ASKED = Sampling(temperature=0.7, top_p=0.8)
SYSTEM = Turn("system", "Be brief.")


@pytest.fixture
def facts(target: str, fake_engine: FakeEngine) -> ModelFacts:
    """Of a model whose generation config asks for something."""
    facts = replace(facts_of(target), sampling=ASKED)
    fake_engine.make_facts = lambda target: replace(facts, target=target)
    return facts


@pytest.fixture
def send(run_async: RunAsync, qtbot: QtBot) -> Callable[[ChatSession, str], None]:
    def send(session: ChatSession, text: str) -> None:
        assert run_async(session.send(Draft(text)))
        qtbot.waitUntil(lambda: not session.is_busy)

    return send


def brief(presets: Presets) -> str:
    preset = replace(presets.add("Brief"), system_prompt=SYSTEM.text, temperature=0.2, stops=("END",))
    presets.change(preset)
    return preset.id


def test_first_reply_is_sampled_as_the_model_asks(make_session, facts, send, fake_engine) -> None:
    send(make_session(), "Hi")
    (submit,) = fake_engine.submits
    assert submit.sampling == replace(ASKED, seed=submit.sampling.seed)


def test_message_is_sent_though_nothing_is_said_of_its_model(
    make_session, bridge, fake_engine, monkeypatch, send
) -> None:
    monkeypatch.setattr(plan, "MOST_SECONDS", 0.05)
    fake_engine.answers_on_models = False
    send(make_session(), "Hi")
    assert len(fake_engine.submits) == 1


def test_each_reply_has_a_seed_of_its_own_unless_one_is_chosen(make_session, presets, send, fake_engine) -> None:
    session = make_session()
    for text in "ab":
        send(session, text)
    presets.change(replace(presets.get(DEFAULT_ID), seed=7))
    for text in "cd":
        send(session, text)
    first, second, *chosen = [submit.sampling.seed for submit in fake_engine.submits]
    assert first != second
    assert chosen == [7, 7]


def test_preset_acts_on_the_next_reply_and_stays_the_chats(
    make_session, facts, presets, send, fake_engine, run_async
) -> None:
    session = make_session()
    send(session, "One")
    preset_id = brief(presets)
    run_async(session.choose_preset(preset_id))
    send(session, "Two")
    before, after = fake_engine.submits
    assert before.turns[0].role == "user"
    assert (after.turns[0], after.turns[1]) == (SYSTEM, Turn("user", "One"))
    assert after.sampling == replace(ASKED, temperature=0.2, stops=("END",), seed=after.sampling.seed)
    again = make_session()
    assert run_async(again.open(session.conversation_id))
    assert again.preset == preset_id


def test_chat_keeps_the_preset_that_it_began_with(make_session, settings, presets, send, target, run_async) -> None:
    settings.change_model(target, ModelChoice(preset=brief(presets)))
    session = make_session()
    send(session, "One")
    settings.change_model(target, ModelChoice())
    again = make_session()
    assert run_async(again.open(session.conversation_id))
    assert (again.plan.system_prompt, make_session().plan.system_prompt) == (SYSTEM.text, "")


def test_deleted_preset_gives_way_to_the_models(make_session, presets, run_async) -> None:
    session, preset_id = make_session(), brief(presets)
    run_async(session.choose_preset(preset_id))
    presets.delete(preset_id)
    assert session.plan.system_prompt == ""
    presets.undo_deletion()
    assert session.plan.system_prompt == SYSTEM.text


def test_model_chosen_while_a_message_waits_is_sampled_as_it_asks(
    make_session, facts, settings, fake_engine, run_async, bridge, monkeypatch
) -> None:
    monkeypatch.setattr(plan, "MOST_SECONDS", 0.3)
    fake_engine.answers_on_models = False

    async def choose_another() -> None:
        sending = asyncio.ensure_future(make_session().send(Draft("Hi")))
        await settle()
        fake_engine.answers_on_models = True
        settings.change(replace(settings.preferences, target="/models/other"))
        assert await sending

    run_async(choose_another())
    (submit,) = fake_engine.submits
    assert submit.sampling == replace(ASKED, seed=submit.sampling.seed)


def test_choices_for_a_model_act_on_its_chats(make_session, settings: Settings, target, send, fake_engine) -> None:
    settings.change_model(target, ModelChoice(4096, 8, "suffix", template="{{ messages }}"))
    session = make_session()
    send(session, "Hi")
    session.choose_drafter("none")
    send(session, "Hi")
    submit, by_chat = fake_engine.submits
    assert (submit.kv, submit.context_length, submit.drafter) == (KvScheme(8), 4096, "suffix")
    assert submit.template == "{{ messages }}"
    assert by_chat.drafter == "none"


def test_automatic_is_what_resolves_it(settings: Settings, presets: Presets, bridge, target) -> None:
    class Best:
        def resolve(self, target: str) -> str:
            return f"dspark:{target}-drafter"

    planner = Planner(settings, presets, bridge, automatic=Best())
    assert planner.plan().drafter == f"dspark:{target}-drafter"
    assert planner.plan("none").drafter == "none"


def test_running_reply_and_its_continuation_keep_what_they_began_with(
    make_session, settings, presets, target, send, fake_engine, run_async, qtbot
) -> None:
    fake_engine.ending = Finished(0, "length")
    settings.change_model(target, ModelChoice(4096, 8, preset=brief(presets), template="{{ one }}"))
    session = make_session()
    send(session, "Hi")
    settings.change_model(target, ModelChoice(8192, 4, template="{{ two }}"))
    presets.change(replace(presets.get(session.preset), system_prompt="At length.", temperature=1.0))
    assert run_async(session.continue_reply())
    qtbot.waitUntil(lambda: not session.is_busy)
    session.check(session.messages[-1].id)
    first, *later = fake_engine.submits
    for submit in later:
        assert submit.turns[:2] == first.turns == (SYSTEM, Turn("user", "Hi"))
        assert (submit.template, submit.kv, submit.context_length) == ("{{ one }}", KvScheme(8), 4096)
        assert submit.sampling.seed == first.sampling.seed
    assert len(later) == 2


def test_other_model_continues_with_what_holds_for_it(
    make_session, settings, target, send, fake_engine, run_async
) -> None:
    fake_engine.ending = Finished(0, "length")
    settings.change_model(target, ModelChoice(4096, 8, "suffix", template="{{ one }}"))
    settings.change_model("/models/other", ModelChoice(drafter="none"))
    session = make_session()
    send(session, "Hi")
    settings.change(replace(settings.preferences, target="/models/other"))
    assert run_async(session.continue_reply())
    submit = fake_engine.submits[-1]
    assert (submit.target, submit.drafter, submit.template) == ("/models/other", "none", "")
    assert (submit.kv, submit.context_length) == (KvScheme(), 0)
    assert submit.sampling == fake_engine.submits[0].sampling


def test_draft_is_counted_as_it_would_be_sent(
    make_session, settings, presets, target, send, fake_engine, run_async
) -> None:
    settings.change_model(target, ModelChoice(4096, preset=brief(presets), template="{{ one }}"))
    session = make_session()
    counted = session.turns_for(Draft("Hi"))
    send(session, "Hi")
    (submit,) = fake_engine.submits
    assert counted == submit.turns
    assert session.turns_for(Draft()) == (*submit.turns, Turn("assistant", "Hello there", (1, 2), "tokenizer-1"))
    assert make_session().turns_for(Draft()) == ()


def test_count_asks_with_the_template_and_the_context(make_session, settings, target, bridge, fake_engine, qtbot):
    settings.change_model(target, ModelChoice(4096, template="{{ one }}"))
    counting = Counting(bridge, make_session(), lambda: Draft("Hi"))
    counting.count_now()
    asked = [command for command in fake_engine.commands if isinstance(command, CountTokens)]
    assert [(one.target, one.template, one.context_length) for one in asked] == [(target, "{{ one }}", 4096)]
    counting.close()


def test_loaded_model_changes_what_is_next(planner: Planner, facts, fake_engine, target, qtbot) -> None:
    assert planner.plan().sampling.temperature == 0.0
    with qtbot.waitSignal(planner.changed):
        fake_engine.emit(ModelLoaded(1, facts))
    assert planner.plan().sampling.temperature == ASKED.temperature
