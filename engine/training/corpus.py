"""Replies as training reads them: token ids in numbered files of a folder, each of which is whole or not there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.command_line import BadInputError

_NAME = "replies-{:05}.npz"
_SETTINGS = "settings.json"


@dataclass(frozen=True, slots=True)
class Sample:
    """A prompt and its reply, of which the first `num_prompt` ids are the prompt's."""

    token_ids: Sequence[int]
    num_prompt: int

    @property
    def num_reply(self) -> int:
        return len(self.token_ids) - self.num_prompt


class Corpus:
    """A folder of replies that grows by one file at a time; what it was made with must be the same ever after."""

    def __init__(self, folder: Path, settings: dict[str, object]) -> None:
        """Open or begin one; BadInputError where it was made otherwise, since its parts would not fit together."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _SETTINGS
        wanted = json.dumps(settings, indent=1, sort_keys=True)
        if not path.exists():
            _write_whole(path, wanted.encode())
        elif path.read_text(encoding="utf-8") != wanted:
            raise BadInputError(
                f"{str(folder)!r} was begun with other prompts, another model or other settings; choose an empty "
                "folder, or go on as it was begun"
            )

    @classmethod
    def open(cls, folder: Path) -> Corpus:
        """One that was begun before; raises BadInputError where none was."""
        if not (folder / _SETTINGS).exists():
            raise BadInputError(f"{str(folder)!r} holds no replies; collect some first")
        return cls(folder, json.loads((folder / _SETTINGS).read_text(encoding="utf-8")))

    def has(self, index: int) -> bool:
        return self._path(index).exists()

    def write(self, index: int, samples: Sequence[Sample]) -> None:
        """Write one part; raises OSError where the disk refuses, and leaves nothing half written then."""
        temporary = self._path(index).with_suffix(".part.npz")
        try:
            np.savez_compressed(
                temporary,
                token_ids=np.concatenate([np.asarray(sample.token_ids, dtype=np.uint32) for sample in samples]),
                lengths=np.array([len(sample.token_ids) for sample in samples], dtype=np.uint32),
                num_prompt=np.array([sample.num_prompt for sample in samples], dtype=np.uint32),
            )
            os.replace(temporary, self._path(index))
        finally:
            temporary.unlink(missing_ok=True)

    def samples(self) -> Iterator[Sample]:
        """All samples, in the order of the files."""
        for path in sorted(self.folder.glob("replies-?????.npz")):
            with np.load(path, allow_pickle=False) as arrays:
                ends = np.cumsum(arrays["lengths"])
                parts = np.split(arrays["token_ids"], ends[:-1])
                for ids, num_prompt in zip(parts, arrays["num_prompt"], strict=True):
                    yield Sample(ids.tolist(), int(num_prompt))

    def _path(self, index: int) -> Path:
        return self.folder / _NAME.format(index)


def _write_whole(path: Path, content: bytes) -> None:
    temporary = path.with_suffix(".part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
