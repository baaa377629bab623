"""Which tabs are open and what is written in them, kept in the data folder for the next start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.kept_file import read_kept, write_kept

FILE_NAME = "open-tabs.json"


@dataclass(frozen=True, slots=True)
class OpenTabs:
    """`drafts` are texts that were not sent, by conversation id; "" for a chat that has none."""

    conversation_ids: tuple[str, ...] = ()
    current: int = 0
    drafts: Mapping[str, str] = field(default_factory=dict)


def read_open_tabs(folder: Path) -> OpenTabs:
    """Nothing where the file is missing or says something else."""
    return read_kept(folder / FILE_NAME, _build, OpenTabs())


def write_open_tabs(folder: Path, tabs: OpenTabs) -> None:
    write_kept(folder / FILE_NAME, tabs)


def _build(found: Any) -> OpenTabs:
    drafts = {str(name): str(text) for name, text in dict(found.get("drafts", {})).items()}
    return OpenTabs(tuple(str(name) for name in found["conversation_ids"]), int(found["current"]), drafts)
