"""The licences of everything inside the application, one folder a distribution or system package."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

TEXTS = Path(__file__).parent / "texts"
# What wheels leave out, and what is no distribution
ADDED = {
    "pyside6-essentials": ("Qt.txt", "LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "sentencepiece": ("Apache-2.0.txt",),
    "tokenizers": ("Apache-2.0.txt",),
    "latex2mathml": ("latex2mathml.txt",),
    "pyobjc-core": ("pyobjc.txt",),
    "SmolLM2-135M-Instruct": ("starter.txt", "Apache-2.0.txt"),
}
ALSO_INSIDE = ("pyinstaller",)  # whose loader starts the program
_NAMES = ("licen", "copying", "notice", "authors")
_DOCUMENTS = Path("/usr/share/doc")


def write_licences(
    folder: Path, distributions: dict[str, Distribution], system: Iterable[Path], also: Sequence[str] = ALSO_INSIDE
) -> None:
    """Fill the folder anew. `system` holds files that the system's packages installed here.

    Raises ValueError where a distribution has no licence.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for name, one in (distributions | {name: distribution(name) for name in also}).items():
        _write_of(one, folder / name)
        write_texts(folder / name, ADDED.get(name, ()))
    write_texts(folder / "SmolLM2-135M-Instruct", ADDED["SmolLM2-135M-Instruct"])
    _copy(Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", folder / "python" / "LICENSE.txt")
    for package in sorted({package for path in system if (package := package_of(path))}):
        _copy(_DOCUMENTS / package / "copyright", folder / package / "copyright")
    if missing := [name for name in distributions if not any(map(Path.is_file, (folder / name).rglob("*")))]:
        raise ValueError(f"no licence was found for {', '.join(missing)}; add its text to {TEXTS} and to ADDED")


def write_texts(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        _copy(TEXTS / name, folder / name)


def _write_of(one: Distribution, folder: Path) -> None:
    """Its licence files, with their folders where it has several."""
    for file in one.files or ():
        parts = file.parts
        if parts[0].endswith(".dist-info") and any(part in file.name.lower() for part in _NAMES):
            inner = parts[2:] if parts[1] == "licenses" else parts[1:]
            _copy(Path(str(one.locate_file(file))), folder.joinpath(*inner))


def package_of(path: Path) -> str:
    """The Debian package that installed a file; "" where none did, or where there is no dpkg."""
    if shutil.which("dpkg-query") is None:
        return ""
    # Files below /usr may be known by their path from before the two were merged
    for known in (path, path.resolve(), Path(str(path.resolve()).removeprefix("/usr"))):
        asked = subprocess.run(["dpkg-query", "--search", str(known)], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return asked.stdout.partition(":")[0]
    return ""


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
