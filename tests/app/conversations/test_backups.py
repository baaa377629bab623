import asyncio
import os
import sqlite3
import stat
import time
from contextlib import closing

import pytest

from app.conversations.backups import DAY_SECONDS, BackupEndedError, Backups
from app.conversations.catalogue import Catalogue
from app.conversations.database import Database
from app.conversations.opening import open_database
from app.conversations.records import Conversation
from app.conversations.schema import MIGRATIONS
from app.tasks import finish
from tests.app.conversations.saved_chats import add_exchange, texts_of


@pytest.fixture
def saved(tmp_path):
    """A folder with the chat "c" of one exchange, and its backups."""
    database = Database(tmp_path)
    database.run(lambda store: add_exchange(store, "c", "one", title="T")).result(5)
    yield database
    database.close()


def age(path, seconds):
    at = time.time() - seconds
    os.utime(path, (at, at))


def damage(path):
    """Overwrite all but the first page, as a bad disk may."""
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)


def reopen(folder):
    """The sentence of the start, and the first chat's texts."""
    database = Database(folder)
    try:
        sentence = database.opened.result(5)
        chats = database.run(lambda store: store.list_conversations()).result(5).conversations
        texts = database.run(lambda store: texts_of(store, chats[0].id) if chats else []).result(5)
        return sentence, texts, database.set_aside
    finally:
        database.close()


def test_backup_is_whole_and_for_the_user_alone(saved):
    copy = saved.backups.take()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (2,)


def test_backup_takes_one_moment_and_keeps_no_writer_waiting(saved):
    with closing(sqlite3.connect(saved.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE conversations SET title = 'later'")
        copy = saved.backups.take()
        writer.execute("COMMIT")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT title FROM conversations").fetchone() == ("T",)


class Watched(Backups):
    """Calls something between the steps of a copy."""

    def __init__(self, path, act):
        super().__init__(path)
        self._act = act

    def is_ended(self):
        self._act()
        return super().is_ended()


@pytest.fixture
def in_small_steps(saved, monkeypatch):
    monkeypatch.setattr("app.conversations.backups._PAGES", 1)
    monkeypatch.setattr("app.conversations.backups._INSTRUCTIONS", 10)
    return saved


def test_backup_has_nothing_that_is_written_after_it_began(in_small_steps):
    with closing(sqlite3.connect(in_small_steps.path, isolation_level=None)) as writer:
        copy = Watched(
            in_small_steps.path, lambda: writer.execute("UPDATE conversations SET title = title || '!'")
        ).take()
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT title FROM conversations").fetchone() == ("T",)


@pytest.mark.parametrize("num_steps", [0, 1, 5, 20, 40])
def test_backup_is_ended_at_any_step_and_leaves_nothing(in_small_steps, num_steps):
    earlier = in_small_steps.backups.take()
    age(earlier, 60)
    steps = []

    def act():
        steps.append(1)
        if len(steps) > num_steps:
            backups.end()

    backups = Watched(in_small_steps.path, act)
    with pytest.raises(BackupEndedError):
        backups.take()
    assert len(steps) >= num_steps
    assert list(backups.folder.iterdir()) == [earlier]


def test_close_ends_the_backup_that_runs_without_a_word(in_small_steps, recorder, run_async):
    catalogue = Catalogue(in_small_steps, recorder)
    told = []
    catalogue.trouble.connect(told.append)
    run_async(catalogue.refresh())
    catalogue.leave()
    run_async(catalogue.back_up())
    assert (in_small_steps.backups.kept(), told) == ([], [])


def test_what_a_killed_backup_left_is_removed(saved):
    saved.backups.folder.mkdir()
    for ending in (".part", ".part-journal"):
        (saved.backups.folder / f"conversations-20200101-000000.sqlite{ending}").write_text("half")
    copy = saved.backups.take()
    assert list(copy.parent.iterdir()) == [copy]


def test_copy_of_an_earlier_format_goes_after_30_days(saved):
    earlier = [saved.path.with_name(f"conversations.before-format-{name}.sqlite") for name in ("2", "3")]
    for copy, days in zip(earlier, (31, 29), strict=True):
        copy.write_bytes(saved.path.read_bytes())
        age(copy, days * DAY_SECONDS)
    saved.backups.take()
    assert [copy.exists() for copy in earlier] == [False, True]


def test_three_backups_are_kept_and_one_is_due_each_day(saved):
    assert saved.backups.is_due()
    for days in (4, 3, 2, 1):
        copy = saved.backups.take()
        copy = copy.rename(copy.with_name(f"{saved.path.stem}-{days}.sqlite"))
        age(copy, days * DAY_SECONDS - 60)
    assert not saved.backups.is_due()
    saved.backups.take()
    assert len(saved.backups.kept()) == 3
    for seconds in (DAY_SECONDS + 60, -DAY_SECONDS - 60):  # the clock may have been set back
        for copy in saved.backups.kept():
            age(copy, seconds)
        assert saved.backups.is_due()


def test_damaged_chats_are_not_copied_over_a_sound_backup(saved):
    copy = saved.backups.take()
    saved.close()
    damage(saved.path)
    with pytest.raises(sqlite3.DatabaseError):
        Backups(saved.path).take()
    assert saved.backups.kept() == [copy]
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]


def test_latest_sound_backup_takes_the_place_of_a_damaged_file(saved, tmp_path, caplog):
    earlier = saved.backups.take()
    earlier = earlier.rename(earlier.with_name("conversations-1.sqlite"))
    age(earlier, 60)
    saved.run(lambda store: add_exchange(store, "c", "two", store.open_conversation("c").messages[-1].id)).result(5)
    damaged_copy = saved.backups.take()
    saved.close()
    damage(damaged_copy)
    saved.path.write_bytes(b"\0" * 10_000)
    sentence, texts, set_aside = reopen(tmp_path)
    assert texts == ["one", "re: one"]
    assert set_aside.backup == earlier
    assert set_aside.file.read_bytes() == b"\0" * 10_000
    assert sentence.startswith("The chats file was damaged and set aside. The backup of ")
    assert sentence.endswith("was opened; later messages may be missing.")
    assert "cannot be used" in caplog.text
    caplog.clear()


def test_messages_that_the_backup_lacks_are_counted_where_the_damaged_file_tells(saved, tmp_path):
    saved.backups.take()
    for number in range(40):
        saved.run(lambda store, n=number: add_exchange(store, str(n), "x" * 3000, title="T")).result(5)
    saved.close()
    with closing(sqlite3.connect(saved.path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DROP TABLE conversations")
    sentence, texts, set_aside = reopen(tmp_path)
    assert (texts, set_aside.num_missing) == (["one", "re: one"], 80)
    assert "80 later messages may be missing." in sentence


def test_backup_of_an_earlier_format_is_migrated(tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    with closing(open_database(folder / "conversations-1.sqlite", MIGRATIONS[:1]).connection) as first:
        first.execute("INSERT INTO conversations VALUES ('c', 'T', 'm', 'none', NULL, 1, 1.0, 1.0)")
    (tmp_path / "conversations.sqlite").write_bytes(b"damaged" * 1000)
    sentence, _, set_aside = reopen(tmp_path)
    assert set_aside.backup is not None
    assert "was opened" in sentence


def test_search_finds_what_the_backup_has_and_nothing_else(saved, tmp_path):
    saved.backups.take()
    saved.run(lambda store: add_exchange(store, "later", "lattice", title="U")).result(5)
    assert len(saved.search.find("lattice", 9).result(5)) == 1
    saved.close()
    saved.path.write_bytes(b"damaged" * 1000)
    database = Database(tmp_path)
    database.run(lambda store: add_exchange(store, "new", "crystal", title="V")).result(5)
    found = [[hit.title for hit in database.search.find(word, 9).result(5)] for word in ("lattice", "crystal", "one")]
    database.close()
    assert found == [[], ["V"], ["T"]]


def test_catalogue_backs_up_once_there_are_chats(database, recorder, ask, run_async):
    catalogue = Catalogue(database, recorder)
    run_async(catalogue.refresh())
    run_async(catalogue.back_up())
    assert database.backups.kept() == []
    ask(lambda store: store.create_conversation(Conversation("c", "T", "m", "none", 1.0, 1.0)))
    run_async(catalogue.refresh())
    run_async(catalogue.back_up())
    run_async(catalogue.back_up())
    assert len(database.backups.kept()) == 1


def test_backup_that_fails_is_told(database, recorder, ask, run_async, qtbot):
    catalogue = Catalogue(database, recorder)
    ask(lambda store: store.create_conversation(Conversation("c", "T", "m", "none", 1.0, 1.0)))
    run_async(catalogue.refresh())
    Backups(database.path).folder.write_text("in the way")
    with qtbot.waitSignal(catalogue.trouble) as trouble:
        run_async(catalogue.back_up())
    assert trouble.args[0].startswith("The daily backup of the chats was not made.")


def test_no_backup_is_begun_once_the_database_is_closed(saved, recorder, run_async, qtbot, monkeypatch):
    monkeypatch.setattr("app.conversations.catalogue.FIRST_BACKUP_MILLISECONDS", 10)
    catalogue = Catalogue(saved, recorder)
    run_async(catalogue.refresh())
    saved.close()
    qtbot.wait(50)
    assert saved.backups.kept() == []


def test_backup_is_begun_a_while_after_the_start(database, recorder, ask, run_async, qtbot, monkeypatch):
    monkeypatch.setattr("app.conversations.catalogue.FIRST_BACKUP_MILLISECONDS", 10)
    catalogue = Catalogue(database, recorder)
    ask(lambda store: store.create_conversation(Conversation("c", "T", "m", "none", 1.0, 1.0)))
    run_async(catalogue.refresh())

    async def wait():
        while not database.backups.kept():
            await asyncio.sleep(0.01)
        await finish()

    run_async(asyncio.wait_for(wait(), 5))
