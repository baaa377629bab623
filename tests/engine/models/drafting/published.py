"""Published checkpoints as folders on disk: their configs and headers, over bodies that take no room."""

from __future__ import annotations

import json
import re
import shutil
import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[3] / "data" / "published"
_BYTES = {"BF16": 2, "U32": 4, "I64": 8, "BOOL": 1}
PUBLISHED_NAMES = sorted(path.parent.name for path in _FOLDER.glob("*/tensors.json"))
_RANGE = re.compile(r"\{(\d+)-(\d+)\}")


def write_published(name: str, parent: Path) -> Path:
    """The folder of a checkpoint that tests/data/published describes."""
    folder = parent / name
    folder.mkdir(parents=True)
    shutil.copy(_FOLDER / name / "config.json", folder)
    described = json.loads((_FOLDER / name / "tensors.json").read_text("utf-8"))
    tensors = {each: value for pattern, value in described.items() for each in _expand(pattern)}
    header, end = {}, 0
    for each, (dtype, shape) in tensors.items():
        begin, end = end, end + prod(shape) * _BYTES[dtype]
        header[each] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    write_header(folder, header, end)
    return folder


def write_header(folder: Path, header: dict[str, Any], num_bytes: int | None = None) -> None:
    """Give a folder's weights another header, over the body that they have, or one of so many bytes."""
    path = folder / "model.safetensors"
    text = json.dumps(header).encode()
    if num_bytes is None:
        num_bytes = path.stat().st_size - _body_start(path)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + num_bytes)


def read_header(folder: Path) -> dict[str, Any]:
    path = folder / "model.safetensors"
    with path.open("rb") as file:
        header: dict[str, Any] = json.loads(file.read(_body_start(path))[8:])
    return header


def _body_start(path: Path) -> int:
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
    return int(length) + 8


def _expand(pattern: str) -> Iterator[str]:
    """Every name that a pattern stands for."""
    match = _RANGE.search(pattern)
    if match is None:
        yield pattern
        return
    for number in range(int(match[1]), int(match[2]) + 1):
        yield from _expand(f"{pattern[: match.start()]}{number}{pattern[match.end() :]}")
