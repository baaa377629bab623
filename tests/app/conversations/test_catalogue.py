import asyncio
import sqlite3

import pytest

from app.chat.draft import Draft
from app.conversations.catalogue import Catalogue
from app.conversations.store import Store
from engine.messages import Cancel
from tests.app.conversations.saved_chats import add_exchange, texts_of


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
    run_async(catalogue.delete((session.conversation_id,)))
    qtbot.waitUntil(lambda: not session.is_busy)
    assert fake_engine.commands[-1] == Cancel(fake_engine.submits[0].request_id)
    assert recorder.flush()
    assert catalogue.conversations == ()
    assert ask(lambda store: store.connection.execute("SELECT count(*) FROM messages").fetchone()[0]) == 0


def test_trouble_is_said_in_a_sentence(catalogue, database, run_async, qtbot):
    database.run(lambda store: store.connection.execute("PRAGMA query_only = ON")).result(5)
    with qtbot.waitSignal(catalogue.trouble) as trouble:
        run_async(catalogue.delete(("c",)))
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
        run_async(catalogue.delete((session.conversation_id,)))
    assert not any(isinstance(command, Cancel) for command in fake_engine.commands)
    qtbot.waitUntil(lambda: session.running.text == "Hello there")


def test_chats_are_pinned_and_put_into_folders(catalogue, ask, run_async):
    for one in "cd":
        ask(lambda store, one=one: add_exchange(store, one, "text", title="T"))
    run_async(catalogue.set_pinned(("c",), True))
    run_async(catalogue.set_folder(("c",), " Wo\nrk "))
    run_async(catalogue.set_folder(("d",), "Other"))
    run_async(catalogue.rename_folder("Other", "Wo rk"))
    assert {(one.id, one.folder, one.is_pinned) for one in catalogue.conversations} == {
        ("c", "Wo rk", True),
        ("d", "Wo rk", False),
    }
    run_async(catalogue.rename_folder("Wo rk", "\n"))
    assert {one.folder for one in catalogue.conversations} == {"Wo rk"}
    run_async(catalogue.remove_folder("Wo rk"))
    assert {one.folder for one in catalogue.conversations} == {""}


def test_copy_is_listed_first(catalogue, ask, run_async):
    user, _ = ask(lambda store: add_exchange(store, "c", "text", title="T"))
    copy_id = run_async(catalogue.duplicate("c"))
    assert [(one.id, one.title) for one in catalogue.conversations] == [(copy_id, "T copy"), ("c", "T")]
    path_id = run_async(catalogue.duplicate("c", user.id))
    assert ask(lambda store: texts_of(store, path_id)) == ["text"]


def test_chat_that_is_gone_is_not_duplicated_and_that_is_said(catalogue, run_async, qtbot):
    with qtbot.waitSignal(catalogue.trouble) as trouble:
        assert run_async(catalogue.duplicate("nowhere")) is None
    assert trouble.args == ["The conversation could not be duplicated. This conversation is no longer there."]


def test_search_leaves_out_what_is_hidden_and_what_was_asked_before(catalogue, ask, run_async):
    for one in "cd":
        ask(lambda store, one=one: add_exchange(store, one, "lattice", title="T"))
    catalogue.hide(("d",))

    async def type_quickly():
        return await asyncio.gather(catalogue.search("latt"), catalogue.search("lattice"))

    earlier, latest = run_async(type_quickly())
    assert ([hit.conversation_id for hit in latest], earlier) == (["c"], None)


def test_search_that_fails_says_so(catalogue, database, run_async, qtbot):
    database.opened.result(5)
    database.search.path.mkdir()
    with qtbot.waitSignal(catalogue.trouble) as trouble:
        assert run_async(catalogue.search("lattice")) is None
    assert trouble.args[0].startswith("The chats could not be searched.")
