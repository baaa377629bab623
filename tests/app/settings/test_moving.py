"""The data folder moves by a copy that is checked, and nothing of it is ever lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections import namedtuple
from pathlib import Path

import pytest

from app.settings.data_mover import DataMover
from app.settings.folders import MovedFolderError, Pointer, data_folder, pointer_path, read_pointer, write_pointer
from app.settings.moving import MoveError, check, copy_all, finish_move
from app.tasks import start
from engine.models.locate import default_data_dir

pytestmark = pytest.mark.usefixtures("home")
TEXTS = {"conversations.sqlite": b"chats", "prompt_cache/a/1.safetensors": b"state", "settings.json": b"{}"}


@pytest.fixture
def old():
    folder = data_folder()
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    (folder / "linked").symlink_to("prompt_cache")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    names = (path for path in folder.rglob("*") if path.is_file() and "linked" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def test_copy_is_brought_up_to_date_at_the_next_start_and_used(old, tmp_path):
    new = tmp_path / "new"
    check(old, new)
    copy_all(old, new)
    assert data_folder() == old
    (old / "conversations.sqlite").write_bytes(b"more chats")
    (old / "prompt_cache/a/1.safetensors").unlink()
    (old / "settings.json").write_bytes(b'{"a": 1}')
    assert finish_move(data_folder()) == new
    assert contents(new) == {"conversations.sqlite": b"more chats", "settings.json": b'{"a": 1}'}
    assert os.readlink(new / "linked") == "prompt_cache"
    assert data_folder() == default_data_dir() == new
    assert contents(old)["conversations.sqlite"] == b"more chats"


def test_start_without_a_move_uses_the_folder_that_it_has(old):
    assert finish_move(old) == old
    assert not pointer_path().exists()


def test_copy_that_is_away_at_the_next_start_leaves_the_data_where_it_is_and_says_so(old, tmp_path, caplog):
    copy_all(old, tmp_path / "new")
    shutil.rmtree(tmp_path / "new")
    assert finish_move(old) == old
    sentence = "The data was not moved to ~/new: ~/new is not there. It stays in ~/data/slipstream."
    assert read_pointer().problem == sentence
    caplog.clear()
    assert finish_move(data_folder()) == old


def test_moved_folder_that_is_missing_is_never_made_anew(old, tmp_path):
    write_pointer(Pointer(str(tmp_path / "unplugged")))
    with pytest.raises(MovedFolderError, match="is not there"):
        data_folder()
    assert not (tmp_path / "unplugged").exists()
    (tmp_path / "unplugged").mkdir()  # as systems leave it where a disk is to be connected
    with pytest.raises(MovedFolderError, match="is not there"):
        data_folder()


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("full", "^~/full is not empty: it has note.txt"),
        ("data/slipstream/inner", "one within the other"),
        ("file/x", "cannot be"),
    ],
)
def test_folder_that_cannot_take_the_data_is_refused(old, tmp_path, place, sentence):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(MoveError, match=sentence):
        check(old, tmp_path / place)


def test_disk_that_is_too_small_is_refused_with_both_numbers(old, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(0, 0, 1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(MoveError, match=r"needs 50\sMB; the disk of .* has 1\sMB"):
        check(old, tmp_path / "new")


def test_copy_that_fails_or_is_stopped_leaves_nothing_behind(old, tmp_path, monkeypatch):
    new = tmp_path / "new"
    with pytest.raises(MoveError, match="was stopped"):
        copy_all(old, new, is_over=lambda: (new / "settings.json").exists() or (new / "prompt_cache").exists())
    assert (list(new.iterdir()), read_pointer()) == ([], Pointer())
    monkeypatch.setattr(shutil, "copyfile", lambda source, target: Path(target).write_bytes(b"damaged"))
    with pytest.raises(MoveError, match="is not what was copied"):
        copy_all(old, new)
    assert (list(new.iterdir()), read_pointer()) == ([], Pointer())


def test_file_that_changed_while_it_was_copied_is_copied_again(old, tmp_path, monkeypatch):
    new, copyfile = tmp_path / "new", shutil.copyfile

    def change_meanwhile(source, target):
        copyfile(source, target)
        if Path(source).name == "settings.json" and not read_pointer().next:
            Path(source).write_bytes(b"[]")
            os.utime(source, ns=(1, 1))

    monkeypatch.setattr(shutil, "copyfile", change_meanwhile)
    copy_all(old, new)
    assert (new / "settings.json").read_bytes() == b"{}"
    finish_move(old)
    assert (new / "settings.json").read_bytes() == b"[]"


def test_named_folder_goes_before_any_that_the_data_was_moved_to(old, tmp_path, monkeypatch):
    write_pointer(Pointer(str(tmp_path / "elsewhere")))
    monkeypatch.setenv("SLIPSTREAM_DATA", str(tmp_path / "named"))
    assert data_folder() == default_data_dir() == tmp_path / "named"


def test_copy_that_the_end_of_the_program_breaks_off_leaves_nothing(run_async, old, tmp_path, qapp):
    for number in range(500):
        (old / f"{number}.txt").write_text("a")
    mover = DataMover(old)  # which is not to end on the thread that copies

    async def move_and_end() -> None:
        task = start(mover.move(tmp_path / "new"))
        await asyncio.sleep(0)
        task.cancel()

    run_async(move_and_end())
    for thread in threading.enumerate():
        if thread.name.startswith("files"):
            thread.join()
    assert (read_pointer().next, contents(tmp_path / "new")) == ("", {})
