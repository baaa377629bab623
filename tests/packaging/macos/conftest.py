"""A small Slipstream.app, and stand-ins for Apple's tools that write their arguments down."""

from __future__ import annotations

import os
import plistlib
from pathlib import Path

import pytest

from macos.commands import Commands
from macos.info import info_plist, project_version
from macos.macho import EXECUTABLE, Slice
from tests.packaging.macos.mach_files import metal_library, write

TOP = "@loader_path/.."
PLUGIN = Slice("arm64", dylibs=("@rpath/QtCore",), rpaths=("@loader_path/../../../..",))
WRITES_DOWN = r"""#!/bin/sh
{ printf '%s' "${0##*/}"; for one; do printf '\t%s' "$one"; done; printf '\n'; } >> "$TOOLS/calls"
if [ -f "$TOOLS/${0##*/}.$1.sh" ]; then . "$TOOLS/${0##*/}.$1.sh"; fi
"""


@pytest.fixture
def application(tmp_path) -> Path:
    """As PyInstaller lays it out: code in Frameworks, data in Resources, links between them."""
    contents = tmp_path / "dist 1/Slipstream.app/Contents"
    frameworks, resources = contents / "Frameworks", contents / "Resources"
    write(contents / "MacOS/Slipstream", Slice("arm64", EXECUTABLE, minimum_macos=(11, 0)))
    write(contents / "Info.plist", plistlib.dumps(info_plist(project_version())))
    write(resources / "Slipstream.icns", b"icns")
    write(resources / "mlx/lib/mlx.metallib", metal_library(14))
    core = Slice("arm64", 8, (14, 0), dylibs=("@rpath/libmlx.dylib", "/usr/lib/libc++.1.dylib"), rpaths=(TOP,))
    write(frameworks / "mlx/core.cpython-312-darwin.so", core)
    write(frameworks / "mlx/lib/libmlx.dylib", Slice("arm64", minimum_macos=(14, 0)))
    write(frameworks / "QtCore.framework/Versions/A/QtCore", Slice("arm64", minimum_macos=(13, 0)))
    write(frameworks / "QtCore.framework/Versions/A/Resources/Info.plist", b"")
    for name in ("platforms/libqcocoa", "styles/libqmacstyle", "imageformats/libqsvg", "iconengines/libqsvgicon"):
        write(frameworks / f"PySide6/Qt/plugins/{name}.dylib", PLUGIN)
    link(frameworks / "QtCore.framework/Versions/Current", "A")
    link(frameworks / "QtCore", "QtCore.framework/Versions/A/QtCore")
    link(frameworks / "mlx/lib/mlx.metallib", "../../../Resources/mlx/lib/mlx.metallib")
    link(frameworks / "libmlx.dylib", "mlx/lib/libmlx.dylib")
    link(frameworks / "mlx.metallib", "mlx/lib/mlx.metallib")
    return contents.parent


def link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


class Tools:
    """The folder that comes first on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.commands = Commands(self.said.append)
        for name in ("codesign", "ditto", "hdiutil", "security", "spctl", "xcrun"):
            (folder / name).write_text(WRITES_DOWN)
            (folder / name).chmod(0o755)

    def when(self, tool: str, first: str, script: str) -> None:
        """What the tool does when its first argument is this one."""
        (self.folder / f"{tool}.{first}.sh").write_text(script)

    def does(self, tool: str, script: str) -> None:
        """What the tool does at every call."""
        with (self.folder / tool).open("a") as file:
            file.write(script)

    @property
    def calls(self) -> list[list[str]]:
        written = self.folder / "calls"
        return [line.split("\t") for line in written.read_text().splitlines()] if written.exists() else []

    def calls_of(self, *begin: str) -> list[list[str]]:
        return [call for call in self.calls if tuple(call[: len(begin)]) == begin]


@pytest.fixture
def tools(tmp_path, monkeypatch) -> Tools:
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("TOOLS", str(folder))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return Tools(folder)
