"""Where the user's data lies; nothing is written beside the code or the models."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from app.shown_paths import write_place, write_places

POINTER = "data-folder.json"  # among the system's preferences; the engine's command line reads it too


class DataFolderError(OSError):
    """There is no data folder; the text is a sentence for the user."""


class MovedFolderError(DataFolderError):
    """The folder that the data was moved to is not there."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the data lies where it is not in the default folder, and where it is to lie from the next start on."""

    folder: str = ""  # "" is the default folder itself
    next: str = ""  # a copy that is brought up to date at the start, then used
    problem: str = ""  # why that was not done, a sentence


def default_folder() -> Path:
    return platformdirs.user_data_path("slipstream", appauthor=False)


def pointer_path() -> Path:
    return platformdirs.user_preference_path("slipstream", appauthor=False) / POINTER


def named_folder() -> Path | None:
    """The folder that SLIPSTREAM_DATA names, which cannot be moved from within the program."""
    override = os.environ.get("SLIPSTREAM_DATA")
    return Path(override).expanduser() if override else None


def data_folder() -> Path:
    """The folder of conversations and imported models, made for the user alone where it is missing.

    An existing folder that SLIPSTREAM_DATA names keeps the permissions that its owner gave it. One that the data was
    moved to is never made anew: where it is missing, MovedFolderError says so. Raises DataFolderError.
    """
    override = named_folder()
    folder = override or default_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if override:
            return folder
        folder.chmod(0o700)
    except OSError as error:
        raise DataFolderError(_refusal(folder, error, is_named=override is not None)) from error
    moved = _moved_to()
    if moved and not _holds_something(Path(moved)):
        raise MovedFolderError(f"The data was moved to {write_place(Path(moved))}, which is not there.")
    return Path(moved) if moved else folder


def _refusal(folder: Path, error: OSError, *, is_named: bool) -> str:
    reason, place = error.strerror or str(error), write_place(folder)
    if is_named:
        return f"{place}, which SLIPSTREAM_DATA names, cannot be used: {reason}. Name a folder that can be written."
    return f"The data folder {place} cannot be used: {reason}. Make it writable, or name another in SLIPSTREAM_DATA."


def _moved_to() -> str:
    try:
        return read_pointer().folder
    except (OSError, ValueError) as error:
        place, reason = write_place(pointer_path()), write_places(str(error))
        raise DataFolderError(
            f"{place} names the folder with the data and cannot be read: {reason}. Mend or remove it, then start again."
        ) from error


def _holds_something(folder: Path) -> bool:
    """False for the empty folder too that is left where a disk is not connected."""
    return folder.is_dir() and any(folder.iterdir())


def read_pointer() -> Pointer:
    """Raises OSError or ValueError where there is one that cannot be read: the data may then be elsewhere."""
    try:
        found = json.loads(pointer_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Pointer()
    if not isinstance(found, dict):
        raise ValueError("it says nothing of a folder")
    return Pointer(*(str(found.get(name) or "") for name in ("folder", "next", "problem")))


def write_pointer(pointer: Pointer) -> None:
    """In one step; raises OSError."""
    path = pointer_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(json.dumps(asdict(pointer)))
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
