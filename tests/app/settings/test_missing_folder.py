"""What a start without the folder that the data was moved to says and offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.settings.folders import (
    DataFolderError,
    MovedFolderError,
    Pointer,
    data_folder,
    default_folder,
    pointer_path,
    read_pointer,
    write_pointer,
)
from app.settings.missing_folder import Choice, MissingFolderBox, find_folder
from app.shown_paths import write_place

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    (data_folder() / "conversations.sqlite").write_bytes(b"chats")
    write_pointer(Pointer(str(tmp_path / "unplugged")))
    return tmp_path / "unplugged"


def test_another_try_finds_the_folder_once_its_disk_is_connected(moved: Path) -> None:
    told = []

    def connect(sentence: str) -> Choice:
        told.append(sentence)
        moved.mkdir()
        (moved / "settings.json").write_text("{}")
        return Choice.TRY_AGAIN

    assert find_folder(connect) == moved
    assert told == ["The data was moved to ~/unplugged, which is not there. Connect its disk, then try again."]


def test_folder_from_before_is_used_this_time_only(moved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLIPSTREAM_DATA", "")
    assert find_folder(lambda sentence: Choice.USE_BEFORE) == default_folder()
    assert read_pointer().folder == str(moved)


def test_user_may_rather_quit(moved: Path) -> None:
    assert find_folder(lambda sentence: Choice.QUIT) is None
    assert not moved.exists()


def test_without_a_display_one_sentence_says_all_that_helps(moved: Path) -> None:
    with pytest.raises(MovedFolderError) as met:
        find_folder(None)
    assert f"start again, or remove {write_place(pointer_path())} to use the folder from before." in str(met.value)
    assert "writable" not in str(met.value)


def test_damaged_note_of_the_folder_is_named(moved: Path) -> None:
    pointer_path().write_text("{")
    with pytest.raises(DataFolderError, match=r"cannot be read: .* Mend or remove it"):
        find_folder(None)


@pytest.mark.parametrize("choice", list(Choice))
def test_each_button_of_the_box_is_its_choice(qapp: QApplication, choice: Choice) -> None:
    box = MissingFolderBox("It is not there.", has_before=True)
    button = {Choice.TRY_AGAIN: box.again, Choice.USE_BEFORE: box.before, Choice.QUIT: box.leave}[choice]
    assert button is not None
    QTimer.singleShot(0, button.click)
    assert box.ask() is choice


def test_folder_from_before_is_not_offered_where_it_has_no_chats(qapp: QApplication) -> None:
    box = MissingFolderBox("It is not there.", has_before=False)
    assert [button.text() for button in box.buttons()] == ["Try again", "Quit"]
