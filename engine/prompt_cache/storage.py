"""The prompt cache's storage: an executor on a thread of low priority, or in the caller's."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entries import Change, Deliver, Entry, EntryKey, Stream, Tensor
from engine.prompt_cache.entry_file import Creator
from engine.prompt_cache.executor import CLOSED, UNEXPECTED, Executor
from engine.prompt_cache.job_queue import JobQueue
from engine.prompt_cache.jobs import (
    Job,
    OpenFolder,
    ReadEntries,
    RecordChanges,
    RemoveEntries,
    SaveIndex,
    WriteEntry,
)
from engine.prompt_cache.priority import lower_priority

logger = logging.getLogger(__name__)

REST = 6.0  # after each write, in its own time: it takes memory bandwidth, a core, and the interpreter's lock in turns
LONGEST_REST_SECONDS = 0.5
_LAST_SECONDS = 1.0  # for one system call that is under way, and for the index


class _Calls(ABC):
    """The calls of a Storage as jobs; those made after close() are answered with faults."""

    @abstractmethod
    def _do(self, job: Job) -> None: ...

    def open(self) -> None:
        """Open the folder."""
        self._do(OpenFolder())

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
        self._do(WriteEntry(entry, stream, Creator(conversation_id, tag), tensors))

    def read(self, request_id: int, keys: Sequence[EntryKey]) -> None:
        """Read entries."""
        self._do(ReadEntries(request_id, tuple(keys)))

    def remove(self, keys: Sequence[EntryKey], ticket: int = 0) -> None:
        """Delete entries."""
        self._do(RemoveEntries(tuple(keys), ticket))

    def record(self, changes: Sequence[Change]) -> None:
        """Change the index."""
        self._do(RecordChanges(tuple(changes)))


class InlineStorage(_Calls):
    """Everything in the caller's thread: answers are delivered before a call returns."""

    def __init__(self, root: Path, deliver: Deliver, disk: Disk | None = None) -> None:
        self._executor = Executor(root, deliver, disk)
        self._is_closed = False

    def close(self, seconds: float) -> bool:
        """Let go of the folder; nothing ever waits."""
        if not self._is_closed:
            self._is_closed = True
            self._executor.close()
        return True

    def _do(self, job: Job) -> None:
        if self._is_closed:
            self._executor.fail(job, CLOSED)
            return
        self._executor.run(job)
        self._executor.run(SaveIndex())


class StorageThread(_Calls):
    """An executor on its own thread, which open() starts; calls only put a job into a queue."""

    def __init__(self, root: Path, deliver: Deliver, disk: Disk | None = None) -> None:
        self._executor = Executor(root, deliver, disk)
        self._queue = JobQueue()
        self._thread = threading.Thread(target=self._run, name="storage", daemon=False)
        self._last_moment: float | None = None  # of the monotonic clock, once it closes

    def open(self) -> None:
        """Start the thread and open the folder."""
        super().open()
        if self._thread.ident is None and self._last_moment is None:
            self._thread.start()

    def close(self, seconds: float) -> bool:
        """Write what can be written in that time and end the thread; False where entries were dropped."""
        if self._last_moment is None:
            self._last_moment = time.monotonic() + seconds
        self._queue.close()
        if self._thread.ident is None:
            self._do_all()  # never opened: all is answered as to a closed folder
        else:
            self._thread.join(seconds + _LAST_SECONDS)
        if self._thread.is_alive():
            logger.warning("the prompt cache's storage still waits for the disk; it ends by itself")
        return self._executor.num_dropped == 0 and not self._thread.is_alive()

    def _do(self, job: Job) -> None:
        if not self._queue.put(job):
            self._executor.fail(job, CLOSED)

    def _run(self) -> None:
        lower_priority()
        try:
            self._do_all()
        finally:
            self._queue.close()
            self._executor.close()

    def _do_all(self) -> None:
        while (job := self._queue.take()) is not None:
            began = time.monotonic()
            self._attempt(job)
            rest_seconds = REST * (time.monotonic() - began) if isinstance(job, WriteEntry) else 0.0
            del job  # with its arrays, before the wait for another
            self._queue.rest(min(rest_seconds, LONGEST_REST_SECONDS))

    def _attempt(self, job: Job) -> None:
        try:
            if self._is_late() and isinstance(job, WriteEntry | ReadEntries):
                self._executor.fail(job, CLOSED)
            else:
                self._executor.run(job, self._is_late)
        except Exception:
            logger.exception("a job of the prompt cache's storage failed")
            self._executor.fail(job, UNEXPECTED)

    def _is_late(self) -> bool:
        """Whether the time for writing is over."""
        return self._last_moment is not None and time.monotonic() >= self._last_moment
