"""Entries with made-up tensors, a storage whose answers are kept, and disks that fail."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entries import Entry, EntryKey, StorageMessage, Stream, Tensor
from engine.prompt_cache.storage import InlineStorage, StorageThread

STREAM = Stream(hashlib.md5(b"stream").hexdigest(), (("kind", "target"), ("model", "tiny é")))

SECONDS = 20  # no test waits so long unless it fails
OPENED: list[InlineStorage | StorageThread] = []  # closed with the test, whatever its end


def node(number: int) -> str:
    """The hash of a place."""
    return hashlib.md5(str(number).encode()).hexdigest()


def page(number: int, num_tokens: int = 4) -> Entry:
    """The page from place `number` to the next one."""
    key = EntryKey(STREAM.identity, node(number), node(number + 1))
    first = number * num_tokens
    return Entry(key, first, tuple(range(first, first + num_tokens)))


def checkpoint(number: int, num_tokens: int = 4) -> Entry:
    """The checkpoint at place `number`."""
    return Entry(EntryKey(STREAM.identity, node(number), node(number)), number * num_tokens, ())


def tensors_of(number: int = 0, num_items: int = 6) -> dict[str, Tensor]:
    """One tensor of each of four types, one of them empty, with other bytes for each number."""

    def tensor(dtype: str, item_bytes: int, shape: tuple[int, ...]) -> Tensor:
        num_bytes = item_bytes * int(shape[0] * shape[1])
        seed = hashlib.sha256(f"{number} {dtype}".encode()).digest()
        return Tensor(dtype, shape, memoryview((seed * (num_bytes // 32 + 1))[:num_bytes]))

    return {
        "grown.0": tensor("BF16", 2, (2, num_items)),
        "grown.1": tensor("F16", 2, (3, num_items)),
        "grown.2": tensor("U32", 4, (1, num_items)),
        "fixed.0": tensor("F32", 4, (0, num_items)),
    }


class Inline:
    """An opened InlineStorage and its answers."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self.root = root
        self.answers: list[StorageMessage] = []
        self.storage = InlineStorage(root, self.answers.append, disk)
        self.storage.open()
        self.opened = self.answers.pop()
        OPENED.append(self.storage)

    def write(self, entry: Entry, number: int = 0, **creator: str) -> StorageMessage:
        """Write an entry with the tensors of that number."""
        self.storage.write(entry, STREAM, tensors_of(number), **creator)
        return self.answers.pop()

    def read(self, entry: Entry) -> StorageMessage:
        """Read one entry."""
        self.storage.read(7, [entry.key])
        return self.answers.pop()

    def reopen(self) -> Inline:
        """Close, and open again."""
        self.storage.close(1)
        return Inline(self.root)


def file_of(root: Path, entry: Entry) -> Path:
    """Where an entry is stored."""
    return root / entry.key.stream / f"{entry.key.start}-{entry.key.end}.safetensors"


class FullDisk(Disk):
    """Takes so many bytes, then none until `is_full` is set back."""

    def __init__(self, num_bytes: int) -> None:
        self.num_bytes = num_bytes
        self.is_full = True

    def write(self, descriptor: int, data: memoryview) -> int:
        if self.is_full and self.num_bytes <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = data[: self.num_bytes] if self.is_full else data
        self.num_bytes -= part.nbytes
        return super().write(descriptor, part)


class HeldDisk(Disk):
    """Stops before the first byte of each write until it is let go."""

    def __init__(self) -> None:
        self.is_reached = threading.Event()
        self.is_let_go = threading.Event()

    def write(self, descriptor: int, data: memoryview) -> int:
        self.is_reached.set()
        assert self.is_let_go.wait(SECONDS)
        return super().write(descriptor, data)


class ReadOnlyDisk(Disk):
    """Refuses every file that would be written."""

    def open_to_write(self, path: str | Path, flags: int, folder: int | None = None) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
