from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.system.libraries import COMMON, WAYLAND, XCB, chosen_platform, missing_libraries_sentence, packages_sentence

PROJECT = Path(__file__).parents[3]
QT = Path(importlib.util.find_spec("PySide6").origin).parent / "Qt"
OF_THE_C_LIBRARY = ("libc.", "libm.", "libdl.", "libpthread.", "librt.", "libgcc_s.", "libstdc++.", "ld-linux")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Qt brings what it needs")


@linux_only
def test_offscreen_works_where_the_tests_run(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert missing_libraries_sentence() == ""


def test_packages_are_named_once_for_each_system():
    sentence = packages_sentence(["libEGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0"], "libEGL.so.1: no file")
    assert "`apt install libegl1 libglib2.0-0` (Debian, Ubuntu)" in sentence
    assert "`dnf install libglvnd-egl glib2` (Fedora)" in sentence


@linux_only
@pytest.mark.parametrize(
    ("environment", "platform"),
    [
        ({"QT_QPA_PLATFORM": "offscreen:fontdir=x", "DISPLAY": ":1"}, "offscreen"),
        ({"DISPLAY": ":1"}, "xcb"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "wayland"),
        ({}, ""),
    ],
)
def test_the_platform_is_the_one_that_qt_takes(monkeypatch, environment, platform):
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert chosen_platform() == platform


@linux_only
def test_the_window_without_a_display_ends_in_one_sentence():
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    environment.pop("QT_QPA_PLATFORM", None)
    command = [sys.executable, "-m", "app.launch"]
    ended = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "No display was found: start Slipstream in a graphical session, or set DISPLAY.\n"


@linux_only
@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
@pytest.mark.parametrize("name", ["Core", "Gui", "Widgets", "Svg", "DBus", "XcbQpa", "WaylandClient"])
def test_every_library_that_qt_names_has_its_packages(name):
    command = ["readelf", "-d", str(QT / f"lib/libQt6{name}.so.6")]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
    needed = {line.split("[")[1].rstrip("]") for line in output.stdout.splitlines() if "(NEEDED)" in line}
    own = {file for file in needed if (QT / "lib" / file).exists()}
    system = {file for file in needed - own if not file.startswith(OF_THE_C_LIBRARY)}
    assert system <= {*COMMON, *XCB, *WAYLAND}
