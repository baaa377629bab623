from dataclasses import replace

import pytest

from app.chat.draft import Draft
from app.conversations.records import ReplyState
from app.conversations.store import Store
from engine.messages import Cancel, Failed, Finished, Notice, Progress, Statistics, Turn
from tests.app.fake_engine import deltas_of

STATES = {"stop": ReplyState.COMPLETE, "length": ReplyState.LIMIT}


def path_of(session):
    return lambda store: store.open_conversation(session.conversation_id).messages


def ended(session):
    return lambda: not session.is_busy


def test_reply_streams_and_ends(make_session, run_async, qtbot):
    session, shown = make_session(), []
    session.reply_extended.connect(lambda delta: shown.append(delta.text))
    assert run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    assert "".join(shown) == session.messages[-1].text == "Hello there"
    assert session.messages[-1].state is ReplyState.COMPLETE
    assert session.messages[-1].token_ids == (1, 2)


def test_messages_are_committed_before_the_engine_is_asked(make_session, fake_engine, run_async, ask):
    session, committed = make_session(), []
    fake_engine.on_submit = lambda submit: committed.extend(ask(path_of(session)))
    run_async(session.send(Draft("Hi")))
    assert [(message.role, message.text, message.state) for message in committed] == [
        ("user", "Hi", ReplyState.COMPLETE),
        ("assistant", "", ReplyState.RUNNING),
    ]


def test_message_that_cannot_be_saved_is_not_sent(make_session, fake_engine, run_async, ask, qtbot):
    session = make_session()
    ask(lambda store: store.connection.execute("PRAGMA query_only = ON"))
    with qtbot.waitSignal(session.trouble) as trouble:
        assert not run_async(session.send(Draft("Hi")))
    assert trouble.args[0].startswith("The message was not sent because it could not be saved.")
    assert not session.is_busy
    assert fake_engine.submits == session.messages == []


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_blank_text_is_not_sent(make_session, run_async, fake_engine, text):
    assert not run_async(make_session().send(Draft(text)))
    assert fake_engine.submits == []


def test_each_submit_tells_when_the_conversation_began(make_session, fake_engine, run_async, ask, qtbot):
    session, reopened = make_session(), make_session()
    for text in ("Hi", "And?"):
        run_async(session.send(Draft(text)))
        qtbot.waitUntil(ended(session))
    run_async(reopened.open(session.conversation_id))
    run_async(reopened.send(Draft("More")))
    began_at = ask(lambda store: store.open_conversation(session.conversation_id).conversation.created_at)
    assert began_at > 0
    assert [submit.began_at for submit in fake_engine.submits] == [began_at] * 3


def test_second_message_is_refused_while_a_reply_runs(make_session, fake_engine, run_async):
    fake_engine.ending = None
    session = make_session()
    assert run_async(session.send(Draft("Hi")))
    assert not run_async(session.send(Draft("More")))
    assert len(session.messages) == 2


@pytest.mark.parametrize("reason", STATES)
def test_finish_reason_gives_the_state(make_session, fake_engine, run_async, qtbot, reason):
    fake_engine.ending = Finished(0, reason, Statistics(num_prompt=7, num_tokens=2))
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    reply = session.messages[-1]
    assert (reply.state, reply.finish_reason) == (STATES[reason], reason)
    assert reply.statistics == Statistics(num_prompt=7, num_tokens=2)


def test_stop_keeps_what_was_delivered(make_session, fake_engine, run_async, recorder, qtbot, ask):
    fake_engine.ending = None
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(lambda: session.running.text == "Hello there")
    with qtbot.waitSignal(recorder.saved):
        session.stop()
    assert session.running is None
    saved = ask(path_of(session))[-1]
    assert (saved.text, saved.token_ids, saved.state) == ("Hello there", (1, 2), ReplyState.STOPPED)


def test_stop_while_the_message_is_committed_cancels_at_once(make_session, fake_engine, run_async, qtbot):
    fake_engine.ending = None
    session = make_session()
    session.busy_changed.connect(lambda is_busy: session.stop() if is_busy else None)
    run_async(session.send(Draft("Hi")))
    assert fake_engine.commands[-1] == Cancel(fake_engine.submits[0].request_id)
    qtbot.waitUntil(ended(session))
    assert session.messages[-1].state is ReplyState.STOPPED


def test_failed_reply_keeps_what_was_delivered(make_session, fake_engine, run_async, recorder, qtbot, ask):
    fake_engine.ending = Failed(0, "engine", "the row ran out of memory")
    session = make_session()
    with qtbot.waitSignal(recorder.saved):
        run_async(session.send(Draft("Hi")))
    saved = ask(path_of(session))[-1]
    assert (saved.state, saved.error) == (ReplyState.FAILED, "the row ran out of memory")
    assert saved.text == "Hello there"


def test_continue_appends_with_the_same_seed_and_drafter(make_session, fake_engine, run_async, recorder, qtbot, ask):
    fake_engine.ending = Finished(0, "length")
    session = make_session()
    with qtbot.waitSignal(recorder.saved):
        run_async(session.send(Draft("Hi")))
    session.drafter = "none"
    fake_engine.script = [replace(delta, token_ids=(9,)) for delta in deltas_of(", friend")]
    fake_engine.ending = Finished(0, "stop")
    with qtbot.waitSignal(recorder.saved):
        assert run_async(session.continue_reply())
    first, second = fake_engine.submits
    assert (second.sampling, second.drafter) == (first.sampling, "ngram")
    assert second.turns == (Turn("user", "Hi"), Turn("assistant", "Hello there", (1, 2), "tokenizer-1"))
    saved = ask(path_of(session))[-1]
    assert (saved.text, saved.token_ids) == ("Hello there, friend", (1, 2, 9, 9))
    assert saved.state is ReplyState.COMPLETE


def test_reply_continued_with_another_tokenizer_keeps_its_text_alone(make_session, fake_engine, run_async, qtbot):
    fake_engine.ending = Finished(0, "length")
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    fake_engine.tokenizer_id = "tokenizer-2"
    run_async(session.continue_reply())
    qtbot.waitUntil(ended(session))
    reply = session.messages[-1]
    assert (reply.text, reply.token_ids, reply.tokenizer_id) == ("Hello thereHello there", (), "")


def test_complete_reply_is_not_continued(make_session, run_async, qtbot):
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    assert not session.can_continue
    assert not run_async(session.continue_reply())


def test_reply_that_failed_before_its_first_token_starts_over(make_session, settings, fake_engine, run_async, qtbot):
    fake_engine.script, fake_engine.ending = [], Failed(0, "model", "no such model")
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    settings.change(replace(settings.preferences, target="/models/other"))
    assert run_async(session.continue_reply())
    assert fake_engine.submits[-1].target == "/models/other"
    assert fake_engine.submits[-1].turns == (Turn("user", "Hi"),)


def test_empty_reply_is_left_out_of_the_next_turns(make_session, fake_engine, run_async, qtbot):
    fake_engine.script, fake_engine.ending = [], Failed(0, "engine", "it failed")
    session = make_session()
    run_async(session.send(Draft("One")))
    qtbot.waitUntil(ended(session))
    run_async(session.send(Draft("Two")))
    assert fake_engine.submits[-1].turns == (Turn("user", "One"), Turn("user", "Two"))


def test_two_sessions_reply_at_once(make_session, fake_engine, run_async, qtbot):
    fake_engine.script = deltas_of(" ".join(str(number) for number in range(50)))
    sessions = [make_session(), make_session()]
    for session in sessions:
        run_async(session.send(Draft("Count")))
    qtbot.waitUntil(lambda: not any(session.is_busy for session in sessions))
    for session in sessions:
        assert session.messages[-1].token_ids == tuple(range(1, 51))
    assert sessions[0].conversation_id != sessions[1].conversation_id


def test_reply_of_a_closed_tab_is_recorded(make_session, fake_engine, run_async, recorder, qtbot, ask):
    fake_engine.delay_seconds = 0.02
    session = make_session()
    run_async(session.send(Draft("Hi")))
    with qtbot.waitSignal(recorder.saved):
        session.close()
    assert ask(path_of(session))[-1].text == "Hello there"


def test_conversation_opened_in_mid_reply_is_joined(make_session, fake_engine, run_async, qtbot):
    fake_engine.script, fake_engine.delay_seconds = deltas_of(" ".join("abcdefgh")), 0.02
    first, second, rest = make_session(), make_session(), []
    run_async(first.send(Draft("Hi")))
    first.close()
    assert run_async(second.open(first.conversation_id))
    second.reply_extended.connect(lambda delta: rest.append(delta.text))
    joined = second.messages[-1].text
    qtbot.waitUntil(ended(second))
    assert joined + "".join(rest) == second.messages[-1].text == "a b c d e f g h"


def test_progress_is_shown_until_the_first_token(make_session, fake_engine, run_async, qtbot):
    fake_engine.script = [Progress(0, "reading", 8, 16), *deltas_of("a b")]
    session, shown = make_session(), []
    session.progress_changed.connect(lambda progress: shown.append(progress and progress.done))
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    assert shown == [8, None]


def test_notices_are_saved_with_the_reply(make_session, fake_engine, run_async, recorder, qtbot, ask):
    fake_engine.script = [Notice(0, "plain", "The plain template was used."), *deltas_of("a")]
    session = make_session()
    with qtbot.waitSignal(recorder.saved):
        run_async(session.send(Draft("Hi")))
    saved = ask(path_of(session))[-1]
    assert saved.notices == ("The plain template was used.",)
    assert (saved.tokenizer_id, saved.quantisation) == ("tokenizer-1", "4-bit")


def test_title_is_the_first_line_of_the_first_message(make_session, fake_engine, run_async, qtbot):
    session, titles = make_session(), []
    session.title_changed.connect(titles.append)
    run_async(session.send(Draft("\n  Why is\tthe sky blue?\nAnd the sea?")))
    qtbot.waitUntil(ended(session))
    run_async(session.send(Draft("Another question")))
    assert titles == ["Why is the sky blue?"]


def test_half_a_character_is_sent_as_a_replacement(make_session, fake_engine, run_async):
    run_async(make_session().send(Draft("a\ud83d")))
    assert fake_engine.submits[0].turns == (Turn("user", "a\ufffd"),)


def test_unknown_conversation_is_said_in_a_sentence(make_session, run_async, qtbot):
    session = make_session()
    with qtbot.waitSignal(session.trouble) as trouble:
        assert not run_async(session.open("nowhere"))
    assert trouble.args == ["This conversation is no longer there."]


def test_whatever_goes_wrong_in_saving_leaves_the_session_free_and_gives_the_text_back(
    make_session, fake_engine, run_async, qtbot, monkeypatch
):
    def fail(store, message):
        raise ValueError("out of range")

    session = make_session()
    monkeypatch.setattr(Store, "add_message", fail)
    with qtbot.waitSignal(session.not_sent) as not_sent, pytest.raises(ValueError, match="out of range"):
        run_async(session.send(Draft("Hi")))
    assert not_sent.args == [Draft("Hi")]
    assert not session.is_busy


def test_continue_that_goes_wrong_leaves_the_session_free(make_session, fake_engine, run_async, qtbot, monkeypatch):
    def fail(store, *args):
        raise ValueError("out of range")

    fake_engine.ending = Finished(0, "length")
    session = make_session()
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    monkeypatch.setattr(Store, "touch_conversation", fail)
    with pytest.raises(ValueError, match="out of range"):
        run_async(session.continue_reply())
    assert session.can_continue


def test_continued_reply_counts_the_part_before_it(make_session, fake_engine, run_async, qtbot):
    fake_engine.ending = Finished(0, "length")
    session, shown = make_session(), []
    run_async(session.send(Draft("Hi")))
    qtbot.waitUntil(ended(session))
    session.reply_extended.connect(lambda delta: shown.append(delta.statistics.num_tokens))
    run_async(session.continue_reply())
    qtbot.waitUntil(ended(session))
    assert shown == [3, 4]
    assert session.messages[-1].statistics.num_tokens == 4
