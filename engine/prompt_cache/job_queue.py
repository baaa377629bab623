"""The order in which the storage's jobs are done: reads first, all else as it came."""

from __future__ import annotations

import contextlib
import queue
import time
from collections import deque

from engine.prompt_cache.jobs import Job, OpenFolder, ReadEntries, RemoveEntries, SaveIndex, WriteEntry


class JobQueue:
    """Filled by one thread and emptied by another; whoever fills it never waits for the one that works.

    No lock of Python's is shared: the worker has a low priority, and could be held up while it has the lock.
    """

    def __init__(self) -> None:
        self._arrived: queue.SimpleQueue[Job | None] = queue.SimpleQueue()  # None: no more will come
        self._first: deque[Job] = deque()  # someone waits for these
        self._others: deque[Job] = deque()
        self._is_saved = True
        self._is_ending = False
        self._is_closed = False

    def put(self, job: Job) -> bool:
        """Add a job; False where the queue is closed."""
        if self._is_closed:
            return False
        self._arrived.put(job)
        return True

    def take(self) -> Job | None:
        """The next job; waits for one, and is None once the queue is closed and empty."""
        while True:
            while not self._arrived.empty():
                self._sort(self._arrived.get())
            if self._first:
                return self._first.popleft()
            if self._others:
                self._is_saved = False
                return self._others.popleft()
            if not self._is_saved:
                self._is_saved = True
                return SaveIndex()
            if self._is_ending:
                return None
            self._sort(self._arrived.get())

    def rest(self, seconds: float) -> None:
        """Let time pass, but not while somebody waits for a job, nor at the end."""
        until = time.monotonic() + seconds
        while not (self._first or self._is_ending) and (left := until - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                self._sort(self._arrived.get(timeout=left))

    def close(self) -> None:
        """Take no more jobs; those that wait stay."""
        self._is_closed = True
        self._arrived.put(None)

    def _sort(self, job: Job | None) -> None:
        if job is None:
            self._is_ending = True
            return
        if isinstance(job, RemoveEntries):
            self._spare_writes(job)
        (self._first if isinstance(job, OpenFolder | ReadEntries) else self._others).append(job)

    def _spare_writes(self, removal: RemoveEntries) -> None:
        """Entries that are removed need not be written any more."""
        keys = set(removal.keys)
        for job in self._others:
            if isinstance(job, WriteEntry) and job.entry.key in keys:
                job.is_wanted = False
                job.tensors = {}
