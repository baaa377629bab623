"""What tells a model's content from any other, without reading all of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from engine.models.errors import ModelError
from engine.models.weights import weight_files

NUM_SAMPLES = 1024  # of each file; training moves every weight, so that none of them stays the same by chance
SAMPLE_BYTES = 64
HEADER_BYTES = 1 << 20  # names and shapes of all tensors stand at a file's start


@dataclass(frozen=True, slots=True)
class Content:
    """What a loaded model computes with: the fingerprint of its files, and the type of its floating numbers."""

    fingerprint: str
    number_type: str


def fingerprint(folder: Path, paths: Sequence[Path] = ()) -> str:
    """32 hex digits over a folder's config and weight files: their sizes, times of change, headers and samples.

    `paths` are its weight files, where they are not those of a model. The times are in it so that no edit in place can
    go unseen. Raises ModelError where a file cannot be read.
    """
    digest = blake2b(digest_size=16)
    try:
        digest.update((folder / "config.json").read_bytes())
        for path in paths or weight_files(folder):
            status = path.stat()
            digest.update(f"\0{path.name}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
            digest.update(_samples(path, status.st_size))
    except OSError as error:
        raise ModelError(f"the model in {str(folder)!r} cannot be read: {error}") from error
    return digest.hexdigest()


def _samples(path: Path, size: int) -> bytes:
    step = max(SAMPLE_BYTES, size // NUM_SAMPLES)
    with path.open("rb") as file:
        places = range(HEADER_BYTES, size, step)
        return file.read(HEADER_BYTES) + b"".join(os.pread(file.fileno(), SAMPLE_BYTES, place) for place in places)
