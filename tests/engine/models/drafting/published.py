"""Published checkpoints as folders on disk: their configs and headers, over bodies that take no room."""

from __future__ import annotations

import json
import re
import shutil
import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path

_FOLDER = Path(__file__).parents[3] / "data" / "published"
_BYTES = {"BF16": 2, "U32": 4, "I64": 8, "BOOL": 1}
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
    text = json.dumps(header).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)
    return folder


def _expand(pattern: str) -> Iterator[str]:
    """Every name that a pattern stands for."""
    match = _RANGE.search(pattern)
    if match is None:
        yield pattern
        return
    for number in range(int(match[1]), int(match[2]) + 1):
        yield from _expand(f"{pattern[: match.start()]}{number}{pattern[match.end() :]}")
