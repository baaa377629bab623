"""A storage whose calls are timed, since each of them stops the engine's thread."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from engine.prompt_cache.entries import Change, Entry, EntryKey, Storage, Stream, Tensor


class TimedStorage:
    """Hands every call on; `max_seconds` is the longest that one took, closing left out, which is meant to wait."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.max_seconds = 0.0

    def open(self) -> None:
        with self._timed():
            self._storage.open()

    def write(
        self,
        entry: Entry,
        stream: Stream,
        tensors: Mapping[str, Tensor],
        *,
        conversation_id: str = "",
        tag: str = "",
    ) -> None:
        with self._timed():
            self._storage.write(entry, stream, tensors, conversation_id=conversation_id, tag=tag)

    def read(self, request_id: int, keys: Sequence[EntryKey]) -> None:
        with self._timed():
            self._storage.read(request_id, keys)

    def remove(self, keys: Sequence[EntryKey], ticket: int = 0) -> None:
        with self._timed():
            self._storage.remove(keys, ticket)

    def record(self, changes: Sequence[Change]) -> None:
        with self._timed():
            self._storage.record(changes)

    def close(self, seconds: float) -> bool:
        return self._storage.close(seconds)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.max_seconds = max(self.max_seconds, time.perf_counter() - started)
