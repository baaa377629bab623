"""Deletes models: an entry of the shared cache by the library that owns it, all else into the trash."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFile

from app.figures import write_bytes
from app.library.blobs import free_bytes
from app.library.found import scan
from app.library.found_model import FoundModel
from app.library.places import Kind, Place
from app.shown_paths import write_place
from engine.messages import STARTER

if TYPE_CHECKING:
    from huggingface_hub import DeleteCacheStrategy

CAME_WITH_IT = "It came with Slipstream and cannot be deleted."
IS_COMING = "It is being downloaded. Cancel the download first."
IS_GONE = "Its files are gone already."


class RemovalError(Exception):
    """Nothing, or not all, was deleted; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What deleting would do, for the one who is asked."""

    model: FoundModel
    path: Path  # what goes
    freed_bytes: int
    free_bytes: int  # on its disk
    goes_to_trash: bool
    keeps_others: bool = False  # other versions of it in the shared cache stay

    @property
    def place(self) -> str:
        return write_place(self.path)

    @property
    def sentence(self) -> str:
        size, free = write_bytes(self.freed_bytes), write_bytes(self.free_bytes)
        if self.goes_to_trash:
            return f"It goes to the trash: {size}, which the disk has back once that is emptied. {free} are free."
        kept = " Another version of it stays." if self.keeps_others else ""
        return f"{size} are deleted at once. The disk has {free} free.{kept}"


def refusal_of(model: FoundModel, *, hold: str, is_coming: bool) -> str:
    """Why a model cannot be deleted now, as a sentence; "" where it can. `hold` says why it is in use, "" is not."""
    if model.target == STARTER or model.kind == Kind.STARTER:
        return CAME_WITH_IT
    if hold:
        return hold
    if is_coming:
        return IS_COMING
    return IS_GONE if model.is_gone else ""


def plan_removal(model: FoundModel) -> Removal:
    """What would go; reads the disk. Raises RemovalError where there is nothing any more."""
    path = _what_goes(model)
    if not path.exists() and not path.is_symlink():
        raise RemovalError(f"{write_place(path)} is gone already.")
    if _shares_snapshot(model):
        freed = sum(_size_of(blob) for blob in _blobs_of_alone(model))
        return Removal(model, path, freed, free_bytes(path), goes_to_trash=False)
    if model.repo_id:
        freed, keeps_others = _plan_revision(model)
        return Removal(model, path, freed, free_bytes(path), goes_to_trash=False, keeps_others=keeps_others)
    imported = _size_of(Path(model.imported)) if model.imported else 0
    is_ours = model.kind == Kind.IMPORTED
    return Removal(model, path, _size_of(path) + imported, free_bytes(path), goes_to_trash=not is_ours)


def remove(removal: Removal, to_trash: Callable[[str], bool] | None = None) -> None:
    """Do it; takes as long as the disk does. Raises RemovalError."""
    model = removal.model
    try:
        if _shares_snapshot(model):
            _remove_files(model)
        elif model.repo_id:
            _remove_revision(model, removal)
        elif removal.goes_to_trash:
            _trash(removal.path, to_trash or _move_to_trash)
        else:
            shutil.rmtree(removal.path)
        if model.imported:
            shutil.rmtree(model.imported, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise RemovalError(f"{removal.place} was not deleted: {reason}. Look at its permissions.") from error


def _remove_revision(model: FoundModel, removal: Removal) -> None:
    """The library only logs what it could not delete."""
    _revision(model)[0].execute()
    if Path(model.folder).exists():
        raise RemovalError(f"{removal.place} was not deleted as a whole. Look at its permissions.")


def _trash(path: Path, to_trash: Callable[[str], bool]) -> None:
    if not to_trash(str(path)):
        raise RemovalError(
            f"{write_place(path)} was not moved to the trash: its disk may have none, or may be read-only. "
            "Delete it where it lies."
        )


def _move_to_trash(path: str) -> bool:
    moved = QFile.moveToTrash(path)
    return bool(moved[0] if isinstance(moved, tuple) else moved)


def _what_goes(model: FoundModel) -> Path:
    """The entry of the cache, the file, or the folder, a link rather than what it leads to.

    Of a snapshot with several models only the file or folder of this one.
    """
    if model.repo_id and not _shares_snapshot(model):
        return _entry(Path(model.folder))
    return Path(model.target) if model.is_gguf else Path(model.folder)


def _entry(folder: Path) -> Path:
    """Of a snapshot: the folder of its repository."""
    return next(path for path in (folder, *folder.parents) if path.name.startswith("models--"))


def _shares_snapshot(model: FoundModel) -> bool:
    """Whether its snapshot of the shared cache holds other models, as several quantisations: these stay."""
    name = _snapshot_of(Path(model.folder)) if model.repo_id else ""
    if not name:
        return False
    snapshot = _entry(Path(model.folder)) / "snapshots" / name
    return len(scan([Place(snapshot, Kind.ADDED)]).candidates) > 1


def _links_of(model: FoundModel) -> set[Path]:
    """Of a model in a snapshot: its own files, which are links where the disk knows any."""
    if model.is_gguf:
        return {Path(model.target)}
    return {path for path in Path(model.folder).rglob("*") if not path.is_dir()}


def _blobs_of_alone(model: FoundModel) -> set[Path]:
    """What its files lead to and no other file of the entry does."""
    own, entry = _links_of(model), _entry(Path(model.folder))
    others = {path for path in entry.glob("snapshots/**/*") if not path.is_dir()} - own
    return set(map(_blob_of, own)) - set(map(_blob_of, others))


def _blob_of(path: Path) -> Path:
    """Where a link of a snapshot leads: one step, as a blob may be a link itself, into a store that programs share."""
    if not path.is_symlink():
        return path
    blob = path.parent / os.readlink(path)
    return Path(os.path.realpath(blob.parent)) / blob.name


def _remove_files(model: FoundModel) -> None:
    blobs = _blobs_of_alone(model)
    for path in (*_links_of(model), *blobs):
        path.unlink(missing_ok=True)


def _plan_revision(model: FoundModel) -> tuple[int, bool]:
    strategy, keeps_others = _revision(model)
    return strategy.expected_freed_size, keeps_others


def _revision(model: FoundModel) -> tuple[DeleteCacheStrategy, bool]:
    """The library's own plan for one snapshot: blobs that another one needs stay; and whether there is another."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    entry, snapshot = _entry(Path(model.folder)), _snapshot_of(Path(model.folder))
    try:
        cache = scan_cache_dir(entry.parent)
    except (CacheNotFound, ValueError) as error:
        raise RemovalError(f"{write_place(entry.parent)} cannot be read: {error}.") from error
    repo = next((one for one in cache.repos if os.path.realpath(one.repo_path) == os.path.realpath(entry)), None)
    known = [one.commit_hash for one in repo.revisions] if repo is not None else []
    if repo is None or snapshot not in known:
        raise RemovalError(f"{write_place(entry)} is damaged, so that it cannot be deleted in part. Delete it there.")
    # Of this entry alone: one that was renamed on the hub has the same commits under its other name.
    return replace(cache, repos=frozenset((repo,))).delete_revisions(snapshot), len(known) > 1


def _snapshot_of(folder: Path) -> str:
    """The name of the snapshot that a folder is, or lies in."""
    parts = folder.parts
    return parts[parts.index("snapshots") + 1] if "snapshots" in parts[:-1] else ""


def _size_of(path: Path) -> int:
    """Bytes of a file or of all files in a folder; what links lead to elsewhere is not freed."""
    if path.is_file() or path.is_symlink():
        return path.lstat().st_size
    return sum(one.lstat().st_size for one in path.rglob("*") if not one.is_dir())
