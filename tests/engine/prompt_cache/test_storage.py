"""What a storage answers, on a good disk and on one that fails."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entries import (
    DropOwner,
    DropReading,
    Owner,
    Reading,
    Removed,
    SaveOwner,
    SaveReading,
    SaveValue,
    StoredEntry,
    Stream,
    Touch,
    Written,
)
from engine.prompt_cache.verify import verify
from tests.engine.prompt_cache.disk_harness import (
    STREAM,
    FullDisk,
    Inline,
    ReadOnlyDisk,
    checkpoint,
    file_of,
    page,
    tensors_of,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "prompt-cache"


def files_below(root: Path) -> list[Path]:
    return [path for path in root.glob("*/*") if path.is_file()]


def test_a_folder_begins_empty(root):
    opened = Inline(root).opened
    assert (opened.entries, opened.owners, opened.readings, dict(opened.values)) == ((), (), (), {})
    assert not opened.is_read_only
    assert opened.problem == ""
    assert opened.free_bytes > 0


def test_what_was_written_is_there_after_a_restart(root):
    inline = Inline(root)
    sizes = [inline.write(entry, number).num_bytes for number, entry in enumerate([page(0), page(1), checkpoint(2)])]
    again = inline.reopen()
    assert again.opened.entries == tuple(map(StoredEntry, [page(0), page(1), checkpoint(2)], sizes))
    assert again.opened.streams == (STREAM,)
    assert again.read(page(1)).tensors == {page(1).key: tensors_of(1)}
    assert again.opened.problem == ""


def test_changes_are_there_after_a_restart(root):
    inline = Inline(root)
    inline.write(page(0))
    owners = [Owner("a", STREAM.identity, page(0).key.end, 4, "headless", False, 5.5), Owner("b", "s", "n", 9)]
    readings = [Reading("a", STREAM, (1, 2**32 - 1), "evicted"), Reading("b", Stream("other"), ())]
    changes = [*map(SaveOwner, owners), *map(SaveReading, readings), SaveValue("day", "1"), SaveValue("day", "2")]
    inline.storage.record([*changes, Touch((page(0).key,), 17)])
    opened = inline.reopen().opened
    assert opened.owners == tuple(owners)
    assert opened.readings == tuple(readings)
    assert opened.values == {"day": "2"}
    assert [stored.used for stored in opened.entries] == [17]


def test_readings_come_back_with_the_latest_last(root):
    inline = Inline(root)
    for stream in (STREAM, Stream("other"), STREAM):
        inline.storage.record([SaveReading(Reading("a", stream, (1,)))])
    assert [reading.stream for reading in inline.reopen().opened.readings] == [Stream("other"), STREAM]


def test_dropped_owners_and_readings_are_gone_after_a_restart(root):
    inline = Inline(root)
    inline.storage.record([SaveOwner(Owner("a", "s", "n", 1)), SaveOwner(Owner("a", "s", "m", 2))])
    inline.storage.record([SaveReading(Reading("a", STREAM, (1,))), SaveReading(Reading("a", Stream("o"), (1,)))])
    inline.storage.record([DropOwner("a", "s", "n"), DropReading("a")])
    opened = inline.reopen().opened
    assert opened.owners == (Owner("a", "s", "m", 2),)
    assert opened.readings == ()


def test_removed_entries_are_gone_with_their_folder(root):
    inline = Inline(root)
    inline.write(page(0))
    inline.storage.remove([page(0).key, page(5).key], ticket=3)
    assert inline.answers == [Removed(3)]
    assert not (root / STREAM.identity).exists()
    assert inline.reopen().opened.entries == ()


def test_a_missing_file_is_a_fault_and_the_rest_is_read(root):
    inline = Inline(root)
    inline.write(page(0))
    inline.storage.read(9, [page(0).key, page(1).key])
    answer = inline.answers.pop()
    assert answer.request_id == 9
    assert list(answer.tensors) == [page(0).key]
    assert answer.faults == {page(1).key: "Its file is gone."}
    assert answer.num_bytes == file_of(root, page(0)).stat().st_size


def test_a_damaged_file_is_a_fault_and_is_deleted(root, caplog):
    inline = Inline(root)
    inline.write(page(0))
    path = file_of(root, page(0))
    path.write_bytes(path.read_bytes()[:-1])
    assert "bytes" in inline.read(page(0)).faults[page(0).key]
    assert not path.exists()
    assert inline.reopen().opened.entries == ()
    caplog.clear()


def put_folder_in_place(path: Path) -> None:
    path.unlink(missing_ok=True)
    (path / "inner").mkdir(parents=True)


def set_aside(path: Path, number: str = "") -> Path:
    return path.with_name(f"{path.name}{number}.set-aside")


def test_a_folder_in_place_of_a_file_is_a_fault_and_is_set_aside(root, caplog):
    inline = Inline(root)
    inline.write(page(0))
    path = file_of(root, page(0))
    put_folder_in_place(path)
    assert inline.read(page(0)).faults == {page(0).key: "A folder stands in its place."}
    assert (set_aside(path) / "inner").exists()
    assert inline.write(page(0)).error == ""
    assert inline.read(page(0)).tensors == {page(0).key: tensors_of()}
    caplog.clear()


def test_a_write_sets_folders_in_its_place_aside_and_goes_on(root):
    inline = Inline(root)
    path = file_of(root, page(0))
    for number in ("", ".0"):
        put_folder_in_place(path)
        assert inline.write(page(0)).error == ""
        assert (set_aside(path, number) / "inner").exists()
    assert inline.reopen().read(page(0)).tensors == {page(0).key: tensors_of()}


def test_an_empty_folder_in_a_file_s_place_is_deleted(root):
    inline = Inline(root)
    path = file_of(root, page(0))
    path.mkdir(parents=True)
    assert inline.write(page(0)).error == ""
    assert [path for path in path.parent.iterdir() if path.is_dir()] == []


def test_a_folder_that_cannot_be_set_aside_refuses_its_entry_alone(root, caplog):
    class Stubborn(Disk):
        def rename(self, old: str, new: str, folder: int) -> None:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))

    answer = Inline(root, Stubborn()).write(page(0))
    assert (answer.error.partition(" where")[0], answer.is_disk_fault) == ("A folder stands", False)
    caplog.clear()


def test_a_full_disk_leaves_no_file_and_later_writes_go_on(root, caplog):
    disk = FullDisk(num_bytes=100)
    inline = Inline(root, disk)
    assert inline.write(page(0)) == Written(page(0).key, 0, "The disk of the prompt cache is full.", True)
    assert files_below(root) == []
    disk.is_full = False
    assert inline.write(page(0)).error == ""
    assert inline.read(page(0)).tensors == {page(0).key: tensors_of()}
    caplog.clear()


def test_a_folder_that_cannot_be_written_is_only_read(root):
    first = Inline(root)
    first.write(page(0))
    first.storage.close(1)
    before = sorted(root.rglob("*"))
    inline = Inline(root, ReadOnlyDisk())
    assert inline.opened.is_read_only
    assert "read only" in inline.opened.problem
    assert inline.read(page(0)).tensors == {page(0).key: tensors_of()}
    assert inline.write(page(1)).is_disk_fault
    inline.storage.remove([page(0).key], ticket=1)
    inline.storage.close(1)
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize("place", ["root", "parent"])
def test_a_file_in_place_of_the_folder_is_told(root, place):
    taken = {"root": root, "parent": root.parent}[place]
    taken.parent.mkdir(parents=True, exist_ok=True)
    taken.write_text("mine")
    inline = Inline(root)
    assert inline.opened.is_read_only
    assert inline.opened.problem
    assert inline.write(page(0)).is_disk_fault
    assert page(0).key in inline.read(page(0)).faults
    assert taken.read_text() == "mine"


def test_a_second_program_reads_and_writes_nothing(root):
    first = Inline(root)
    first.write(page(0))
    first.storage.record([SaveValue("day", "1")])
    second = Inline(root)
    assert second.opened.is_read_only
    assert dict(second.opened.values) == {"day": "1"}
    assert second.read(page(0)).tensors == {page(0).key: tensors_of()}
    assert second.write(page(1)).error == second.opened.problem
    first.storage.remove([page(0).key])
    assert second.read(page(0)).faults == {page(0).key: "Its file is gone."}


def test_a_second_program_reads_what_a_first_one_has_yet_to_list(root):
    Inline(root).write(page(0))
    (root / "index.sqlite").rename(root / "elsewhere.sqlite")
    second = Inline(root)
    assert [stored.entry for stored in second.opened.entries] == [page(0)]
    assert second.read(page(0)).tensors == {page(0).key: tensors_of()}
    assert not (root / "index.sqlite").exists()


def test_the_folder_is_free_again_once_it_is_closed(root):
    first = Inline(root)
    second = Inline(root)
    first.storage.close(1)
    assert second.write(page(0)).is_disk_fault
    assert not second.reopen().opened.is_read_only


def test_calls_after_closing_are_answered_and_do_nothing(root):
    inline = Inline(root)
    inline.storage.close(1)
    assert inline.write(page(0)).is_disk_fault
    assert not inline.read(page(0)).tensors
    inline.storage.remove([page(0).key], ticket=2)
    assert inline.answers == [Removed(2)]
    inline.storage.open()
    assert inline.answers[-1].is_read_only
    assert inline.storage.close(1)


@pytest.mark.parametrize("umask", [0, 0o077])
def test_only_the_owner_may_look_whatever_the_umask(root, umask):
    before = os.umask(umask)
    try:
        inline = Inline(root)
        inline.write(page(0))
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [root, *root.rglob("*")]}
    finally:
        os.umask(before)
    assert {path.name for path in modes} >= {"lock", "index.sqlite", "index.sqlite-wal", "index.sqlite-shm"}
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in modes.items())


def test_a_clock_set_back_drops_nothing(root):
    inline = Inline(root)
    inline.write(page(0))
    inline.storage.close(1)
    for path in root.rglob("*"):
        os.utime(path, (4e9, 4e9))
    again = Inline(root)
    assert again.read(page(0)).tensors == {page(0).key: tensors_of()}
    assert again.opened.problem == ""
    assert verify(root).is_clean


def test_an_index_that_refuses_changes_is_tried_again_and_told_once(root, caplog):
    inline = Inline(root)
    with closing(sqlite3.connect(root / "index.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        inline.storage.record([SaveValue("day", "1")])
        inline.storage.record([SaveValue("day", "2")])
        assert [record.levelname for record in caplog.records if "tried again" in record.message] == ["WARNING"]
    assert inline.reopen().opened.values == {"day": "2"}
    caplog.clear()
