import sqlite3
from contextlib import closing, suppress
from dataclasses import replace

import pytest

from app.conversations import unfinished
from app.conversations.database import Database
from app.conversations.records import Attachment, ReplyState
from tests.app.conversations.saved_chats import add_exchange, damage_index


@pytest.fixture
def find(database):
    """Look for words in all chats."""
    return lambda query, limit=50: database.search.find(query, limit).result(10)


def ids_of(hits):
    return [hit.conversation_id for hit in hits]


def test_chat_is_found_by_its_text_and_shown_with_the_words_marked(ask, find):
    _, reply = ask(lambda store: add_exchange(store, "c", "Why does  Ice\nfloat on water?", title="Physics"))
    ask(lambda store: add_exchange(store, "d", "Something else", title="Other"))
    (hit,) = find("ÎCE flo")
    assert (hit.conversation_id, hit.title, hit.updated_at) == ("c", "Physics", reply.created_at)
    assert [hit.excerpt[start:end] for start, end in hit.spans] == ["Ice", "flo"]
    assert "Ice float on water?" in hit.excerpt


def test_tags_around_reasoning_are_neither_found_nor_shown(ask, find):
    _, reply = ask(lambda store: add_exchange(store, "c", "why", title="T"))
    ask(lambda store: store.save_replies([replace(reply, text="<think>\nA lake.\n</think>\n\nIt freezes.")]))
    (hit,) = find("lake")
    assert "think" not in hit.excerpt
    assert hit.excerpt.startswith("A lake.")
    assert find("think") == ()
    (hit,) = find("freezes")
    assert "think" not in hit.excerpt


def test_title_comes_first_and_needs_no_message(ask, find):
    ask(lambda store: add_exchange(store, "c", "x", title="The lattice"))
    ask(lambda store: add_exchange(store, "d", "a lattice", title="Other"))
    first, second = find("LATTICE")
    assert (first.conversation_id, first.message_id, first.excerpt, first.title_spans) == ("c", "", "", ((4, 11),))
    assert (second.conversation_id, second.title_spans) == ("d", ())


def test_each_chat_is_named_once_with_its_latest_message_that_matches(ask, find):
    _, reply = ask(lambda store: add_exchange(store, "c", "ice", title="T"))
    ask(lambda store: add_exchange(store, "d", "ice", title="U"))
    later, answer = ask(lambda store: add_exchange(store, "c", "more ice", reply.id))
    hits = find("ice")
    assert ids_of(hits) == ["c", "d"]
    assert hits[0].message_id == answer.id != later.id
    assert ids_of(find("ice", limit=1)) == ["c"]


@pytest.mark.parametrize("query", ["語", "本語", "ab", 'a"b', "100%", "_x", "AND", "日本語"])
def test_short_words_and_signs_are_looked_for_as_they_are(ask, find, query):
    ask(lambda store: add_exchange(store, "c", 'die 日本語 ab a"b 100% _x and', title="T"))
    ask(lambda store: add_exchange(store, "d", "100 x", title="U"))
    assert ids_of(find(query)) == ["c"]


@pytest.mark.parametrize("query", ["", "  ", "\0", "\u0301"])
def test_nothing_to_look_for_finds_nothing(ask, find, query):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    assert find(query) == ()


def test_attachment_is_searched_with_its_name(ask, find):
    user, _ = ask(lambda store: add_exchange(store, "c", "one", title="T"))
    quoted = replace(user, attachments=(Attachment("notes.txt", "the lattice"),))
    ask(lambda store: store.save_replies([quoted]))
    assert [hit.excerpt for hit in find("lattice")] == ["the lattice"]
    assert [hit.excerpt for hit in find("notes.txt")] == ["notes.txt"]


def test_reply_is_found_once_it_has_ended_and_as_it_ended(ask, find):
    user, _ = ask(lambda store: add_exchange(store, "c", "one", title="T"))
    reply = replace(user, id="r", parent_id=user.id, role="assistant", text="", state=ReplyState.RUNNING)
    ask(lambda store: store.add_message(reply))
    ask(lambda store: store.save_replies([replace(reply, text="lattice")]))
    assert find("lattice") == ()
    ask(lambda store: store.save_replies([replace(reply, text="lattice of ice", state=ReplyState.STOPPED)]))
    assert [hit.excerpt for hit in find("lattice")] == ["lattice of ice"]


def test_chats_of_an_import_are_not_found_before_all_are_there(ask, find):
    for name in ("c", "d"):
        ask(lambda store, name=name: add_exchange(store, name, "ice", title="lattice"))
    ask(lambda store: unfinished.begin(store.connection, ["d"]))
    assert ids_of(find("ice")) == ids_of(find("lattice")) == ids_of(find("ice", limit=1)) == ["c"]
    ask(lambda store: unfinished.finish(store.connection, ["d"]))
    assert sorted(ids_of(find("ice"))) == ["c", "d"]


def test_what_is_deleted_is_not_found_and_what_is_put_back_is(ask, find):
    user, _ = ask(lambda store: add_exchange(store, "c", "lattice", title="T"))
    deleted = ask(lambda store: store.delete_message(user.id))
    assert find("lattice") == ()
    ask(lambda store: store.restore_messages(deleted))
    assert ids_of(find("lattice")) == ["c"]
    ask(lambda store: store.delete_conversation("c"))
    assert find("lattice") == ()


@pytest.mark.parametrize("content", [None, b"", b"not a database" * 500])
def test_index_that_is_lost_or_damaged_is_made_anew(ask, database, find, content, caplog):
    ask(lambda store: add_exchange(store, "c", "lattice", title="T"))
    assert ids_of(find("lattice")) == ["c"]
    path = database.search.path
    database.search.close()
    for file in path.parent.glob(path.name + "*"):
        file.unlink()
    if content is not None:
        path.write_bytes(content)
    database.search = type(database.search)(database.path, database.run)
    database.search.catch_up().result(10)
    assert ids_of(find("lattice")) == ["c"]
    assert ("damaged" in caplog.text) == bool(content)
    caplog.clear()


INDEXES = [
    "messages_by_chosen_child",
    "messages_by_conversation",
    "messages_by_parent",
    "conversations_by_activity",
    "conversations_by_root",
]


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("is_new", [True, False])
def test_damage_of_the_chats_costs_no_index_and_ends(tmp_path, index, is_new, caplog):
    database = Database(tmp_path)
    for number in range(300):
        database.run(lambda store, n=number: add_exchange(store, f"c{n}", "lattice", title="T")).result(5)
    if not is_new:
        database.search.catch_up().result(20)
    database.close()
    damage_index(database.path, index)
    database = Database(tmp_path)
    database.search.catch_up().result(20)
    database.search.catch_up().result(20)
    with suppress(sqlite3.DatabaseError):
        database.search.find("lattice", 9).result(20)
    database.close()
    assert "is made anew" not in caplog.text
    caplog.clear()


def test_index_that_is_damaged_in_the_middle_of_a_session_is_made_anew(ask, database, find, caplog):
    for number in range(200):
        ask(lambda store, n=number: add_exchange(store, f"c{n}", f"lattice {n}", title="T"))
    database.search.catch_up().result(20)
    database.search.close()
    data = bytearray(database.search.path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    database.search.path.write_bytes(data)
    database.search = type(database.search)(database.path, database.run)
    database.search.catch_up().result(20)
    assert len(find("lattice")) == 50
    assert "is made anew" in caplog.text
    caplog.clear()


def test_index_is_made_anew_for_a_backup_that_has_as_many_messages(tmp_path):
    database = Database(tmp_path)
    database.run(lambda store: add_exchange(store, "a", "water", title="T")).result(5)
    database.close()
    backup = database.path.read_bytes()
    database = Database(tmp_path)
    database.run(lambda store: store.delete_conversation("a")).result(5)
    database.run(lambda store: add_exchange(store, "b", "lattice", title="T")).result(5)
    assert len(database.search.find("lattice", 9).result(5)) == 1
    database.close()
    database.path.write_bytes(backup)
    database = Database(tmp_path)
    found = [ids_of(database.search.find(word, 9).result(5)) for word in ("lattice", "water")]
    database.close()
    assert found == [[], ["a"]]


def test_index_that_lost_its_last_changes_is_made_anew(ask, database, find):
    ask(lambda store: add_exchange(store, "a", "water", title="T"))
    find("water")
    earlier = {file: file.read_bytes() for file in database.path.parent.glob("*.search.sqlite*")}
    ask(lambda store: store.save_replies([replace(store.open_conversation("a").messages[0], text="lattice")]))
    find("lattice")
    database.search.close()
    for file, data in earlier.items():
        file.write_bytes(data)
    database.search = type(database.search)(database.path, database.run)
    assert ids_of(find("lattice")) == ["a"]


def test_damaged_message_hides_no_other(ask, find):
    ask(lambda store: add_exchange(store, "c", "lattice", title="T"))
    ask(lambda store: store.connection.execute("UPDATE messages SET text = x'00ff' WHERE role = 'user'"))
    (hit,) = find("lattice")
    assert hit.excerpt == "re: lattice"


def test_index_is_for_the_user_alone(ask, database, find):
    ask(lambda store: add_exchange(store, "c", "lattice", title="T"))
    find("lattice")
    assert database.search.path.stat().st_mode & 0o777 == 0o600


def test_index_of_other_chats_is_made_anew(tmp_path):
    first = Database(tmp_path)
    first.run(lambda store: [add_exchange(store, one, "water", title="T") for one in "abc"]).result(5)
    assert len(first.search.find("water", 9).result(5)) == 3
    first.close()
    first.path.unlink()
    second = Database(tmp_path)
    second.run(lambda store: add_exchange(store, "d", "lattice", title="U")).result(5)
    found = [ids_of(second.search.find(word, 9).result(5)) for word in ("water", "lattice")]
    second.close()
    assert found == [[], ["d"]]
    with closing(sqlite3.connect(second.search.path)) as index:
        assert index.execute("SELECT count(*) FROM texts").fetchone() == (2,)
