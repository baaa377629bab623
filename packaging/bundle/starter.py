"""The starter model as the application carries it: converted by the engine's own import."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.models.gguf import import_gguf
from engine.models.locate import CARRIED_STARTER, SOURCE_RECORD, STARTER_FILE, GgufFile, find_starter, resolve_target


def convert_starter(folder: Path) -> Path:
    """Make the resource below `folder`, unless it was made there before; raises ModelError."""
    source = find_starter()
    assert source.name == STARTER_FILE, f"the source tree carries {source}"
    if isinstance(resolve_target(str(source), folder), GgufFile):
        for _ in import_gguf(source, folder):
            pass
    imported = resolve_target(str(source), folder)
    assert isinstance(imported, Path)
    resource = folder / "resources" / CARRIED_STARTER
    shutil.rmtree(resource, ignore_errors=True)
    # The record names a file of this machine
    shutil.copytree(imported, resource, ignore=shutil.ignore_patterns(SOURCE_RECORD), copy_function=_link)
    return resource


def _link(source: str, target: str) -> str:
    Path(target).hardlink_to(source)
    return target
