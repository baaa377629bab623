import pytest

from app.chat.draft import Draft
from app.conversations.records import Attachment, ReplyState
from engine.messages import Cancel, Finished, Turn
from tests.app.fake_engine import deltas_of


@pytest.fixture
def say(run_async, qtbot):
    """Send texts one after the other, and wait for each reply."""

    def say(session, *texts):
        for text in texts:
            assert run_async(session.send(Draft(text)))
            qtbot.waitUntil(lambda: not session.is_busy)

    return say


def texts_of(session):
    return [message.text for message in session.messages]


def reopened(make_session, run_async, session):
    other = make_session()
    assert run_async(other.open(session.conversation_id))
    return other


def test_edit_begins_a_branch_beside_the_message(make_session, run_async, say, qtbot, fake_engine):
    session = make_session()
    say(session, "One", "Two")
    first = session.messages[0]
    with qtbot.waitSignal(session.path_changed):
        assert run_async(session.send(Draft("Uno", edits=first.id)))
    qtbot.waitUntil(lambda: not session.is_busy)
    assert texts_of(session) == ["Uno", "Hello there"]
    assert session.siblings[session.messages[0].id] == (first.id, session.messages[0].id)
    assert fake_engine.submits[-1].turns == (Turn("user", "Uno"),)
    assert texts_of(reopened(make_session, run_async, session)) == ["Uno", "Hello there"]


def test_edit_of_a_running_exchange_stops_its_reply_and_nothing_of_it_is_written_later(
    make_session, run_async, say, qtbot, fake_engine, ask
):
    fake_engine.ending = None
    session = make_session()
    run_async(session.send(Draft("One")))
    qtbot.waitUntil(lambda: session.running.text == "Hello there")
    old, request_id = session.messages[1], fake_engine.submits[0].request_id
    fake_engine.ending = Finished(0, "stop")
    assert run_async(session.send(Draft("Uno", edits=session.messages[0].id)))
    committed = ask(lambda store: tuple(store.connection.execute("SELECT * FROM messages WHERE id = ?", (old.id,))))
    qtbot.waitUntil(lambda: not session.is_busy)
    qtbot.wait(600)  # longer than the journal waits
    after = ask(lambda store: tuple(store.connection.execute("SELECT * FROM messages WHERE id = ?", (old.id,))))
    assert [(row["text"], row["state"]) for row in after] == [("Hello there", "stopped")]
    assert [tuple(row) for row in after] == [tuple(row) for row in committed]
    assert fake_engine.commands.index(Cancel(request_id)) < fake_engine.commands.index(fake_engine.submits[1])


def test_edit_of_a_message_that_is_not_shown_goes_back_to_its_writer(make_session, run_async, say, qtbot):
    session, draft = make_session(), Draft("Uno", edits="gone")
    say(session, "One")
    with qtbot.waitSignals([session.not_sent, session.trouble]):
        assert not run_async(session.send(draft))
    assert texts_of(session) == ["One", "Hello there"]


def test_another_reply_has_the_same_prompt_and_a_seed_of_its_own(make_session, run_async, say, qtbot, fake_engine):
    session = make_session()
    say(session, "One", "Two")
    first = session.messages[1]
    assert run_async(session.regenerate(first.id))
    qtbot.waitUntil(lambda: not session.is_busy)
    before, again = fake_engine.submits[0], fake_engine.submits[-1]
    assert before.turns == again.turns == (Turn("user", "One"),)
    assert before.sampling.seed != again.sampling.seed
    assert session.siblings[session.messages[-1].id] == (first.id, session.messages[-1].id)
    assert len(session.messages) == 2


def test_running_reply_is_stopped_before_another_one_begins(make_session, run_async, qtbot, fake_engine, ask):
    fake_engine.ending = None
    session = make_session()
    run_async(session.send(Draft("One")))
    qtbot.waitUntil(lambda: session.running.text == "Hello there")
    first = session.messages[1].id
    assert run_async(session.regenerate(first))
    assert session.is_busy
    qtbot.waitUntil(lambda: session.running.text == "Hello there")
    run_async(session.choose(first))
    assert session.messages[-1].state is ReplyState.STOPPED


def test_chosen_branch_is_shown_with_all_that_follows_it(make_session, run_async, say, qtbot):
    session = make_session()
    say(session, "One", "Two")
    first = session.messages[0].id
    run_async(session.send(Draft("Uno", edits=first)))
    qtbot.waitUntil(lambda: not session.is_busy)
    assert session.sibling_of(session.messages[0].id, -1) == first
    with qtbot.waitSignal(session.path_changed):
        assert run_async(session.choose(first))
    assert texts_of(session) == ["One", "Hello there", "Two", "Hello there"]
    assert session.sibling_of(first, -1) == ""
    assert texts_of(reopened(make_session, run_async, session)) == texts_of(session)


def test_reply_goes_on_while_another_branch_is_shown(make_session, run_async, say, qtbot, fake_engine):
    fake_engine.script, fake_engine.delay_seconds = deltas_of(" ".join("abcdefgh")), 0.02
    session, seen = make_session(), []
    say(session, "One")
    first = session.messages[1].id
    run_async(session.regenerate(first))
    second = session.messages[1].id
    run_async(session.choose(first))
    session.reply_extended.connect(seen.append)
    assert session.is_busy
    qtbot.waitUntil(lambda: not session.is_busy)
    assert seen == []
    run_async(session.choose(second))
    assert session.messages[-1].text == "a b c d e f g h"


def test_reply_that_runs_in_another_branch_is_joined_where_the_chat_is_opened(
    make_session, run_async, say, qtbot, fake_engine
):
    session = make_session()
    say(session, "One")
    first, fake_engine.ending = session.messages[1].id, None
    run_async(session.regenerate(first))
    run_async(session.choose(first))
    session.close()
    other = reopened(make_session, run_async, session)
    assert other.is_busy
    other.stop()
    qtbot.waitUntil(lambda: not other.is_busy)


def test_what_is_sent_after_a_branch_was_begun_follows_the_message(make_session, run_async, say, fake_engine):
    session = make_session()
    say(session, "One", "Two")
    reply, second = session.messages[1], session.messages[2]
    assert run_async(session.branch_from(reply.id))
    assert session.is_branching
    assert texts_of(session) == ["One", "Hello there"]
    say(session, "Zwei")
    assert not session.is_branching
    assert texts_of(session) == ["One", "Hello there", "Zwei", "Hello there"]
    assert session.siblings[session.messages[2].id] == (second.id, session.messages[2].id)


def test_branch_that_was_not_begun_is_taken_back(make_session, run_async, say):
    session = make_session()
    say(session, "One", "Two")
    before = list(session.messages)
    assert not run_async(session.branch_from(before[-1].id))
    assert run_async(session.branch_from(before[1].id))
    assert not session.can_continue
    session.go_back()
    assert session.messages == before
    assert not session.is_branching


def test_deletion_takes_all_that_follows_and_can_be_undone(make_session, run_async, say):
    session = make_session()
    say(session, "One", "Two")
    before = list(session.messages)
    assert run_async(session.delete_from(before[2].id)) == 2
    assert session.messages == before[:2]
    assert run_async(session.undo_deletion())
    assert session.messages == before
    assert not run_async(session.undo_deletion())
    assert reopened(make_session, run_async, session).messages == before


def test_running_reply_that_is_deleted_stops_and_comes_back_as_it_was(
    make_session, run_async, say, qtbot, fake_engine, ask
):
    fake_engine.ending = None
    session = make_session()
    run_async(session.send(Draft("One")))
    qtbot.waitUntil(lambda: session.running.text == "Hello there")
    assert run_async(session.delete_from(session.messages[1].id)) == 1
    assert not session.is_busy
    assert texts_of(session) == ["One"]
    qtbot.wait(600)  # longer than the journal waits
    assert ask(lambda store: len(store.open_conversation(session.conversation_id).messages)) == 1
    run_async(session.undo_deletion())
    assert (session.messages[1].text, session.messages[1].state) == ("Hello there", ReplyState.STOPPED)


def test_chat_of_which_everything_was_deleted_goes_on(make_session, run_async, say):
    session = make_session()
    say(session, "One")
    run_async(session.delete_from(session.messages[0].id))
    assert session.messages == []
    say(session, "Two")
    assert texts_of(session) == ["Two", "Hello there"]
    assert session.title == "One"


def test_message_without_a_reply_is_replied_to(make_session, run_async, say, qtbot):
    session = make_session()
    say(session, "One")
    run_async(session.delete_from(session.messages[1].id))
    assert run_async(session.regenerate(session.messages[0].id))
    qtbot.waitUntil(lambda: not session.is_busy)
    assert texts_of(session) == ["One", "Hello there"]


def test_oldest_turns_are_left_out_from_the_next_message_on(make_session, run_async, say, fake_engine):
    session = make_session()
    say(session, "One", "Two")
    session.leave_out(2)
    assert [turn.text for turn in session.turns_for(Draft("Three"))] == ["Two", "Hello there", "Three"]
    say(session, "Three", "Four")
    assert [turn.text for turn in fake_engine.submits[-1].turns] == [
        "Two",
        "Hello there",
        "Three",
        "Hello there",
        "Four",
    ]
    assert session.num_left_out == 2
    session = reopened(make_session, run_async, session)
    assert session.num_left_out == 2
    run_async(session.include_all())
    assert len(session.turns_for(Draft())) == 8
    assert reopened(make_session, run_async, session).num_left_out == 0


def test_turns_of_a_draft_are_those_that_are_submitted(make_session, run_async, say, fake_engine):
    session = make_session()
    say(session, "One", "Two")
    draft = Draft("Look.", (Attachment("a.md", "x = 1\n```\n"),), edits=session.messages[2].id)
    counted = session.turns_for(draft)
    assert run_async(session.send(draft))
    assert fake_engine.submits[-1].turns == counted
    assert counted[-1].text == "a.md:\n````\nx = 1\n```\n````\n\nLook."


def test_switches_are_kept_with_the_chat(make_session, run_async, say, fake_engine):
    session, switches = make_session(), (("enable_thinking", "off"),)
    run_async(session.choose_switches(switches))
    say(session, "One")
    assert fake_engine.submits[-1].switches == switches
    assert reopened(make_session, run_async, session).switches == switches
    run_async(session.choose_switches(()))
    assert reopened(make_session, run_async, session).switches == ()


def test_three_chats_reply_while_sessions_come_and_go(make_session, run_async, qtbot, fake_engine):
    fake_engine.script = deltas_of(" ".join(str(number) for number in range(60)))
    ids = []
    for _ in range(3):
        session = make_session()
        run_async(session.send(Draft("Count")))
        ids.append(session.conversation_id)
        session.close()
    shown = make_session()
    for conversation_id in ids * 3:
        shown.close()
        shown = make_session()
        run_async(shown.open(conversation_id))
    for conversation_id in ids:
        other = make_session()
        run_async(other.open(conversation_id))
        qtbot.waitUntil(lambda other=other: not other.is_busy)
        assert other.messages[-1].token_ids == tuple(range(1, 61))


def test_files_alone_are_sent_and_name_the_chat(make_session, run_async, fake_engine):
    session = make_session()
    assert run_async(session.send(Draft("", (Attachment("notes.md", "x"),))))
    assert session.title == "notes.md"
    assert session.messages[0].attachments == (Attachment("notes.md", "x"),)
