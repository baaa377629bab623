import sqlite3

import pytest

from app.chat.draft import Draft
from app.conversations.catalogue import Catalogue
from app.conversations.store import Store
from engine.messages import Cancel


@pytest.fixture
def catalogue(database, recorder):
    return Catalogue(database, recorder)


def test_refresh_lists_the_latest_used_first(catalogue, make_session, run_async, qtbot):
    first, second = make_session(), make_session()
    for session, text in ((first, "One"), (second, "Two"), (first, "Again")):
        run_async(session.send(Draft(text)))
        qtbot.waitUntil(lambda session=session: not session.is_busy)
    with qtbot.waitSignal(catalogue.conversations_changed):
        run_async(catalogue.refresh())
    assert [conversation.title for conversation in catalogue.conversations] == ["One", "Two"]


def test_rename_reaches_the_list_and_the_session(catalogue, make_session, run_async):
    session = make_session()
    catalogue.renamed.connect(session.apply_title)
    run_async(session.send(Draft("One")))
    run_async(catalogue.rename(session.conversation_id, "  Better \n title "))
    assert session.title == catalogue.conversations[0].title == "Better title"


def test_deleting_stops_the_reply_and_writes_nothing_afterwards(
    catalogue, make_session, fake_engine, recorder, run_async, ask, qtbot
):
    fake_engine.ending = None
    session = make_session()
    run_async(session.send(Draft("One")))
    run_async(catalogue.delete(session.conversation_id))
    qtbot.waitUntil(lambda: not session.is_busy)
    assert fake_engine.commands[-1] == Cancel(fake_engine.submits[0].request_id)
    assert recorder.flush()
    assert catalogue.conversations == ()
    assert ask(lambda store: store.connection.execute("SELECT count(*) FROM messages").fetchone()[0]) == 0


def test_trouble_is_said_in_a_sentence(catalogue, database, run_async, qtbot):
    database.run(lambda store: store.connection.execute("PRAGMA query_only = ON")).result(5)
    with qtbot.waitSignal(catalogue.trouble) as trouble:
        run_async(catalogue.delete("c"))
    assert trouble.args[0].startswith("The conversation could not be deleted.")


def test_title_that_cannot_be_read_does_not_hide_the_chat(catalogue, make_session, run_async, ask):
    session = make_session()
    run_async(session.send(Draft("One")))
    for title in ("\0\0", b"\x01"):
        ask(lambda store, title=title: store.rename_conversation(session.conversation_id, title))
        run_async(catalogue.refresh())
        assert [conversation.title for conversation in catalogue.conversations] == [""]
        assert run_async(make_session().open(session.conversation_id))


def test_rename_leaves_controls_and_half_characters_out(catalogue, make_session, run_async):
    session = make_session()
    run_async(session.send(Draft("One")))
    run_async(catalogue.rename(session.conversation_id, "Bet\0ter\ud83d"))
    assert catalogue.conversations[0].title == "Better"


def test_conversation_that_cannot_be_read_is_told_once(catalogue, make_session, run_async, ask):
    session, troubles = make_session(), []
    run_async(session.send(Draft("One")))
    ask(lambda store: store.connection.execute("UPDATE conversations SET model = x'00'"))
    catalogue.trouble.connect(troubles.append)
    for _ in range(2):
        run_async(catalogue.refresh())
    assert len(troubles) == 1
    assert "could not be read" in troubles[0]


def test_reply_goes_on_where_its_chat_could_not_be_deleted(
    catalogue, make_session, fake_engine, run_async, qtbot, monkeypatch
):
    def fail(store, conversation_id):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Store, "delete_conversation", fail)
    fake_engine.ending = None
    session = make_session()
    run_async(session.send(Draft("One")))
    with qtbot.waitSignal(catalogue.trouble):
        run_async(catalogue.delete(session.conversation_id))
    assert not any(isinstance(command, Cancel) for command in fake_engine.commands)
    qtbot.waitUntil(lambda: session.running.text == "Hello there")
