import pytest

from app.conversations.catalogue import Catalogue
from engine.messages import Cancel


@pytest.fixture
def catalogue(database, recorder):
    return Catalogue(database, recorder)


def test_refresh_lists_the_latest_used_first(catalogue, make_session, run_async, qtbot):
    first, second = make_session(), make_session()
    for session, text in ((first, "One"), (second, "Two"), (first, "Again")):
        run_async(session.send(text))
        qtbot.waitUntil(lambda session=session: not session.is_busy)
    with qtbot.waitSignal(catalogue.conversations_changed):
        run_async(catalogue.refresh())
    assert [conversation.title for conversation in catalogue.conversations] == ["One", "Two"]


def test_rename_reaches_the_list_and_the_session(catalogue, make_session, run_async):
    session = make_session()
    catalogue.renamed.connect(session.apply_title)
    run_async(session.send("One"))
    run_async(catalogue.rename(session.conversation_id, "  Better \n title "))
    assert session.title == catalogue.conversations[0].title == "Better title"


def test_deleting_stops_the_reply_and_writes_nothing_afterwards(
    catalogue, make_session, fake_engine, recorder, run_async, ask, qtbot
):
    fake_engine.ending = None
    session = make_session()
    run_async(session.send("One"))
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
