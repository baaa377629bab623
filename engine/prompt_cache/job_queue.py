"""The order in which the storage's jobs are done: reads first, all else as it came."""

from __future__ import annotations

import threading
from collections import deque

from engine.prompt_cache.jobs import Job, OpenFolder, ReadEntries, RemoveEntries, SaveIndex, WriteEntry


class JobQueue:
    """Filled by any thread and emptied by one."""

    def __init__(self) -> None:
        self._first: deque[Job] = deque()  # someone waits for these
        self._others: deque[Job] = deque()
        self._is_saved = True
        self._is_closed = False
        self._changed = threading.Condition()

    def put(self, job: Job) -> bool:
        """Add a job, False where the queue is closed; entries that are removed need not be written any more."""
        with self._changed:
            if self._is_closed:
                return False
            if isinstance(job, RemoveEntries):
                self._spare_writes(job)
            (self._first if isinstance(job, OpenFolder | ReadEntries) else self._others).append(job)
            self._changed.notify()
            return True

    def take(self) -> Job | None:
        """The next job; waits for one, and is None once the queue is closed and empty."""
        with self._changed:
            while True:
                if self._first:
                    return self._first.popleft()
                if self._others:
                    self._is_saved = False
                    return self._others.popleft()
                if not self._is_saved:
                    self._is_saved = True
                    return SaveIndex()
                if self._is_closed:
                    return None
                self._changed.wait()

    def close(self) -> None:
        """Take no more jobs; those that wait stay."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _spare_writes(self, removal: RemoveEntries) -> None:
        for job in self._others:
            if isinstance(job, WriteEntry) and job.entry.key in removal.keys:
                job.is_wanted = False
                job.tensors = {}
