from dataclasses import replace

import pytest

from app.chat.draft import Draft
from engine.messages import Failed, Finished, Statistics
from tests.app.fake_engine import deltas_of

RATE = Statistics(num_tokens=3, tokens_per_second=41.0)


@pytest.fixture
def session(make_session, fake_engine, run_async, qtbot):
    fake_engine.script = deltas_of("a b c")
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(lambda: not session.is_busy)
    return session


def result_of(session, qtbot):
    found = []
    session.checked.connect(found.append)
    assert session.check(session.messages[-1].id)
    qtbot.waitUntil(lambda: not found[-1].is_running)
    return found[-1]


def test_reply_that_is_the_same_without_a_drafter_is_said_to_be(session, fake_engine, qtbot):
    fake_engine.ending = Finished(0, "stop", RATE)
    assert result_of(session, qtbot).sentence == "Checked: the same 3\u00a0tokens without a drafter, 41\u00a0tok/s."
    reply, check = fake_engine.submits
    assert (check.turns, check.sampling.seed, check.drafter) == (reply.turns, reply.sampling.seed, "none")


def test_check_and_continue_repeat_what_the_reply_was_made_with(session, fake_engine, run_async, qtbot):
    thinking = (("thinking", "off"),)
    run_async(session.choose_switches(thinking))
    fake_engine.ending = Finished(0, "length")
    run_async(session.send(Draft("And?")))
    qtbot.waitUntil(lambda: not session.is_busy)
    run_async(session.choose_switches(()))
    result_of(session, qtbot)
    run_async(session.continue_reply())
    assert [submit.switches for submit in fake_engine.submits] == [(), thinking, thinking, thinking]
    made, check, continued = fake_engine.submits[1:]
    assert continued.sampling == made.sampling
    assert check.sampling == replace(made.sampling, max_tokens=3)
    qtbot.waitUntil(lambda: not session.is_busy)


@pytest.mark.parametrize(("words", "place"), [("a b", 3), ("a b c d", 4)])
def test_first_token_that_differs_is_named(session, fake_engine, qtbot, words, place):
    fake_engine.script = deltas_of(words)
    check = result_of(session, qtbot)
    assert (check.sentence, check.text) == (f"Differs from token {place} on.", words)


def test_check_that_differs_early_is_not_finished(session, fake_engine, qtbot):
    fake_engine.script = [deltas_of("x y")[1], *deltas_of("a b")]
    assert result_of(session, qtbot).is_different
    assert len(fake_engine.submits) == 2


def test_nothing_of_a_check_is_recorded(session, make_session, run_async, qtbot):
    before = list(session.messages)
    result_of(session, qtbot)
    other = make_session()
    run_async(other.open(session.conversation_id))
    assert session.messages == other.messages == before


def test_check_that_fails_says_why(session, fake_engine, qtbot):
    fake_engine.script, fake_engine.ending = [], Failed(0, "engine", "The row ran out of memory.")
    assert result_of(session, qtbot).sentence == "This reply could not be checked: The row ran out of memory."


def test_stop_ends_a_check(session, fake_engine, qtbot):
    fake_engine.ending, found = None, []
    session.checked.connect(found.append)
    assert session.check(session.messages[-1].id)
    session.stop()
    qtbot.waitUntil(lambda: not found[-1].is_running)
    assert found[-1].sentence.startswith("The check was stopped after ")


def test_check_that_is_asked_for_once_more_ends(session, fake_engine, qtbot):
    fake_engine.ending, found = None, []
    session.checked.connect(found.append)
    assert session.check(session.messages[-1].id)
    assert not session.check(session.messages[-1].id)
    qtbot.waitUntil(lambda: not found[-1].is_running)


def test_reply_of_another_model_is_not_checked(session, settings, qtbot):
    settings.change(replace(settings.preferences, target="/models/other"))
    with qtbot.waitSignal(session.checked) as told:
        assert not session.check(session.messages[-1].id)
    assert told.args[0].sentence == "This reply cannot be checked: another model wrote it."
