"""A repository's folder in the cache that programs share: blobs by checksum, and snapshots of links to them.

The layout is huggingface_hub's. A model appears only when it is whole: its files gather as blobs, and the links of
the snapshot are made at the end. Partial files have a name of their own, so that no other program appends to them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from app.library.repository import RepoFile

PARTIAL = ".slipstream.incomplete"  # the ending that tools which clean the cache look for
CHUNK = 1 << 20


class Blobs:
    """`folder` is the cache; nothing is made in it before the first file comes."""

    def __init__(self, folder: Path, repo_id: str) -> None:
        name = "models--" + repo_id.replace("/", "--")
        self.folder = folder / name
        self.locks = folder / ".locks" / name

    def blob(self, file: RepoFile) -> Path:
        return self.folder / "blobs" / file.etag

    def partial(self, file: RepoFile) -> Path:
        return self.folder / "blobs" / (file.etag + PARTIAL)

    def pointer(self, file: RepoFile, revision: str) -> Path:
        """Where programs look for a file; ValueError for a path that leads out of the snapshot."""
        if os.path.isabs(file.path) or ".." in Path(file.path).parts:
            raise ValueError(f"the file {file.path!r} lies outside its repository")
        return self.folder / "snapshots" / revision / file.path

    def has(self, file: RepoFile, revision: str) -> bool:
        """Whether it is there whole, by its size: what is here was checked when it came."""
        return any(_size(path) == file.size for path in (self.blob(file), self.pointer(file, revision)))

    def done_bytes(self, file: RepoFile, revision: str) -> int:
        return file.size if self.has(file, revision) else min(file.size, max(0, _size(self.partial(file))))

    def keep(self, file: RepoFile) -> None:
        """Make a partial file, which was checked, the blob."""
        os.replace(self.partial(file), self.blob(file))

    def publish(self, files: Iterable[RepoFile], revision: str) -> None:
        """Make the snapshot of files that are all here, and let "main" mean it.

        The configuration comes last: without it nothing takes the snapshot for a model.
        """
        for file in sorted(files, key=lambda file: file.path == "config.json"):
            self._link(file, self.pointer(file, revision))
        reference = self.folder / "refs" / "main"
        reference.parent.mkdir(parents=True, exist_ok=True)
        fresh = reference.with_name("main.slipstream.tmp")
        fresh.write_text(revision, encoding="utf-8")
        os.replace(fresh, reference)

    def discard(self, etags: Iterable[str]) -> None:
        """Remove what a download brought that no snapshot uses, and folders that are empty then."""
        # Not by where a link ends: a blob may be a link itself, into a store that programs share.
        used = {os.path.basename(os.readlink(path)) for path in self._pointers()}
        for etag in etags:
            (self.folder / "blobs" / (etag + PARTIAL)).unlink(missing_ok=True)
            if etag not in used:
                (self.folder / "blobs" / etag).unlink(missing_ok=True)
                (self.locks / f"{etag}.lock").unlink(missing_ok=True)
        for folder in (self.folder / "blobs", self.folder, self.locks):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def _pointers(self) -> Iterator[Path]:
        return (path for path in self.folder.glob("snapshots/**/*") if path.is_symlink())

    def _link(self, file: RepoFile, pointer: Path) -> None:
        if _size(pointer) == file.size:
            return
        pointer.parent.mkdir(parents=True, exist_ok=True)
        pointer.unlink(missing_ok=True)
        try:
            pointer.symlink_to(os.path.relpath(self.blob(file), pointer.parent))
        except OSError:  # a disk without links, such as exFAT: the library puts the file itself there
            shutil.move(self.blob(file), pointer)


def is_sound(path: Path, file: RepoFile, is_stopped: Callable[[], bool]) -> bool | None:
    """Whether a file's content has the checksum of its name; None where it was stopped before it was known."""
    # git hashes a header with the size before the content
    total = hashlib.sha256() if file.is_large else hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as source:
        while chunk := source.read(CHUNK):
            if is_stopped():
                return None
            total.update(chunk)
    return total.hexdigest() == file.etag


def free_bytes(folder: Path) -> int:
    """Of the disk that a folder is on, or will be."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _size(path: Path) -> int:
    """-1 where there is no file."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
