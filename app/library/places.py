"""Places: the folders in which models are looked for, and what they are called."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from app.library.hub import cache_folder

HOME_POINTER = ".lmstudio-home-pointer"  # in the home folder; holds the path of LM Studio's own
LM_STUDIO_HOMES = (Path(".lmstudio"), Path(".cache") / "lm-studio")  # in the home folder, the later version's first
IMPORTED = "models"  # in the data folder
CARRIED = Path(str(files("resources"))) / "drafters"  # what came with the program


class Kind(StrEnum):
    HUB = "hub"
    LM_STUDIO = "lm-studio"
    ADDED = "added"
    IMPORTED = "imported"
    STARTER = "starter"


NAMES = {
    Kind.HUB: "Hugging Face cache",
    Kind.LM_STUDIO: "LM Studio folder",
    Kind.IMPORTED: "Imported by Slipstream",
    Kind.STARTER: "Came with Slipstream",
}


@dataclass(frozen=True, slots=True)
class Place:
    folder: Path
    kind: Kind

    @property
    def name(self) -> str:
        """What the list says of a model that lies there."""
        return NAMES.get(self.kind) or f"Folder {self.folder.name or self.folder}"


def places(added: Iterable[str], data_dir: Path, home: Path | None = None) -> tuple[Place, ...]:
    """Each folder once, under the first name that it has; whether it is there is for the one who looks."""
    home = home or Path.home()
    found = [Place(cache_folder(), Kind.HUB), Place(data_dir / IMPORTED, Kind.IMPORTED)]
    found += [Place(folder, Kind.LM_STUDIO) for folder in _lm_studio_folders(home)]
    found += [Place(Path(os.path.expanduser(folder)), Kind.ADDED) for folder in added]
    return tuple({str(place.folder): place for place in reversed(found)}.values())[::-1]


def carried() -> tuple[Place, ...]:
    """Where what came with the program lies that is no starter model; none where it came without."""
    return (Place(CARRIED, Kind.STARTER),) if CARRIED.is_dir() else ()


def _lm_studio_folders(home: Path) -> Iterator[Path]:
    for root in (*_pointed(home), *(home / part for part in LM_STUDIO_HOMES)):
        chosen = _chosen_folder(root / "settings.json")
        if chosen is not None:
            yield chosen
        yield root / "models"


def _pointed(home: Path) -> Iterator[Path]:
    try:
        words = (home / HOME_POINTER).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return
    if words and "\0" not in words:
        yield Path(words)


def _chosen_folder(settings: Path) -> Path | None:
    """Where LM Studio was told to keep models; None where it was told nothing that makes sense."""
    try:
        found = json.loads(settings.read_text(encoding="utf-8"))
        chosen = found["downloadsFolder"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Path(chosen) if isinstance(chosen, str) and chosen and "\0" not in chosen else None
