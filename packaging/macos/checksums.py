"""SHA-256 files beside what is uploaded, as `shasum -a 256 -c` and `sha256sum -c` read them."""

from __future__ import annotations

import hashlib
from pathlib import Path


def write_checksum(path: Path) -> Path:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    beside = path.with_name(f"{path.name}.sha256")
    beside.write_text(f"{digest}  {path.name}\n", encoding="utf-8")
    return beside
