"""A Hugging Face cache entry made of a model folder."""

from __future__ import annotations

from pathlib import Path


def write_cache_entry(folder: Path, hub: Path) -> Path:
    """Move the files into blobs and link them from the snapshot `abc`, which main names."""
    entry = hub / "models--org--tiny"
    snapshot = entry / "snapshots" / "abc"
    for made in (entry / "blobs", snapshot, entry / "refs"):
        made.mkdir(parents=True)
    for index, path in enumerate(sorted(folder.iterdir())):
        path.rename(entry / "blobs" / str(index))
        (snapshot / path.name).symlink_to(Path("../../blobs") / str(index))
    (entry / "refs" / "main").write_text("abc\n")
    return entry
