"""The prompt cache's storage: an executor on a thread of low priority, or in the caller's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entries import Change, Deliver, Entry, EntryKey, Stream, Tensor
from engine.prompt_cache.entry_file import Creator
from engine.prompt_cache.executor import CLOSED, Executor
from engine.prompt_cache.jobs import (
    Job,
    OpenFolder,
    ReadEntries,
    RecordChanges,
    RemoveEntries,
    SaveIndex,
    WriteEntry,
)


class InlineStorage:
    """Everything in the caller's thread: answers are delivered before a call returns."""

    def __init__(self, root: Path, deliver: Deliver, disk: Disk | None = None) -> None:
        self._executor = Executor(root, deliver, disk)
        self._is_closed = False

    def open(self) -> None:
        """Open the folder."""
        self._run(OpenFolder())

    def write(
        self,
        entry: Entry,
        stream: Stream,
        tensors: Mapping[str, Tensor],
        *,
        conversation_id: str = "",
        tag: str = "",
    ) -> None:
        """Write an entry."""
        self._run(WriteEntry(entry, stream, Creator(conversation_id, tag), tensors))

    def read(self, request_id: int, keys: Sequence[EntryKey]) -> None:
        """Read entries."""
        self._run(ReadEntries(request_id, tuple(keys)))

    def remove(self, keys: Sequence[EntryKey], ticket: int = 0) -> None:
        """Delete entries."""
        self._run(RemoveEntries(tuple(keys), ticket))

    def record(self, changes: Sequence[Change]) -> None:
        """Change the index."""
        self._run(RecordChanges(tuple(changes)))

    def close(self, seconds: float) -> bool:
        """Let go of the folder; nothing ever waits."""
        self._is_closed = True
        self._executor.close()
        return True

    def _run(self, job: Job) -> None:
        if self._is_closed:
            self._executor.fail(job, CLOSED)
        else:
            self._executor.run(job)
            self._executor.run(SaveIndex())
