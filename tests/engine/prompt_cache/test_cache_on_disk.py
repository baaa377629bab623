"""The prompt cache over a real folder: what is there after a restart, a damage, a deletion."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import mlx.core as mx
import pytest

from engine.prompt_cache.entry_file import Creator, encode_header
from engine.prompt_cache.hashes import node_hashes, token_bytes
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.requests import StreamState, StreamWanted, Wanted
from tests.engine.prompt_cache.chats import STREAM, stream, text
from tests.engine.prompt_cache.disk_harness import STREAM as OTHER
from tests.engine.prompt_cache.disk_harness import page
from tests.engine.prompt_cache.on_disk import OnDisk

A = text(1, 1000)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "prompt cache"
    OnDisk.close_all()


def folder_bytes(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def test_thirty_chats_stay_within_a_small_budget_and_the_report_is_what_is_there(root: Path):
    chats = OnDisk(root, CacheSettings(ram_bytes=1, budget_bytes=3_000_000))
    for number in range(30):
        chats.put(str(number), text(number, 6000))
        assert folder_bytes(root) <= 3_000_000
        report = chats.cache.report()
        assert report.disk_bytes == sum(path.stat().st_size for path in chats.entry_files())
    assert chats.find("0", text(0, 6000)).num_tokens == 0
    assert chats.find("29", text(29, 6000)).num_tokens == 5999


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
