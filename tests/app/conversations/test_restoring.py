"""What is killed, full or damaged while a backup takes the place of the chats."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

from app.conversations.backups import Backups
from app.conversations.database import FILE_NAME
from app.conversations.opening import StorageError, open_database
from app.conversations.schema import MIGRATIONS
from tests.app.conversations.saved_chats import damage_index

DAMAGE = b"garbage!" * 1000


def fill(path, num_chats=1, version=None):
    """Make chats of one message each; returns the path."""
    with closing(open_database(path, MIGRATIONS[:version]).connection) as connection:
        connection.execute("BEGIN")
        for number in range(num_chats):
            chat = (f"c{number}", "T", "m", "none", number, 1.0, 1.0)
            names = "id, title, model, drafter, activity, created_at, updated_at"
            connection.execute(f"INSERT INTO conversations ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", chat)
            names = "id, conversation_id, text, role, state, finish_reason, seed, temperature, model, drafter"
            connection.execute(
                f"INSERT INTO messages ({names}, quantisation, tokenizer_id, created_at, updated_at, error, notices, "
                "token_ids) VALUES (?, ?, ?, 'user', 'complete', '', 0, 0, '', '', '', '', 1, 1, '', '[]', x'')",
                (f"m{number}", f"c{number}", "water " * 100),
            )
        connection.execute("COMMIT")
    return path


def reopen(path, migrations=MIGRATIONS):
    """The number of chats and the sentence of the start."""
    opened = open_database(path, migrations)
    with closing(opened.connection) as connection:
        return connection.execute("SELECT count(*) FROM conversations").fetchone()[0], opened.problem


@contextmanager
def files_of_at_most(num_bytes):
    """A disk that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture
def path(data_dir):
    return data_dir / FILE_NAME


def test_start_that_is_killed_anywhere_in_a_restore_costs_no_chat(path):
    Backups(fill(path)).take()
    path.write_bytes(DAMAGE)
    command = [sys.executable, "-m", "tests.app.conversations.killed_starts", str(path.parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    starts = done.stdout.splitlines()
    assert len(starts) > 8
    assert all(" ['T'] 1 " in start for start in starts), done.stdout
    assert sum("The backup of " in start for start in starts) > len(starts) // 2, done.stdout


def test_copy_that_was_ended_in_the_middle_of_the_place_is_restored(path):
    Backups(fill(path, 40)).take()
    path.rename(path.with_name("conversations.damaged-1.sqlite"))
    code = (
        "import os, signal, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA cache_size = 1');"
        "c.execute('CREATE TABLE t (x)'); c.commit(); c.execute('DELETE FROM t');"
        "c.executemany('INSERT INTO t VALUES (zeroblob(3000))', [()] * 90); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert path.with_name(f"{path.name}-journal").exists()
    assert reopen(path)[0] == 40


@pytest.mark.parametrize("leftover", [b"", None])
def test_backup_takes_the_place_of_a_file_that_is_missing(path, leftover):
    Backups(fill(path)).take()
    path.unlink()
    if leftover is not None:
        path.write_bytes(leftover)
    num_chats, problem = reopen(path)
    assert num_chats == 1
    assert problem.startswith("The chats file was missing. The backup of ")
    assert reopen(path) == (1, "")


def test_log_of_a_damaged_file_is_never_played_into_the_backup(path):
    Backups(fill(path)).take()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("DELETE FROM conversations")
        other.commit()
        log = path.with_name(f"{path.name}-wal")
        kept = log.read_bytes()
    path.rename(path.with_name("conversations.damaged-1.sqlite"))
    log.write_bytes(kept)
    assert reopen(path)[0] == 1
    assert path.with_name("conversations.damaged-1.sqlite-wal").read_bytes() == kept


def test_full_disk_in_a_restore_leaves_everything_for_the_next_start(path):
    Backups(fill(path, 300)).take()
    path.write_bytes(DAMAGE)
    before = {file.name: file.stat().st_size for file in path.parent.rglob("*")}
    with files_of_at_most(50_000), pytest.raises(StorageError, match="has space"):
        open_database(path)
    assert {file.name: file.stat().st_size for file in path.parent.rglob("*")} == before
    num_chats, problem = reopen(path)
    assert (num_chats, "was opened" in problem) == (300, True)


def test_backup_that_cannot_be_reached_is_not_passed_over(path, monkeypatch):
    copy = Backups(fill(path)).take()
    path.write_bytes(DAMAGE)
    copy.rename(copy.with_name("away"))
    copy.mkdir()
    with pytest.raises(StorageError, match="cannot be opened"):
        open_database(path)
    assert path.read_bytes() == DAMAGE


@pytest.mark.parametrize("index", ["messages_by_parent", "messages_by_conversation", "conversations_by_root"])
@pytest.mark.parametrize("has_backup", [True, False])
def test_damage_that_a_migration_meets_is_damage(path, index, has_backup, caplog):
    fill(path, 300, version=1)
    if has_backup:
        Backups(path).take()
    damage_index(path, index)
    num_chats, problem = reopen(path)
    assert num_chats == (300 if has_backup or not problem else 0)
    assert reopen(path) == (num_chats, "")
    caplog.clear()


def test_date_of_a_backup_that_has_to_be_migrated_is_its_own(path):
    fill(path, version=1)
    reopen(path)
    (earlier,) = path.parent.glob("*.before-format-2.sqlite")
    at = time.mktime((2020, 5, 4, 3, 2, 0, 0, 0, -1))
    os.utime(earlier, (at, at))
    path.write_bytes(DAMAGE)
    assert "The backup of 4 May, 03:02 was opened" in reopen(path)[1]
    assert earlier.stat().st_mtime == at


def test_copy_of_an_earlier_migration_is_never_written_over(path):
    fill(path, version=1)
    reopen(path)
    (earlier,) = path.parent.glob("*.before-format-2.sqlite")
    before = earlier.read_bytes()
    path.unlink()
    path.with_name("new.sqlite").unlink(missing_ok=True)
    fill(path.with_name("new.sqlite"), 3, version=1).rename(path)
    assert reopen(path) == (3, "")
    assert earlier.read_bytes() == before
    assert len(list(path.parent.glob("*.before-format-2*.sqlite"))) == 2
