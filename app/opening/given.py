"""What the paths are that someone opened with this program: models, exported chats, or neither."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.conversations.exporting.json_file import OWN_ENDING
from app.library.found import scan
from app.library.places import Kind, Place
from app.shown_paths import write_place

MODEL_ENDING = ".gguf"
CHAT_ENDINGS = (f".{OWN_ENDING}", ".json", ".zip")
WANTED = f"Open a folder with a model, a {MODEL_ENDING} file or an exported chat ({', '.join(CHAT_ENDINGS)})."


@dataclass(frozen=True, slots=True)
class Given:
    """`model` is a target, "" where none was opened; `troubles` are sentences on what cannot be opened."""

    model: str = ""
    chats: tuple[Path, ...] = ()
    troubles: tuple[str, ...] = ()


def look_at(paths: Sequence[str]) -> Given:
    """Look at each path; takes as long as its disk does. The first model is the one to use."""
    models: list[str] = []
    chats: list[Path] = []
    troubles: list[str] = []
    for path in map(Path, paths):
        if not path.exists():
            troubles.append(f"{write_place(path)} is not there.")
        elif path.is_dir():
            _look_into(path, models, troubles)
        elif path.suffix.lower() == MODEL_ENDING:
            models.append(str(path.resolve()))
        elif path.suffix.lower() in CHAT_ENDINGS:
            chats.append(path)
        else:
            troubles.append(f"{path.name} is neither a model nor an exported chat. {WANTED}")
    first, *others = models or [""]
    troubles += [f"{Path(one).name} was left: chats go on with one model at a time." for one in others]
    return Given(first, tuple(chats), tuple(troubles))


def _look_into(folder: Path, models: list[str], troubles: list[str]) -> None:
    found = scan([Place(folder, Kind.ADDED)]).candidates
    if not found:
        troubles.append(
            f"No model was found in {write_place(folder)}. A model is a folder with config.json and weights."
        )
    elif len(found) > 1:
        troubles.append(
            f"{write_place(folder)} holds {len(found):,} models. Open one of them, or add the folder under Models."
        )
    else:
        models.append(os.path.realpath(found[0].target))
