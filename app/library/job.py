"""Job: downloads one model on a thread of its own; what it does crosses as frozen records."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.library.blobs import Blobs, free_bytes, is_sound
from app.library.brake import Brake
from app.library.client import read_repository
from app.library.download import Download, State
from app.library.fetching import alone, fetch
from app.library.hub import Access
from app.library.problems import DISK_FULL, NO_NETWORK, HubError, Kind, Problem, of_disk, of_file_system
from app.library.repository import RepoFile, Repository, needed_files, shard_of, size_of
from app.library.speed import Speedometer

TELL_SECONDS = 0.25  # between two records of a download that runs
RETRY_SECONDS = (1.0, 4.0)  # after a network that went away, before it is told
_CHECKSUM = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PASSING = frozenset((Kind.NETWORK, Kind.SERVER))


@dataclass(frozen=True, slots=True)
class Means:
    """What a job works with."""

    access: Access
    folder: Path  # the cache
    tell: Callable[[Download], None]  # called on the job's thread
    free_bytes: Callable[[Path], int] = free_bytes
    retry_seconds: tuple[float, ...] = RETRY_SECONDS


class Job:
    def __init__(self, download: Download, means: Means) -> None:
        self.download = download
        self.brake = Brake()
        self._means = means
        self._blobs = Blobs(means.folder, download.repo_id)
        self._speed = Speedometer()
        self._here: dict[str, int] = {}  # bytes on the disk, by path
        self._told_at = 0.0

    def run(self) -> None:
        """To the end, to a problem, or to where the brake was pulled; the last record says which."""
        try:
            is_done = self._download()
        except HubError as error:
            self._fail(error.problem)
        except OSError as error:
            self._fail(self._of_disk(error))
        except ValueError as error:  # a file that would lie outside the cache
            self._fail(Problem(Kind.SERVER, f"Nothing was downloaded: {error}."))
        else:
            self._tell(state=State.DONE if is_done else State.PAUSED, bytes_per_second=0.0)

    def _download(self) -> bool:
        """Whether all is there."""
        self._tell(state=State.ASKING, problem=None)
        repository = self._ask()
        files = needed_files(repository.files, self.download.variant)
        self._check(files, repository)
        self._tell(
            revision=repository.revision,
            etags=tuple(dict.fromkeys((*self.download.etags, *(file.etag for file in files)))),
            total_bytes=size_of(files),
            done_bytes=sum(self._here.values()),
            state=State.RUNNING,
        )
        for file in files:
            if self.brake.is_pulled or not self._bring(repository, file):
                return False
        self._blobs.publish(files, repository.revision)
        self._blobs.discard(set(self.download.etags).difference(file.etag for file in files))
        return True

    def _ask(self) -> Repository:
        """The commit that it began with, so that all its files are of one."""
        revision = self.download.revision or "main"
        try:
            return read_repository(self._means.access, self.download.repo_id, revision)
        except HubError as error:
            if error.problem.kind is Kind.CHANGED:
                self._tell(revision="")  # the next try takes what is there then
            raise

    def _check(self, files: tuple[RepoFile, ...], repository: Repository) -> None:
        """Before anything is written."""
        if not any(file.is_weights for file in files):
            raise HubError(Kind.MISSING, "The repository holds no weights that can be read: safetensors or GGUF.")
        for file in files:
            self._blobs.pointer(file, repository.revision)
            if not _CHECKSUM.fullmatch(file.etag):
                raise HubError(Kind.SERVER, f"The hub gives no checksum of {file.path!r}, so it cannot be checked.")
        self._here = {file.path: self._blobs.done_bytes(file, repository.revision) for file in files}
        self._check_room(size_of(files) - sum(self._here.values()))

    def _check_room(self, needed: int) -> None:
        free = self._means.free_bytes(self._means.folder)
        if needed > free:
            raise HubError(Kind.DISK, of_disk(needed, free).text)

    def _bring(self, repository: Repository, file: RepoFile) -> bool:
        """Whether the file is there, checked; False where the brake was pulled before."""
        blobs = self._blobs
        if blobs.has(file, repository.revision):
            return True
        self._check_room(file.size - self._here[file.path])  # other programs write, too
        begun = blobs.partial(file)
        begun.parent.mkdir(parents=True, exist_ok=True)
        with alone(blobs, file, self.brake) as is_held:
            if not is_held or blobs.has(file, repository.revision):  # another program may have brought it
                return is_held
            self._fetch(repository, file, begun)
            return not self.brake.is_pulled and self._check_content(file, begun)

    def _fetch(self, repository: Repository, file: RepoFile, begun: Path) -> None:
        """With a few tries more where the network goes away for a moment."""
        for seconds in (*self._means.retry_seconds, None):
            try:
                came = partial(self._came, file.path)
                fetch(self._means.access, repository, file, begun, self.brake, came)
                if not self.brake.is_pulled and begun.stat().st_size < file.size:
                    raise HubError(NO_NETWORK.kind, NO_NETWORK.text)
                return
            except HubError as error:
                if error.problem.kind not in _PASSING or seconds is None or self.brake.wait(seconds):
                    raise

    def _check_content(self, file: RepoFile, begun: Path) -> bool:
        if file.is_weights:
            self._tell(state=State.CHECKING, bytes_per_second=0.0)
        sound = is_sound(begun, file, lambda: self.brake.is_pulled)
        if sound is None:
            return False
        if not sound:
            begun.unlink(missing_ok=True)
            self._came(file.path, 0)
            raise HubError(Kind.CHECKSUM, checksum_sentence(file.path))
        self._blobs.keep(file)
        self._tell(state=State.RUNNING)
        return True

    def _came(self, path: str, num_bytes: int) -> None:
        """So much of the file that comes is on the disk."""
        self._here[path] = num_bytes
        now, done = time.monotonic(), sum(self._here.values())
        self._speed.see(now, done)
        if now - self._told_at >= TELL_SECONDS or not num_bytes:
            self._tell(done_bytes=done, bytes_per_second=self._speed.bytes_per_second)
        else:
            self.download = replace(self.download, done_bytes=done)

    def _fail(self, problem: Problem) -> None:
        if self.brake.is_pulled:
            self._tell(state=State.PAUSED, bytes_per_second=0.0)
        else:
            self._tell(state=State.FAILED, problem=problem, bytes_per_second=0.0)

    def _of_disk(self, error: OSError) -> Problem:
        download, folder = self.download, self._means.folder
        if error.errno in DISK_FULL:
            return of_disk(download.total_bytes - download.done_bytes, self._means.free_bytes(folder))
        return of_file_system(error, folder)

    def _tell(self, **changes: object) -> None:
        self._told_at = time.monotonic()
        self.download = replace(self.download, **changes)  # type: ignore[arg-type]
        self._means.tell(self.download)


def checksum_sentence(path: str) -> str:
    shard = shard_of(path)
    what = f"Shard {shard[0]} of {shard[1]}" if shard else path
    return f"{what} failed its checksum and was removed."
