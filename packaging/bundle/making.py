"""What the build makes itself for the application, before PyInstaller collects the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from bundle.distributions import installed, metadata_files, required, unlisted
from bundle.icons import write_icons
from bundle.licences import write_licences
from bundle.openblas import DISTRIBUTION as OPENBLAS
from bundle.openblas import make_openblas
from bundle.starter import convert_starter
from engine.blas import CARRIED

Entry = tuple[str, str, str]
PROJECT = Path(__file__).resolve().parents[2]
NOT_RESOURCES = ("__pycache__", ".DS_Store")


def make(folder: Path) -> None:
    """Fill `folder` with the starter model, the icons and, on Linux, OpenBLAS."""
    write_icons(folder)
    convert_starter(folder)
    if sys.platform == "linux":
        make_openblas(folder)


def carried_libraries(made: Path) -> list[tuple[str, str]]:
    """(file, folder in the application)"""
    library = made / CARRIED
    return [(str(library), str(Path(CARRIED).parent))] if sys.platform == "linux" else []


def carried_files(made: Path) -> list[Entry]:
    """All resources, with the converted starter among them."""
    return [*_tree(PROJECT / "resources", "resources"), *_tree(made / "resources", "resources")]


def check_and_document(made: Path, modules: Iterable[Entry], binaries: Iterable[Entry]) -> list[Entry]:
    """Metadata and licences of what was collected; raises ValueError where something nobody asked for is inside."""
    taken = required()
    if strays := unlisted((name for name, _, _ in modules), taken):
        raise ValueError(f"{', '.join(strays)} would go in, though no requirement names them; see MODULES_LEFT_OUT")
    system = [Path(source) for target, source, kind in binaries if kind == "BINARY" and "/" not in target]
    if sys.platform == "linux":
        taken[OPENBLAS] = installed(OPENBLAS)
    write_licences(made / "licences", taken, (path for path in system if not path.is_relative_to(sys.prefix)))
    metadata = [(f"{folder}/{Path(file).name}", file, "DATA") for file, folder in metadata_files(taken.values())]
    return [*metadata, *_tree(made / "licences", "licences")]


def _tree(folder: Path, target: str) -> Iterator[Entry]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and path.suffix not in {".py", ".pyc"} and not set(inner.parts) & set(NOT_RESOURCES):
            yield f"{target}/{inner.as_posix()}", str(path), "DATA"
