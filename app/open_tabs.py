"""Which tabs are open and what is written in them, kept in the data folder for the next start."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

logger = logging.getLogger(__name__)
FILE_NAME = "open-tabs.json"


@dataclass(frozen=True, slots=True)
class OpenTabs:
    """`drafts` are texts that were not sent, by conversation id; "" for a chat that has none."""

    conversation_ids: tuple[str, ...] = ()
    current: int = 0
    drafts: Mapping[str, str] = field(default_factory=dict)


def read_open_tabs(folder: Path) -> OpenTabs:
    """Nothing where the file is missing or says something else."""
    try:
        found = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
        drafts = {str(name): str(text) for name, text in dict(found.get("drafts", {})).items()}
        return OpenTabs(tuple(str(name) for name in found["conversation_ids"]), int(found["current"]), drafts)
    except FileNotFoundError:
        return OpenTabs()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("the list of open tabs was not read: %s", error)
        return OpenTabs()


def write_open_tabs(folder: Path, tabs: OpenTabs) -> None:
    """Replace the file in one step."""
    path = folder / FILE_NAME
    fresh = path.with_suffix(".new")
    try:
        fresh.write_text(json.dumps(asdict(tabs)), encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        logger.warning("the list of open tabs was not saved: %s", error)
