"""Says of an added folder which of its models have no row of their own, and under which name they are listed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.library.found import STARTER_PACKAGE, Scan, Trouble
from app.library.places import Kind, Place
from app.shown_paths import write_place


def tell_merged(found: Scan, added: Iterable[str]) -> Iterator[Trouble]:
    """One sentence for each folder with imports; looks at the disk."""
    for folder in map(os.path.expanduser, added):
        root = os.path.realpath(folder)
        inside = [one for one in found.merged if Path(os.path.realpath(one[0])).is_relative_to(root)]
        if inside:
            told = " ".join(_sentence(Path(path), Path(source)) for path, source in inside)
            yield Trouble(Place(Path(folder), Kind.ADDED), told)


def _sentence(path: Path, source: Path) -> str:
    is_starter = source.parent.name == STARTER_PACKAGE
    listed = "the model that came with Slipstream" if is_starter else write_place(source)
    return f"{path.name} in {write_place(path.parent)} was imported from {listed}, and is listed as that."
