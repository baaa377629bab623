"""Folders that look like models to who only looks at names."""

from __future__ import annotations

from pathlib import Path

from app.library.found import Candidate, scan
from app.library.found_model import FoundModel, begin
from app.library.places import Kind, Place

WEIGHTS = b"x" * 1000


def make_model(folder: Path, weights: str = "model.safetensors") -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / weights).write_bytes(WEIGHTS)
    return folder


def make_cache_entry(cache: Path, name: str, revision: str = "abc", *, is_main: bool = True) -> Path:
    """Of an organisation and a name, as "org--name": links in a snapshot to blobs, as huggingface_hub makes them."""
    entry = cache / f"models--{name}"
    snapshot = entry / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (entry / "blobs").mkdir(exist_ok=True)
    (entry / "refs").mkdir(exist_ok=True)
    for file, blob, content in (("config.json", "c1", b"{}"), ("model.safetensors", f"w-{revision}", WEIGHTS)):
        (entry / "blobs" / blob).write_bytes(content)
        (snapshot / file).symlink_to(Path("../../blobs") / blob)
    if is_main:
        (entry / "refs" / "main").write_text(revision)
    return entry


def found_in(folder: Path, kind: Kind = Kind.ADDED) -> tuple[Candidate, ...]:
    return scan([Place(folder, kind)]).candidates


def model_in(folder: Path, kind: Kind = Kind.ADDED) -> FoundModel:
    (candidate,) = found_in(folder, kind)
    return begin(candidate)
