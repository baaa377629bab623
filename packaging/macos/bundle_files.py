"""Which files of a bundle are code, and which belong together for signing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from macos.macho import read_slices


def walk(folder: Path) -> Iterator[Path]:
    """Every file and link below the folder, links not followed, in a stable order."""
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        folders[:] = sorted(set(folders) - set(links))
        yield from (Path(parent) / name for name in sorted([*names, *links]))


def code_files(folder: Path) -> list[Path]:
    """Every Mach-O file; what a link names comes once, by its own place."""
    return [path for path in walk(folder) if not path.is_symlink() and read_slices(path)]


def framework_of(path: Path) -> Path | None:
    """The innermost framework that holds the file."""
    return next((parent for parent in path.parents if parent.suffix == ".framework"), None)


def is_main_of_framework(path: Path) -> bool:
    """Such as QtCore.framework/Versions/A/QtCore: signed by signing the framework's version."""
    framework = framework_of(path)
    return framework is not None and path.name == framework.stem and path.parent.parent.name == "Versions"
