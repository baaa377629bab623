"""Dialogs that ask for a place: endings of names, and where they begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.file_dialogs import FileDialog, SaveDialog, with_ending

ENDINGS = {"Markdown (*.md)": ("md", "txt"), "JSON (*.json)": ("json",), "A folder (*)": ()}


@pytest.fixture
def parent(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> QWidget:
    monkeypatch.setattr(FileDialog, "_last_folder", None)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


def field_of(dialog: SaveDialog) -> QLineEdit:
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(field, QLineEdit)
    return field


@pytest.mark.parametrize(
    ("name", "named"),
    [("Notes", "Notes.md"), ("Python 3.12 copy", "Python 3.12 copy.md"), ("Node.js", "Node.js.md"), ("a.TXT", "a.TXT")],
)
def test_a_name_with_a_dot_takes_its_ending_too(name: str, named: str) -> None:
    assert with_ending(name, ENDINGS["Markdown (*.md)"]) == named


def test_another_kind_changes_the_ending_alone(parent: QWidget) -> None:
    dialog = SaveDialog(parent, "Export", "Python 3.12 copy", ENDINGS)
    names = [field_of(dialog).text()]
    for name_filter in ("JSON (*.json)", "A folder (*)", "Markdown (*.md)"):
        dialog.selectNameFilter(name_filter)
        dialog.filterSelected.emit(name_filter)
        names.append(field_of(dialog).text())
    assert names == [f"Python 3.12 copy{ending}" for ending in (".md", ".json", "", ".md")]


def test_a_name_that_is_typed_takes_its_ending_before_the_file_is_chosen(parent: QWidget, tmp_path: Path) -> None:
    dialog = SaveDialog(parent, "Export", "Notes", ENDINGS)
    chosen: list[str] = []
    dialog.fileSelected.connect(chosen.append)
    dialog.open()
    field_of(dialog).setText("v1.5")
    dialog.accept()
    assert chosen == [str(tmp_path / "v1.5.md")]


def test_a_dialog_begins_at_home_and_then_where_the_last_one_was(parent: QWidget, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    first = FileDialog(parent, "Attach files")
    assert Path(first.directory().absolutePath()) == tmp_path
    first.filesSelected.emit([str(tmp_path / "sub" / "a.md")])
    assert Path(FileDialog(parent, "Export").directory().absolutePath()) == tmp_path / "sub"
