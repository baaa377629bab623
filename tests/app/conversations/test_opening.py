import sqlite3
import stat
from contextlib import closing

import pytest

from app.conversations.database import FILE_NAME, Database
from app.conversations.opening import StorageError, open_database
from app.conversations.records import Conversation
from app.conversations.schema import MIGRATIONS

CHAT = Conversation("c", "T", "m", "none", 1.0, 1.0)


def titles_in(folder):
    database = Database(folder)
    try:
        listing = database.run(lambda store: store.list_conversations()).result(5)
        return [conversation.title for conversation in listing.conversations]
    finally:
        database.close()


@pytest.fixture
def saved_folder(tmp_path):
    """A folder with one conversation in it."""
    database = Database(tmp_path)
    database.run(lambda store: store.create_conversation(CHAT)).result(5)
    database.close()
    return tmp_path


def test_conversations_are_there_at_the_next_start(saved_folder):
    assert titles_in(saved_folder) == ["T"]


def test_files_are_for_the_user_alone(database):
    database.run(lambda store: store.create_conversation(CHAT)).result(5)
    files = list(database.path.parent.iterdir())
    assert len(files) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(database.path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_unreadable_file_is_set_aside_and_told(tmp_path, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    database = Database(tmp_path)
    sentence = database.opened.result(5)
    assert database.run(lambda store: store.list_conversations()).result(5).conversations == ()
    database.close()
    (kept,) = tmp_path.glob("*.damaged-*.sqlite")
    assert kept.read_bytes() == content
    assert str(kept) in sentence


def test_truncated_file_is_set_aside(saved_folder):
    path = saved_folder / FILE_NAME
    path.write_bytes(path.read_bytes()[:4096])
    assert titles_in(saved_folder) == []
    assert len(list(saved_folder.glob("*.damaged-*.sqlite"))) == 1


def test_database_of_another_program_is_set_aside(tmp_path):
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.execute("CREATE TABLE recipes (name)")
    assert titles_in(tmp_path) == []
    assert len(list(tmp_path.glob("*.damaged-*.sqlite"))) == 1


def test_later_format_is_refused_and_nothing_is_touched(saved_folder):
    path = saved_folder / FILE_NAME
    with closing(sqlite3.connect(path)) as later:
        later.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    database = Database(saved_folder)
    with pytest.raises(StorageError, match="saved by a later Slipstream"):
        database.opened.result(5)
    with pytest.raises(StorageError):
        database.run(lambda store: store.list_conversations()).result(5)
    database.close()
    assert path.read_bytes() == before
    assert not list(saved_folder.glob("*.damaged-*.sqlite"))


def test_migration_keeps_a_copy_of_the_earlier_format(saved_folder):
    path = saved_folder / FILE_NAME
    opened = open_database(path, (*MIGRATIONS, lambda connection: connection.execute("DELETE FROM conversations")))
    with closing(opened.connection) as connection:
        assert connection.execute("SELECT count(*) FROM conversations").fetchone()[0] == 0
    copy = path.with_name(f"conversations.before-format-{len(MIGRATIONS) + 1}.sqlite")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as backup:
        assert backup.execute("SELECT title FROM conversations").fetchall() == [("T",)]


def test_failed_migration_leaves_the_earlier_format(saved_folder):
    path = saved_folder / FILE_NAME
    steps = (
        *MIGRATIONS,
        lambda connection: connection.execute("DELETE FROM conversations"),
        lambda connection: connection.execute("SELECT nothing"),
    )
    with pytest.raises(StorageError):
        open_database(path, steps)
    assert titles_in(saved_folder) == ["T"]


def test_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    database = Database(tmp_path / "missing")
    with pytest.raises(StorageError, match="cannot be opened"):
        database.opened.result(5)
    database.close()


def test_two_programs_write_in_turns(saved_folder):
    first, second = Database(saved_folder), Database(saved_folder)
    writes = [
        database.run(lambda store, n=n: store.rename_conversation("c", str(n)))
        for n in range(50)
        for database in (first, second)
    ]
    for write in writes:
        write.result(10)
    first.close()
    second.close()
    assert titles_in(saved_folder) == ["49"]


def test_close_finishes_what_was_asked_for(tmp_path):
    database = Database(tmp_path)
    writes = [
        database.run(lambda store, n=n: store.create_conversation(Conversation(str(n), "T", "m", "none", 1.0, 1.0)))
        for n in range(20)
    ]
    database.close()
    assert all(write.done() and write.exception() is None for write in writes)


def test_chats_of_the_first_format_are_kept_with_their_branches_counted(tmp_path):
    with closing(open_database(tmp_path / FILE_NAME, MIGRATIONS[:1]).connection) as first:
        first.execute("INSERT INTO conversations VALUES ('c', 'T', 'm', 'none', NULL, 1, 1.0, 1.0)")
        for message_id, parent_id in (("r", None), ("a", "r"), ("b", "r")):
            values = (message_id, "c", parent_id, "user", "complete", "", 0, 0.0, "", "", "", "", 1.0, 1.0, "", "[]")
            first.execute(
                f"INSERT INTO messages VALUES (NULL, ?, ?, ?, NULL, {', '.join('?' * 13)}, NULL, ?, x'')",
                (*values, message_id),
            )
    database = Database(tmp_path)
    opened = database.run(lambda store: store.open_conversation("c")).result(5)
    database.close()
    assert opened.conversation == Conversation("c", "T", "m", "none", 1.0, 1.0, num_branches=2)
    assert [message.text for message in opened.messages] == ["r", "b"]
