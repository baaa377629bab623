"""Moving the data folder while others use the disk, and where the program or the disk ends in between."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.settings import folders
from app.settings.drafters.measurements import Measurement, Measurements
from app.settings.folders import data_folder, read_pointer
from app.settings.moving import LIST, MoveError, check, copy_all, finish_move, stay, unfinished
from app.settings.preferences import ModelChoice, Preferences, Settings
from app.shown_paths import write_place

pytestmark = pytest.mark.usefixtures("home")


class Killed(BaseException):
    """Nothing is done after it, as after a kill."""


@pytest.fixture
def old() -> Path:
    folder = data_folder()
    (folder / "prompt_cache").mkdir()
    for name in ("settings.json", "prompt_cache/1", "prompt_cache/2"):
        (folder / name).write_bytes(name.encode())
    return folder


@pytest.fixture
def new(old: Path, tmp_path: Path) -> Path:
    """A copy that is used from the next start on, beside which the user has put a file."""
    new = tmp_path / "new"
    check(old, new)
    copy_all(old, new)
    (new / "prompt_cache" / "mine.txt").write_text("mine")
    return new


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_file_that_the_user_put_beside_the_copy_stays(old: Path, new: Path) -> None:
    (old / "prompt_cache" / "2").unlink()
    assert finish_move(old) == new
    assert names(new) == {"settings.json", "prompt_cache/1", "prompt_cache/mine.txt"}


def test_other_disk_in_the_place_of_the_copy_is_left_alone(old: Path, new: Path, caplog) -> None:
    shutil.rmtree(new)
    new.mkdir()
    (new / "mine.txt").write_text("mine")
    assert finish_move(old) == old
    assert f"{write_place(new)} is not the copy that was made" in read_pointer().problem
    assert names(new) == {"mine.txt"}
    caplog.clear()


def test_copying_that_is_stopped_takes_only_its_own_files_away(old: Path, tmp_path: Path) -> None:
    def put_beside(num_bytes: int) -> None:
        (tmp_path / "new" / "mine.txt").write_text("mine")

    with pytest.raises(MoveError, match="was stopped"):
        copy_all(old, tmp_path / "new", put_beside, (tmp_path / "new" / "mine.txt").exists)
    assert names(tmp_path / "new") == {"mine.txt"}


@pytest.mark.parametrize("num_copied", [1, 2, 3])
def test_copying_that_was_killed_can_be_begun_again(old: Path, tmp_path: Path, num_copied: int) -> None:
    left = iter(range(num_copied - 1))

    def kill(num_bytes: int) -> None:
        if next(left, None) is None:
            raise Killed

    with pytest.raises(Killed):
        copy_all(old, tmp_path / "new", kill)
    assert finish_move(old) == old
    check(old, tmp_path / "new")
    assert names(tmp_path / "new") == set()


def test_folder_with_what_systems_leave_in_it_is_empty(old: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".DS_Store").write_bytes(b"view")
    check(old, tmp_path / "new")
    copy_all(old, tmp_path / "new")
    assert finish_move(old) == tmp_path / "new"
    assert ".DS_Store" in names(tmp_path / "new")


def test_data_that_was_moved_away_is_no_copy_that_may_be_removed(old: Path, new: Path, tmp_path: Path) -> None:
    copied = (new / LIST).read_text()
    moved = finish_move(old)
    (new / LIST).write_text(copied)  # as a kill in the last moment leaves it
    assert finish_move(moved) == moved
    copy_all(moved, tmp_path / "newer")
    assert finish_move(data_folder()) == tmp_path / "newer"
    with pytest.raises(MoveError, match="is not empty"):
        check(tmp_path / "newer", new)


def test_pointer_that_cannot_be_written_leaves_the_data_where_it_is(old: Path, new: Path, monkeypatch, caplog) -> None:
    def refuse(path: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(folders.os, "replace", refuse)
        assert finish_move(old) == old
    assert data_folder() == old
    assert finish_move(old) == new
    caplog.clear()


def test_folder_that_cannot_be_read_is_not_left_out(old: Path, tmp_path: Path, monkeypatch) -> None:
    walk = folders.os.walk

    def refuse(folder, onerror=None):
        if onerror is not None:
            onerror(PermissionError(13, "Permission denied", str(folder)))
        return walk(folder)

    monkeypatch.setattr(folders.os, "walk", refuse)
    with pytest.raises(MoveError, match="Permission denied"):
        copy_all(old, tmp_path / "new")


def test_copy_that_another_one_takes_the_place_of_is_removed(old: Path, new: Path, tmp_path: Path) -> None:
    copy_all(old, tmp_path / "newer")
    assert names(new) == {"prompt_cache/mine.txt"}
    assert finish_move(old) == tmp_path / "newer"


def test_copy_is_not_used_where_the_data_is_to_stay(old: Path, new: Path) -> None:
    stay()
    assert (finish_move(old), names(new)) == (old, {"prompt_cache/mine.txt"})
    assert names(old) == {"settings.json", "prompt_cache/1", "prompt_cache/2"}


def test_start_after_a_copying_that_was_killed_finds_out_why_nothing_was_moved(old: Path, tmp_path: Path) -> None:
    def kill(num_bytes: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        copy_all(old, tmp_path / "new", kill)
    assert finish_move(old) == old
    assert read_pointer().problem == unfinished(old, tmp_path / "new")


def test_choices_for_models_within_the_data_go_with_them(old: Path, tmp_path: Path) -> None:
    (old / "settings.json").unlink()
    imported, other = str(old / "models" / "模型"), f"{old}-other/models/a"
    choice = ModelChoice(drafter=f"model:{imported}")
    Settings(old).change(Preferences(target=imported, models={imported: choice, other: ModelChoice(kv_bits=8)}))
    Measurements(old).keep([Measurement(imported, "ngram", 1, 1.5, 40.0, 0.0, 1.0)])
    copy_all(old, new := tmp_path / "new")
    assert finish_move(old) == new
    moved = str(new / "models" / "模型")
    models = {moved: ModelChoice(drafter=f"model:{moved}"), other: ModelChoice(kv_bits=8)}
    assert Settings(new).preferences == Preferences(target=moved, models=models)
    assert Measurements(new).of(moved, "ngram") is not None
    assert Settings(old).preferences.target == imported
