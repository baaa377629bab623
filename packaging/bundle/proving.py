"""The packed application in the hands of somebody who has nothing else: no Python, no compiler, no right to write."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bundle.contents import NAME


def prove(archive: Path) -> int:
    """Unpack it into a folder that cannot be written to and run its self-test there; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="slipstream-unpacked-") as name, unpacked(archive, Path(name)) as folder:
        return subprocess.run([folder / NAME, "--self-test"], env=bare_environment(Path(name)), check=False).returncode


@contextmanager
def unpacked(archive: Path, parent: Path) -> Iterator[Path]:
    with tarfile.open(archive) as file:
        file.extraction_filter = getattr(tarfile, "tar_filter", None)  # which 3.11.4 and later want to be asked for
        file.extractall(parent)
    folder = parent / NAME
    set_writable(folder, False)
    try:
        yield folder
    finally:
        set_writable(folder, True)


def set_writable(folder: Path, is_writable: bool) -> None:
    for parent, _, names in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in names)):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | 0o200 if is_writable else mode & ~0o222)


def bare_environment(parent: Path) -> dict[str, str]:
    """A home without anything in it, and a PATH on which no program is."""
    home, programs = parent / "home", parent / "programs"
    home.mkdir(exist_ok=True)
    programs.mkdir(exist_ok=True)
    return {"HOME": str(home), "PATH": str(programs), "LANG": "C.UTF-8"}
