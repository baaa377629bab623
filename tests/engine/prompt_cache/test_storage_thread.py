"""The thread keeps the order that is promised, answers everything, and ends in time."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entries import Entry, Opened, ReadBack, Removed, SaveValue, StorageMessage, Written
from engine.prompt_cache.folder import Folder
from engine.prompt_cache.storage import StorageThread
from tests.engine.prompt_cache.disk_harness import OPENED, SECONDS, STREAM, HeldDisk, Inline, page, tensors_of


class FaultyDisk(Disk):
    """Fails as no disk does."""

    def write(self, descriptor: int, data: memoryview) -> int:
        raise ZeroDivisionError


class Threaded:
    """An opened StorageThread and its answers."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self.answers: list[StorageMessage] = []
        self._more = threading.Condition()
        self.storage = StorageThread(root, self._deliver, disk)
        self.storage.open()
        OPENED.append(self.storage)

    def _deliver(self, message: StorageMessage) -> None:
        with self._more:
            self.answers.append(message)
            self._more.notify()

    def wait_for(self, num_answers: int) -> list[StorageMessage]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.answers) >= num_answers, SECONDS)
            return self.answers[:num_answers]

    def write(self, *entries: Entry) -> None:
        for entry in entries:
            self.storage.write(entry, STREAM, tensors_of())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def held(root: Path) -> Iterator[tuple[Threaded, HeldDisk]]:
    """A storage that has page 0, and stands in the write of page 1."""
    first = Inline(root)
    first.write(page(0))
    first.storage.close(1)
    disk = HeldDisk()
    threaded = Threaded(root, disk)
    threaded.write(page(1))
    assert disk.is_reached.wait(SECONDS)
    yield threaded, disk
    disk.is_let_go.set()
    threaded.storage.close(SECONDS)


def kinds(answers: list[StorageMessage]) -> list[type]:
    return [type(answer) for answer in answers]


def test_reads_overtake_writes_and_removals(held):
    threaded, disk = held
    threaded.write(page(2))
    threaded.storage.remove([page(0).key], ticket=1)
    threaded.storage.read(5, [page(0).key])
    disk.is_let_go.set()
    answers = threaded.wait_for(5)
    assert kinds(answers) == [Opened, Written, ReadBack, Written, Removed]
    assert answers[2].faults == {}


def test_writes_removals_and_changes_keep_their_order(held, root):
    threaded, disk = held
    threaded.storage.remove([page(1).key], ticket=1)
    threaded.write(page(2), page(1))
    threaded.storage.record([SaveValue("last", "1")])
    disk.is_let_go.set()
    assert kinds(threaded.wait_for(5)) == [Opened, Written, Removed, Written, Written]
    assert threaded.storage.close(SECONDS)
    opened = Inline(root).opened
    assert {stored.entry for stored in opened.entries} == {page(0), page(1), page(2)}
    assert opened.values == {"last": "1"}


def test_a_write_is_spared_where_its_entry_is_removed_before(held):
    threaded, disk = held
    threaded.write(page(2))
    threaded.storage.remove([page(2).key], ticket=1)
    disk.is_let_go.set()
    answers = threaded.wait_for(4)
    assert kinds(answers) == [Opened, Written, Written, Removed]
    assert answers[2].key == page(2).key
    assert answers[2].error == "The entry was removed before it was written."
    assert not answers[2].is_disk_fault


def test_closing_in_no_time_drops_what_waits_and_leaves_nothing_half_written(held, root, caplog):
    threaded, disk = held
    threaded.write(*map(page, range(2, 50)))
    threaded.storage.record([SaveValue("last", "1")])
    threading.Timer(0.05, disk.is_let_go.set).start()
    assert not threaded.storage.close(0)
    assert kinds(threaded.answers).count(Written) == 49
    assert all(isinstance(answer, Opened) or answer.is_disk_fault for answer in threaded.answers)
    assert list(root.glob("*/.*")) == []
    opened = Inline(root).opened
    assert {stored.entry for stored in opened.entries} == {page(0)}
    assert opened.values == {"last": "1"}
    assert opened.problem == ""


def test_closing_with_time_writes_what_waits(root):
    threaded = Threaded(root)
    threaded.write(*map(page, range(50)))
    assert threaded.storage.close(SECONDS)
    opened = Inline(root).opened
    assert {stored.entry for stored in opened.entries} == set(map(page, range(50)))
    assert not opened.is_read_only


def test_closing_removes_the_log_of_the_index(root):
    threaded = Threaded(root)
    threaded.write(page(0))
    threaded.storage.close(SECONDS)
    assert sorted(path.name for path in root.iterdir() if path.is_file()) == ["index.sqlite", "lock"]


def test_calls_after_closing_are_answered(root):
    threaded = Threaded(root)
    assert threaded.storage.close(SECONDS)
    threaded.write(page(0))
    threaded.storage.read(1, [page(0).key])
    threaded.storage.remove([page(0).key], ticket=2)
    threaded.storage.record([SaveValue("a", "b")])
    threaded.storage.open()
    assert kinds(threaded.answers) == [Opened, Written, ReadBack, Removed, Opened]
    assert threaded.answers[1].is_disk_fault


def test_a_storage_that_was_never_opened_answers_too(root):
    answers: list[StorageMessage] = []
    storage = StorageThread(root, answers.append)
    storage.write(page(0), STREAM, tensors_of())
    assert not storage.close(0)
    assert kinds(answers) == [Written]
    assert not root.exists()


def test_a_fault_of_the_program_is_answered_and_the_thread_goes_on(root, caplog):
    threaded = Threaded(root, FaultyDisk())
    threaded.write(page(0))
    assert "fault in this program" in threaded.wait_for(2)[1].error
    threaded.storage.read(1, [page(0).key])
    assert kinds(threaded.wait_for(3)) == [Opened, Written, ReadBack]
    threaded.storage.close(SECONDS)
    assert list(root.glob("*/*")) == []
    caplog.clear()


def test_a_read_that_finds_no_memory_calls_no_entry_faulty_and_the_next_one_has_it(root, monkeypatch, caplog):
    threaded = Threaded(root)
    threaded.write(page(0))
    threaded.wait_for(2)
    with monkeypatch.context() as broken:
        broken.setattr(Folder, "read", lambda folder, key: bytearray(1 << 62))
        threaded.storage.read(1, [page(0).key])
        answer = threaded.wait_for(3)[2]
    threaded.storage.read(2, [page(0).key])
    assert (answer.tensors, answer.faults) == ({}, {})
    assert page(0).key in threaded.wait_for(4)[3].tensors
    caplog.clear()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the priority of one thread")
def test_the_thread_yields_to_others(root):
    niceness: list[int] = []

    def look(message: StorageMessage) -> None:
        niceness.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    storage = StorageThread(root, look)
    storage.open()
    storage.close(SECONDS)
    assert niceness == [max(10, os.getpriority(os.PRIO_PROCESS, 0))]


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.EDQUOT])
def test_faults_of_the_disk_are_told_as_such(root, caplog, number):
    class FailingDisk(Disk):
        def sync(self, descriptor: int) -> None:
            raise OSError(number, os.strerror(number))

    inline = Inline(root, FailingDisk())
    answer = inline.write(page(0))
    assert answer.is_disk_fault
    assert answer.error.endswith(".")
    assert [path for path in root.glob("*/*") if path.is_file()] == []
    caplog.clear()
