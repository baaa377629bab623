"""The Linux folder: its desktop entry, its icons, how it gets into the menu, and its archive."""

from __future__ import annotations

import re
import subprocess
import tarfile
from configparser import RawConfigParser
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from bundle.desktop import ENTRY, MENU_SCRIPT, allow_reading, archive, dress
from bundle.icons import icns_of, png_of, write_icons

ICONS = "share/icons/hicolor"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_icons(folder)
    return folder


@pytest.fixture
def folder(tmp_path, made):
    """An application that only says with which arguments it was called."""
    folder = tmp_path / 'My "50 %" apps $HOME' / "Slipstream"
    (folder / "_internal/licences").mkdir(parents=True)
    (folder / "Slipstream").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (folder / "Slipstream").chmod(0o700)
    dress(folder, made)
    return folder


def words_of(command: str) -> list[str]:
    """As desktops read it: the escapes of the file, then those within quotes. A lone %F stays."""
    text = command.replace("\\\\", "\\")
    quoted, rest = re.fullmatch(r'"((?:[^"\\]|\\.)*)"(.*)', text).groups()
    return [re.sub(r"\\(.)", r"\1", quoted).replace("%%", "%"), *rest.split()]


def read_entry(path: Path) -> dict[str, str]:
    parser = RawConfigParser()
    parser.optionxform = str
    parser.read_string(path.read_text(encoding="utf-8"))
    return dict(parser["Desktop Entry"])


def test_the_folder_is_an_appdir(folder):
    entry = read_entry(folder / "slipstream.desktop")
    assert (entry["Exec"], entry["Icon"], entry["Terminal"]) == ("Slipstream %F", "slipstream", "false")
    assert (folder / "AppRun").resolve() == (folder / "Slipstream").resolve()
    assert QImage(str(folder / ".DirIcon")).width() == 256
    assert (folder / "licences").resolve().is_dir()


def test_icons_of_every_size_are_drawn(folder):
    widths = {path.parts[-3]: QImage(str(path)).width() for path in (folder / ICONS).glob("*/apps/slipstream.png")}
    assert widths == {f"{size}x{size}": size for size in (16, 24, 32, 48, 64, 128, 256, 512)}
    assert (folder / ICONS / "scalable/apps/slipstream.svg").is_file()


def run_menu_script(folder: Path, data: Path, *arguments: str) -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "XDG_DATA_HOME": str(data)}
    subprocess.run([folder / MENU_SCRIPT.name, *arguments], env=environment, check=True)


def test_the_menu_starts_the_program_from_where_it_lies(folder, tmp_path):
    data = tmp_path / "data"
    run_menu_script(folder, data)
    entry = read_entry(data / "applications/slipstream.desktop")
    assert words_of(entry["Exec"]) == [str(folder / "Slipstream"), "%F"]
    assert {**entry, "Exec": "Slipstream %F"} == read_entry(folder / "slipstream.desktop")
    assert (data / "icons/hicolor/48x48/apps/slipstream.png").is_file()


def test_what_was_put_into_the_menu_can_be_taken_out(folder, tmp_path):
    data = tmp_path / "data"
    run_menu_script(folder, data)
    run_menu_script(folder, data, "--remove")
    assert [path for path in data.rglob("*slipstream*") if path.is_file()] == []


def test_the_archive_can_be_read_and_run_by_anybody_and_names_no_user(folder, tmp_path):
    allow_reading(folder)
    with tarfile.open(archive(folder, tmp_path / "a.tar.xz")) as file:
        entries = {entry.name: entry for entry in file}
    assert {(entry.uid, entry.uname) for entry in entries.values()} == {(0, "root")}
    assert entries["Slipstream/Slipstream"].mode == 0o755
    assert entries["Slipstream/share/applications/slipstream.desktop"].mode == 0o644
    assert entries["Slipstream/AppRun"].linkname == "Slipstream"


def test_the_icon_of_macos_has_each_picture_under_its_codes():
    data = icns_of({16: b"small", 32: b"large"})
    assert data == b"icns" + (8 + 13 + 13 + 13).to_bytes(4, "big") + b"".join(
        code + (13).to_bytes(4, "big") + picture
        for code, picture in ((b"icp4", b"small"), (b"icp5", b"large"), (b"ic11", b"large"))
    )


def test_a_picture_has_clear_corners_and_a_filled_middle():
    picture = QImage.fromData(png_of(64))
    assert picture.pixelColor(0, 0).alpha() == 0
    assert picture.pixelColor(32, 12).alpha() == 255


def test_the_entry_is_shown_for_our_own_conversations():
    assert "MimeType=application/x-slipstream-chat;" in ENTRY
