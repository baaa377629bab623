"""What dyld would open for each load command: every library has to lie in the bundle or in macOS.

Source: dyld(1), and dyld's Loader::expandAtLoaderPath, which takes @loader_path from the file behind a link.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from macos.macho import Slice

SYSTEM = ("/usr/lib/", "/System/Library/")


def unresolved(code: Mapping[Path, Slice], program: Path) -> Iterator[tuple[Path, str]]:
    """Pairs of file and name that dyld would not find in the bundle of `program`; weak ones may be absent."""
    root = program.parents[2]
    for path, one in code.items():
        for name in one.dylibs:
            if not name.startswith(SYSTEM) and resolve(name, path, code, program, root) is None:
                yield path, name


def resolve(name: str, path: Path, code: Mapping[Path, Slice], program: Path, root: Path) -> Path | None:
    """The file inside `root` that a load command of `path` opens; links are kept, as dyld opens them."""
    for candidate in candidates(name, path, code, program):
        if candidate.is_file() and candidate.resolve().is_relative_to(root.resolve()):
            return candidate
    return None


def candidates(name: str, path: Path, code: Mapping[Path, Slice], program: Path) -> Iterator[Path]:
    """In dyld's order; an absolute path outside of macOS exists on the builder's Mac alone, so it is none."""
    if not name.startswith("@rpath/"):
        yield from _expanded(name, path, program)
        return
    of_program = code[program].rpaths if program in code else ()
    for owner, rpaths in ((path, code[path].rpaths), (program, of_program)):
        for rpath in rpaths:
            yield from _expanded(f"{rpath}/{name.removeprefix('@rpath/')}", owner, program)


def _expanded(name: str, path: Path, program: Path) -> Iterator[Path]:
    for word, folder in (("@loader_path/", path.resolve().parent), ("@executable_path/", program.parent)):
        if name.startswith(word):
            yield Path(os.path.normpath(folder / name.removeprefix(word)))
