"""The prompt cache over a real folder: what is there after a restart, a damage, a deletion."""

from __future__ import annotations

import errno
import os
import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import mlx.core as mx
import pytest

from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entry_file import Creator, encode_header
from engine.prompt_cache.folder import Folder
from engine.prompt_cache.hashes import node_hashes, token_bytes
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.requests import StreamState, StreamWanted, Wanted
from engine.prompt_cache.storage import StorageThread
from tests.engine.prompt_cache.chats import ROOMY, STREAM, state_of, stream, text
from tests.engine.prompt_cache.disk_harness import SECONDS, HeldDisk, Inline, page
from tests.engine.prompt_cache.disk_harness import STREAM as OTHER
from tests.engine.prompt_cache.on_disk import OnDisk

A = text(1, 1000)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "prompt cache"
    OnDisk.close_all()


def folder_bytes(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


class WatchedDisk(Disk):
    """Knows the most bytes that a folder had, all its files together, whenever a file was complete."""

    def __init__(self, root: Path) -> None:
        self.root, self.peak_bytes = root, 0

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        self.peak_bytes = max(self.peak_bytes, folder_bytes(self.root))


def test_o37_thirty_chats_stay_within_20_mb_the_oldest_go_and_the_report_is_what_is_there(root: Path):
    disk, budget_bytes = WatchedDisk(root), 20_000_000
    chats = OnDisk(root, CacheSettings(ram_bytes=1, budget_bytes=budget_bytes), disk=disk)
    chats.width = 128  # 1 MB a chat
    for number in range(30):
        chats.put(str(number), text(number, 1000))
        assert chats.cache.report().disk_bytes == sum(path.stat().st_size for path in chats.entry_files())
    held = [chats.find(str(number), text(number, 1000)).num_tokens for number in range(30)]
    num_gone = held.count(0)
    assert held == [0] * num_gone + [held[num_gone]] + [999] * (29 - num_gone)
    assert 10 < num_gone < 20
    assert 0.85 * budget_bytes < max(disk.peak_bytes, folder_bytes(root)) <= budget_bytes


def test_an_exact_stream_with_a_missing_array_is_restored_after_a_restart(root: Path):
    chats = OnDisk(root)
    chats.put("a", A, is_exact=True)
    assert chats.reopened().find("a", [*A, 1], is_exact=True).num_tokens == 1000


def test_an_index_that_is_gone_loses_neither_pages_nor_whose_they_are(root: Path):
    chats = OnDisk(root)
    chats.put("a", A)
    chats.put("b", text(2, 300))
    chats.cache.close(1.0)
    for path in root.glob("index.sqlite*"):
        path.unlink()
    chats = OnDisk(root)
    assert chats.find("a", A).num_tokens == 999
    done = []
    chats.cache.forget("a", lambda: done.append(len(chats.entry_files())))
    assert done == [2]


def cut_to(num_bytes: int) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(path.read_bytes()[:num_bytes])


def cut_in_half(path: Path) -> None:
    cut_to(path.stat().st_size // 2)(path)


def flip_last_byte(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = [cut_to(0), cut_to(7), cut_in_half, cut_to(-1), flip_last_byte, replace_by_folder, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES, ids=["empty", "7 bytes", "half", "all but one", "flip", "folder", "gone"])
@pytest.mark.parametrize("is_closed", [True, False], ids=["before a start", "while it runs"])
def test_a_damaged_file_costs_its_tokens_and_never_a_wrong_one(
    root: Path, damage: Callable[[Path], None], is_closed: bool, caplog: pytest.LogCaptureFixture
):
    chats = OnDisk(root)
    chats.put("a", A)
    if is_closed:
        chats.cache.close(1.0)
    else:
        chats = chats.reopened()
    (start,) = node_hashes(STREAM.identity, token_bytes(A), [256])
    (second_page,) = root.rglob(f"{start}-*.safetensors")
    damage(second_page)
    if is_closed:
        chats = OnDisk(root)
    found = chats.find("a", [*A, 1], num_old=1000)
    assert (found.num_tokens, found.num_reread) == (256, 744)
    assert found.code == "corrupt"
    chats.put("a", A)
    assert chats.cache.report().disk_bytes == sum(path.stat().st_size for path in chats.entry_files() if path.is_file())
    caplog.clear()


def test_a_place_that_cannot_be_written_is_told_once_and_other_chats_are_saved(
    root: Path, caplog: pytest.LogCaptureFixture
):
    chats = OnDisk(root)
    (end,) = node_hashes(STREAM.identity, token_bytes(A), [256])
    (start,) = node_hashes(STREAM.identity, token_bytes(A), [0])
    newer = root / STREAM.identity / f"{start}-{end}.safetensors"
    newer.parent.mkdir()
    newer.write_bytes(encode_header(page(0), OTHER, Creator(), {}, 9))
    chats = chats.reopened()
    chats.notices.clear()
    for _ in range(2):
        chats.put("a", A)
    chats.put("b", text(2, 300))
    assert [code for code, _ in chats.notices] == ["place_taken"]
    assert len(chats.entry_files()) == 3
    caplog.clear()


def test_deleting_every_chat_leaves_no_entry(root: Path):
    chats = OnDisk(root)
    for name in "ab":
        chats.put(name, [*A[:300], *text(ord(name), 500)])
        chats.put(name, [*A[:300], *text(ord(name), 500)], stream("drafter", kind="drafter"), is_exact=True)
    for name in "ab":
        chats.cache.forget(name, lambda: None)
    assert not chats.entry_files()


def test_a_second_program_finds_what_the_first_saved_and_changes_nothing(root: Path):
    first = OnDisk(root)
    first.put("a", A)
    second = OnDisk(root)
    assert second.cache.report().is_read_only
    assert [code for code, _ in second.notices] == ["cache_opened"]
    assert second.find("b", A).num_tokens == 999
    num_files = len(first.entry_files())
    second.put("b", text(2, 300))
    second.cache.clear(lambda: None)
    second.cache.close(1.0)
    assert len(first.entry_files()) == num_files
    shutil.rmtree(root)
    assert first.find("a", A).num_tokens == 999


def test_state_in_which_nothing_grows_is_restored_after_a_restart(root: Path):
    chats, answers = OnDisk(root), []
    state = StreamState(0, 1000, (), (mx.array([1.5, 2.5]), None))
    chats.cache.put(STREAM, "a", A, state)
    wanted = Wanted(1, "a", (StreamWanted(STREAM, is_exact=True),), (*A, 1))
    chats.reopened().cache.find(wanted, answers.append)
    restored = answers[0].states[0].state()
    assert (restored.num_tokens, restored.grown, restored.fixed[1]) == (1000, (), None)
    assert restored.fixed[0].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
def test_a_read_that_the_system_refuses_for_the_moment_costs_no_file_and_is_told(
    root: Path, caplog, monkeypatch, number
):
    def refuse(folder: Folder, key: object) -> None:
        raise OSError(number, os.strerror(number))

    chats = OnDisk(root)
    chats.put("a", A)
    chats = chats.reopened()
    with monkeypatch.context() as broken:
        broken.setattr(Folder, "read", refuse)
        found = chats.find("a", [*A, 1], num_old=1000)
    assert (found.num_tokens, found.num_reread, found.code) == (0, 1000, "unreadable")
    assert "could not be read" in found.reason
    assert len(chats.entry_files()) == 4
    assert chats.find("a", [*A, 1], num_old=1000).num_tokens == 1000
    caplog.clear()


def test_an_end_with_too_little_time_is_told_as_a_slow_disk_and_leaves_no_owner_of_what_is_not_there(
    root: Path, caplog
):
    disk, messages = HeldDisk(), queue.SimpleQueue()
    cache = PromptCache(StorageThread(root, messages.put, disk), settings=ROOMY)
    cache.open()
    cache.handle(messages.get(timeout=SECONDS))
    cache.put(STREAM, "a", A, state_of(A))
    assert disk.is_reached.wait(SECONDS)
    threading.Timer(0.05, disk.is_let_go.set).start()
    assert not cache.close(0)
    inline = Inline(root)
    assert inline.opened.owners == ()
    inline.storage.close(1)
    found = OnDisk(root).find("a", [*A, 1], num_old=1000)
    assert (found.num_tokens + found.num_reread, found.code) == (1000, "slow_disk")
    caplog.clear()
