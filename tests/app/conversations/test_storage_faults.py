"""Full disks, damaged records and clocks that are set back, as the database meets them."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from app.conversations.backups import check_whole
from app.conversations.database import Database, explain
from app.conversations.records import ReplyState
from tests.app.conversations.saved_chats import add_exchange, texts_of


def limit_pages(ask, num_pages):
    """Let the file grow to so many pages; 1 stands for as many as it has."""
    return ask(lambda store: store.connection.execute(f"PRAGMA max_page_count = {num_pages}").fetchone()[0])


def test_o40_full_disk_costs_no_chat_and_saving_goes_on_when_space_returns(ask, database):
    _, reply = ask(lambda store: add_exchange(store, "c", "one", title="T"))
    limit_pages(ask, 1)
    longer = replace(reply, text="x" * 500_000)
    with pytest.raises(sqlite3.OperationalError) as full:
        ask(lambda store: store.save_replies([longer]))
    assert explain(full.value) == "The disk is full."
    with pytest.raises(sqlite3.OperationalError):
        ask(lambda store: add_exchange(store, "d", "y" * 500_000, title="U"))
    assert ask(lambda store: texts_of(store, "c")) == ["one", "re: one"]
    assert [chat.id for chat in ask(lambda store: store.list_conversations()).conversations] == ["c"]
    limit_pages(ask, 1_000_000)
    ask(lambda store: store.save_replies([longer]))
    assert ask(lambda store: texts_of(store, "c"))[-1] == longer.text
    database.close()
    check_whole(database.path)


def test_o40_search_goes_on_where_its_index_cannot_be_written(ask, database, caplog):
    ask(lambda store: add_exchange(store, "c", "lattice", title="T"))
    assert len(database.search.find("lattice", 9).result(5)) == 1
    with closing(sqlite3.connect(database.search.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ask(lambda store: add_exchange(store, "d", "water", title="U"))
        found = [len(database.search.find(word, 9).result(5)) for word in ("lattice", "water")]
    assert found == [1, 0]
    assert "cannot be found yet" in caplog.text
    caplog.clear()
    assert len(database.search.find("water", 9).result(5)) == 1


def test_o42_clock_that_is_set_back_changes_no_order(ask, monkeypatch):
    now = 1.8e9
    monkeypatch.setattr("app.conversations.exchange.time.time", lambda: now)
    _, reply = ask(lambda store: add_exchange(store, "c", "one", title="T"))
    now -= 3600
    ask(lambda store: add_exchange(store, "d", "two", title="U"))
    ask(lambda store: add_exchange(store, "c", "three", reply.id))
    assert [chat.id for chat in ask(lambda store: store.list_conversations()).conversations] == ["c", "d"]
    assert ask(lambda store: texts_of(store, "c")) == ["one", "re: one", "three", "re: three"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE conversations SET title = x'0000', drafter = x'0000', created_at = x'0000' WHERE id = 'bad'",
        "UPDATE conversations SET model = x'00' WHERE id = 'bad'",
        "UPDATE conversations SET updated_at = 'noon' WHERE id = 'bad'",
        "UPDATE conversations SET num_branches = 'two' WHERE id = 'bad'",
    ],
)
def test_o43_damaged_chat_is_named_and_the_others_open(ask, damage):
    for one in ("good", "bad"):
        ask(lambda store, one=one: add_exchange(store, one, f"in {one}", title=one))
    ask(lambda store: store.connection.execute(damage))
    listing = ask(lambda store: store.list_conversations())
    assert [chat.id for chat in listing.conversations] == ["good"]
    assert len(listing.damaged) == 1
    assert "could not be read" in listing.damaged[0]
    assert ask(lambda store: texts_of(store, "good")) == ["in good", "re: in good"]


def test_o43_chat_whose_pages_are_damaged_is_named_and_the_others_open(tmp_path, caplog):
    database = Database(tmp_path)
    for one in ("good", "bad"):
        database.run(lambda store, one=one: add_exchange(store, one, one * 10_000, title=one)).result(5)
    database.close()
    data = bytearray(database.path.read_bytes())
    place = data.index(b"badbadbad") // 4096 * 4096
    with closing(sqlite3.connect(database.path)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (4096,)
    data[place : place + 4096] = b"\xff" * 4096  # a page in the middle of a long text
    database.path.write_bytes(data)
    database = Database(tmp_path)
    assert database.opened.result(5) == ""
    opened = database.run(lambda store: store.open_conversation("bad")).result(5)
    texts = database.run(lambda store: texts_of(store, "good")).result(5)
    database.close()
    assert [text[:4] for text in texts] == ["good", "re: "]
    assert len(opened.damaged) + len(opened.messages) == 2
    assert all("could not be read" in sentence for sentence in opened.damaged)
    caplog.clear()  # the search may have met the page


def test_o45_message_deleted_in_mid_reply_stays_deleted_and_comes_back_as_it_was(ask):
    user, _ = ask(lambda store: add_exchange(store, "c", "one", title="T"))
    running = replace(user, id="r", parent_id=user.id, role="assistant", text="so", state=ReplyState.RUNNING)
    ask(lambda store: store.add_message(running))
    deleted = ask(lambda store: store.delete_message("r"))
    ask(lambda store: store.save_replies([replace(running, text="so far", state=ReplyState.STOPPED)]))
    assert ask(lambda store: texts_of(store, "c")) == ["one", "re: one"]
    ask(lambda store: store.restore_messages(deleted))
    assert ask(lambda store: texts_of(store, "c")) == ["one", "so"]
    ask(lambda store: store.delete_conversation("c"))
    ask(lambda store: store.save_replies([running]))
    assert ask(lambda store: store.connection.execute("SELECT count(*) FROM messages").fetchone()[0]) == 0
