"""A folder is opened whatever became of its files and its index, and says what it mended."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.prompt_cache.entries import Owner, Reading, SaveOwner, SaveReading, SaveValue, StoredEntry
from engine.prompt_cache.entry_file import Creator, encode_header
from engine.prompt_cache.index import VERSION
from engine.prompt_cache.verify import verify
from tests.engine.prompt_cache.disk_harness import STREAM, Inline, checkpoint, file_of, node, page, tensors_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A closed folder with three entries of the conversation "a"."""
    root = tmp_path / "cache"
    inline = Inline(root)
    for number, entry in enumerate([page(0), page(1), checkpoint(2)]):
        inline.write(entry, number, conversation_id="a", tag="headless")
    changes = [SaveOwner(Owner("b", STREAM.identity, node(1), 4)), SaveValue("day", "1")]
    inline.storage.record([*changes, SaveReading(Reading("a", STREAM, (1, 2)))])
    inline.storage.close(1)
    return root


def entries_of(inline: Inline) -> set:
    return {stored.entry for stored in inline.opened.entries}


def test_entries_come_back_from_their_files_where_the_index_is_gone(root):
    (root / "index.sqlite").unlink()
    inline = Inline(root)
    assert entries_of(inline) == {page(0), page(1), checkpoint(2)}
    assert inline.opened.streams == (STREAM,)
    assert inline.opened.owners == (Owner("a", STREAM.identity, node(2), 8, "headless"),)
    again = inline.reopen()
    assert entries_of(again) == entries_of(inline)
    assert again.opened.owners == inline.opened.owners


@pytest.mark.parametrize("content", [b"", b"garbage" * 999, b"SQLite format 3\0" + b"\xff" * 5000], ids=len)
def test_a_damaged_index_is_made_again(root, content):
    (root / "index.sqlite").write_bytes(content)
    inline = Inline(root)
    assert entries_of(inline) == {page(0), page(1), checkpoint(2)}
    assert not inline.opened.is_read_only
    assert bool(inline.opened.problem) == bool(content)
    assert inline.reopen().opened.problem == ""
    assert sorted(path.name for path in root.glob("index*")) == ["index.sqlite", "index.sqlite-shm", "index.sqlite-wal"]


def test_a_flipped_byte_of_the_index_costs_no_entry_and_makes_none(root, caplog):
    content = (root / "index.sqlite").read_bytes()
    for place in range(0, len(content), 211):
        (root / "index.sqlite").write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        inline = Inline(root)
        assert entries_of(inline) == {page(0), page(1), checkpoint(2)}, place
        inline.write(page(0))
        inline.storage.close(1)
    assert verify(root).is_clean
    caplog.clear()


def test_an_index_without_its_log_is_completed_from_the_files(root):
    inline = Inline(root)
    before = (root / "index.sqlite").read_bytes()
    inline.write(page(2))
    inline.storage.close(1)
    (root / "index.sqlite").write_bytes(before)
    assert entries_of(Inline(root)) == {page(0), page(1), checkpoint(2), page(2)}


def test_another_programs_database_is_set_aside(root):
    (root / "index.sqlite").unlink()
    with closing(sqlite3.connect(root / "index.sqlite")) as other:
        other.execute("CREATE TABLE theirs (number)")
    assert "another program's" in Inline(root).opened.problem
    with closing(sqlite3.connect(root / "index.damaged.sqlite")) as other:
        assert other.execute("SELECT count(*) FROM theirs").fetchone() == (0,)


def test_a_folder_in_place_of_the_index_is_set_aside(root):
    (root / "index.sqlite").unlink()
    (root / "index.sqlite").mkdir()
    inline = Inline(root)
    assert entries_of(inline) == {page(0), page(1), checkpoint(2)}
    assert inline.reopen().opened.problem == ""


def test_a_newer_index_is_left_alone_and_the_files_are_read(root):
    with closing(sqlite3.connect(root / "index.sqlite")) as newer:
        newer.execute(f"PRAGMA user_version = {VERSION + 1}")
    content = (root / "index.sqlite").read_bytes()
    inline = Inline(root)
    assert inline.opened.is_read_only
    assert "newer program" in inline.opened.problem
    assert inline.read(page(1)).tensors == {page(1).key: tensors_of(1)}
    assert inline.write(page(5)).is_disk_fault
    inline.storage.close(1)
    assert (root / "index.sqlite").read_bytes() == content


def test_a_record_without_its_file_goes(root):
    file_of(root, page(1)).unlink()
    assert entries_of(Inline(root)) == {page(0), checkpoint(2)}


@pytest.mark.parametrize("size", [0, 7, 500])
def test_a_file_that_was_cut_is_deleted_and_said(root, size):
    path = file_of(root, page(1))
    path.write_bytes(path.read_bytes()[:size])
    inline = Inline(root)
    assert entries_of(inline) == {page(0), checkpoint(2)}
    assert "damaged" in inline.opened.problem
    assert not path.exists()


def test_a_second_program_deletes_no_damaged_file(root):
    first = Inline(root)
    path = file_of(root, page(1))
    path.write_bytes(b"")
    assert entries_of(Inline(root)) == {page(0), checkpoint(2)}
    assert path.exists()
    first.storage.close(1)


def test_a_newer_versions_file_is_never_replaced_or_deleted(root, caplog):
    newer = encode_header(page(3), STREAM, Creator(), tensors_of(), VERSION + 1) + b"what comes then"
    file_of(root, page(3)).write_bytes(newer)
    inline = Inline(root)
    assert page(3) not in entries_of(inline)
    assert "left alone" in inline.opened.problem
    assert inline.write(page(3)).error
    assert inline.read(page(3)).faults == {page(3).key: "It was written by a newer program."}
    inline.storage.remove([page(3).key], ticket=1)
    assert file_of(root, page(3)).read_bytes() == newer
    caplog.clear()


def test_foreign_files_are_left_alone_and_counted(root):
    before = Inline(root)
    before.storage.close(1)
    foreign = [root / "notes.txt", root / STREAM.identity / "notes.txt", root / "other" / "x.safetensors"]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * 100_000)
    opened = Inline(root).opened
    assert opened.entries == before.opened.entries
    assert opened.other_bytes - before.opened.other_bytes in range(200_000, 300_000)
    assert all(path.exists() for path in foreign)


def test_a_folder_in_a_file_s_place_is_set_aside_and_its_bytes_count(root):
    path = file_of(root, page(1))
    path.unlink()
    path.mkdir()
    (path / "mine").write_bytes(b"x" * 100_000)
    opened = Inline(root).opened
    assert page(1) not in {stored.entry for stored in opened.entries}
    assert opened.other_bytes > 100_000
    assert path.with_name(path.name + ".set-aside").is_dir()


def test_half_written_files_of_dead_programs_are_deleted(root):
    half = root / STREAM.identity / f".{node(5)}-{node(6)}.4711.tmp"
    half.write_bytes(b"half")
    assert verify(root).num_temporary == 1
    assert Inline(root).opened.problem == ""
    assert not half.exists()


def test_a_stale_lock_blocks_nothing(root):
    (root / "lock").write_text(str(os.getpid()))
    assert not Inline(root).opened.is_read_only


def test_creators_own_the_ends_of_their_pages(root):
    inline = Inline(root)
    inline.write(page(2), conversation_id="c")
    inline.write(page(3), conversation_id="c")
    inline.storage.close(1)
    (root / "index.sqlite").unlink()
    owners = Inline(root).opened.owners
    assert {(owner.conversation_id, owner.node, owner.num_tokens) for owner in owners} == {
        ("a", node(2), 8),
        ("c", node(4), 16),
    }


def test_a_rebuilt_entry_has_its_size(root):
    (root / "index.sqlite").unlink()
    sizes = {stored.entry: stored.num_bytes for stored in Inline(root).opened.entries}
    assert sizes[page(0)] == file_of(root, page(0)).stat().st_size
    assert StoredEntry(page(0), sizes[page(0)]) in Inline(root).opened.entries
