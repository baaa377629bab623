"""Downloads: the models on their way, one at a time, and the list of them that outlives the program."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from app.kept_file import read_kept, write_kept
from app.library.blobs import Blobs, free_bytes
from app.library.download import ACTIVE, Download, State
from app.library.hub import Hub, cache_folder
from app.library.job import RETRY_SECONDS, Job, Means
from app.library.problems import Kind, Problem
from app.system.daemon import run_as_daemon
from app.tasks import start

logger = logging.getLogger(__name__)
FILE_NAME = "downloads.json"
SAVE_SECONDS = 5.0  # between two notes of how far a download that runs is
CLOSE_SECONDS = 0.3  # that the window waits for the end of what runs
END_SECONDS = 2.0  # in which what runs has ended, but for a job that waits for the hub and writes nothing more


@dataclass(frozen=True, slots=True)
class Kept:
    downloads: tuple[Download, ...] = ()


class Downloads(QObject):
    """All that is public is for the window's thread; jobs tell of themselves by a queued signal."""

    changed = Signal()
    finished = Signal(object)  # the Download that is whole and in the cache
    _told = Signal(object, object)  # Job, Download

    def __init__(
        self,
        hub: Hub,
        data_dir: Path,
        parent: QObject | None = None,
        *,
        free_bytes: Callable[[Path], int] = free_bytes,
        retry_seconds: tuple[float, ...] = RETRY_SECONDS,
    ) -> None:
        super().__init__(parent)
        self._hub = hub
        self._path = data_dir / FILE_NAME
        self._free_bytes = free_bytes
        self._retry_seconds = retry_seconds
        self._job: Job | None = None
        self._thread: threading.Thread | None = None
        self._is_starting = False
        self._is_closed = False
        self._saved_at = 0.0
        self.downloads: tuple[Download, ...] = read_kept(self._path, _decode, Kept()).downloads
        self._told.connect(self._take, Qt.ConnectionType.QueuedConnection)
        hub.changed.connect(self._obey)
        hub.closing.connect(self.close)

    def find(self, key: str) -> Download | None:
        return next((one for one in self.downloads if one.key == key), None)

    def add(self, repo_id: str, variant: str = "") -> None:
        """Queue a model; one that is in the list goes on."""
        wanted = Download(repo_id, variant)
        if self.find(wanted.key) is None:
            self.downloads = (*self.downloads, wanted)
            self._show()
        else:
            self.resume(wanted.key)
        self._start_next()

    def pause(self, key: str) -> None:
        """At once; what came is kept."""
        self._change(key, state=State.PAUSED, bytes_per_second=0.0, only=lambda one: one.can_pause)
        self._release(key)
        self._start_next()

    def resume(self, key: str) -> None:
        """Go on, or try again."""
        self._change(key, state=State.WAITING, problem=None, only=lambda one: not one.can_pause)
        self._start_next()

    def cancel(self, key: str) -> None:
        """Take it off the list and remove what it brought."""
        gone = self.find(key)
        if gone is None:
            return
        self.downloads = tuple(one for one in self.downloads if one.key != key)
        job, thread = self._job, self._release(key)
        start(self._discard(gone, job, thread))
        self._show()
        self._start_next()

    def close(self) -> None:
        """Stop what runs; it is in the list when the program starts again."""
        self._is_closed = True
        thread = self._release(self._job.download.key) if self._job else None
        if thread is not None:
            thread.join(CLOSE_SECONDS)
        self._save()

    # The job that runs

    def _start_next(self) -> None:
        waiting = any(one.state is State.WAITING for one in self.downloads)
        if waiting and self._job is None and not self._is_starting and not self._is_closed:
            self._is_starting = True
            start(self._start())

    async def _start(self) -> None:
        try:
            access = await self._hub.access()
        finally:
            self._is_starting = False
        found = next((one for one in self.downloads if one.state is State.WAITING), None)
        if found is None or self._job is not None or self._is_closed:
            return
        means = Means(access, cache_folder(), lambda told: None, self._free_bytes, self._retry_seconds)
        job = Job(found, replace(means, tell=lambda told: self._hear(job, told)))
        self._job, self._thread = job, threading.Thread(target=job.run, name="download", daemon=True)
        self._thread.start()

    def _release(self, key: str) -> threading.Thread | None:
        """Stop the job of a download; returns the thread that ends."""
        if self._job is None or self._job.download.key != key:
            return None
        self._job.brake.pull()
        thread, self._job, self._thread = self._thread, None, None
        return thread

    def _hear(self, job: Job, told: Download) -> None:
        """On the job's thread."""
        if not self._is_closed:
            self._told.emit(job, told)

    def _take(self, job: Job, told: Download) -> None:
        if job is not self._job:  # it was paused or taken away meanwhile
            return
        is_over = told.state not in ACTIVE
        before = self.find(told.key)
        is_step = not is_over and before is not None and before.revision == told.revision
        if is_over:
            self._job, self._thread = None, None
        if told.state is State.DONE:
            self.downloads = tuple(one for one in self.downloads if one.key != told.key)
        else:
            self.downloads = tuple(told if one.key == told.key else one for one in self.downloads)
        self._show(is_step=is_step)
        if told.state is State.DONE:
            self.finished.emit(told)
        if is_over:
            self._start_next()

    async def _discard(self, gone: Download, job: Job | None, thread: threading.Thread | None) -> None:
        def remove() -> None:
            brought = gone
            if job is not None and thread is not None:
                thread.join(END_SECONDS)
                brought = job.download  # it may have told of more than was heard
            Blobs(cache_folder(), gone.repo_id).discard(self._own_etags(brought))

        await run_as_daemon(remove)

    def _own_etags(self, gone: Download) -> list[str]:
        """Of files that no other download brings."""
        others = {etag for one in self.downloads if one.repo_id == gone.repo_id for etag in one.etags}
        return [etag for etag in gone.etags if etag not in others]

    def _obey(self) -> None:
        """Let go of the network where it was switched off."""
        if self._hub.is_offline:
            for one in self.downloads:
                self.pause(one.key)

    # The list

    def _change(self, key: str, *, only: Callable[[Download], bool], **changes: Any) -> None:
        self.downloads = tuple(
            replace(one, **changes) if one.key == key and only(one) else one for one in self.downloads
        )
        self._show()

    def _show(self, *, is_step: bool = False) -> None:
        if not is_step or time.monotonic() - self._saved_at >= SAVE_SECONDS:
            self._save()
        self.changed.emit()

    def _save(self) -> None:
        self._saved_at = time.monotonic()
        write_kept(self._path, Kept(self.downloads))


def _decode(found: Any) -> Kept:
    """Without those that make no sense, such as another version's: the others go on."""
    return Kept(tuple(one for fields in found["downloads"] if (one := _one(fields)) is not None))


def _one(fields: Any) -> Download | None:
    """As it was left; what ran when the program ended is paused."""
    try:
        state = State(fields["state"])
        problem = fields.get("problem")
        return Download(
            repo_id=str(fields["repo_id"]),
            variant=str(fields["variant"]),
            revision=str(fields["revision"]),
            state=state if state is State.FAILED else State.PAUSED,
            done_bytes=int(fields["done_bytes"]),
            total_bytes=int(fields["total_bytes"]),
            problem=Problem(Kind(problem["kind"]), str(problem["text"])) if problem else None,
            etags=tuple(str(etag) for etag in fields["etags"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("a download of the list was left out: %s", error)
        return None
