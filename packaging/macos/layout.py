"""Lays an application out from wheels as PyInstaller 6 does on a Mac, so that the result can be looked at anywhere.

What is PyInstaller's own and runs on any system is called: whole frameworks, and the division into Frameworks and
Resources. What it does with Apple's tools is done here as it does it: depend/bindepend.py (binary_dependency_analysis)
and utils/osx.py (set_dylib_dependency_paths).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from macos.commands import ReleaseError
from macos.info import ARCHITECTURE
from macos.loading import SYSTEM, candidates
from macos.macho import Slice, read_slice

Entry = tuple[str, str, str]  # PyInstaller's: path in the application, path here (a link's target), kind


def code_entries(site: Path, is_taken: Callable[[str], bool]) -> list[Entry]:
    """The taken Mach-O files of unpacked wheels, at their own places."""
    files = [path for path in sorted(site.rglob("*")) if path.is_file()]
    taken = [path for path in files if is_taken(path.relative_to(site).as_posix())]
    return [entry_of(path, site) for path in taken if read_slice(path, ARCHITECTURE)]


def entry_of(path: Path, site: Path) -> Entry:
    return path.relative_to(site).as_posix(), str(path), "EXTENSION" if path.suffix == ".so" else "BINARY"


def with_dependencies(entries: Iterable[Entry], site: Path) -> list[Entry]:
    """Adds the libraries that they load, and for each a link in the top folder, where all are loaded from."""
    found = {entry[0]: entry for entry in entries}
    pending = [Path(source) for _, source, _ in found.values()]
    while pending:
        path = pending.pop()
        one = read_slice(path, ARCHITECTURE)
        for name in (*one.dylibs, *one.weak_dylibs) if one else ():
            library = _library(name, path, one, site)
            if library is None:
                continue
            place = library.relative_to(site).as_posix()
            if place not in found:
                found[place] = entry_of(library, site)
                pending.append(library)
            if "/" in place:
                found.setdefault(library.name, (library.name, place, "SYMLINK"))
    return list(found.values())


def _library(name: str, path: Path, one: Slice | None, site: Path) -> Path | None:
    """What a wheel's load command names in the wheels: by its paths, or else, as PyInstaller, by its file name."""
    if name.startswith(SYSTEM) or one is None:
        return None
    by_path = [place for place in candidates(name, path, {path: one}, path) if place.is_file()]
    return next(iter(by_path or sorted(site.rglob(PurePosixPath(name).name))), None)


def as_loaded(path: Path, frameworks: Path) -> Slice | None:
    """The load commands that PyInstaller leaves in a file of the application's Frameworks."""
    one = read_slice(path, ARCHITECTURE)
    if one is None or not path.is_relative_to(frameworks):
        return one
    up = [".."] * len(path.relative_to(frameworks).parts[:-1])
    return replace(
        one,
        dylibs=tuple(map(_by_name, one.dylibs)),
        weak_dylibs=tuple(map(_by_name, one.weak_dylibs)),
        rpaths=("/".join(["@loader_path", *up]),),
    )


def _by_name(name: str) -> str:
    return name if name.startswith(SYSTEM) else f"@rpath/{PurePosixPath(name).name}"


def placed(entries: Iterable[Entry]) -> list[Entry]:
    """PyInstaller's own division; paths then begin with Contents/."""
    try:
        from PyInstaller.building.osx import BUNDLE
        from PyInstaller.utils.osx import collect_files_from_framework_bundles
    except ImportError as error:
        raise ReleaseError(
            f"{error}: the evaluation lays files out by PyInstaller's own code; install the project's extra app"
        ) from None
    whole = collect_files_from_framework_bundles(list(entries))
    return list(BUNDLE._process_bundle_toc(BUNDLE, sorted(whole)))


def lay_out(entries: Iterable[Entry], application: Path) -> None:
    """Files become hard links to the wheels': nothing changes them."""
    for place, source, kind in entries:
        path = application / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "SYMLINK":
            path.symlink_to(source)
        else:
            os.link(source, path)
