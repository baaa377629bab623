"""One file from the hub to the disk, from the byte on where it stopped.

`hf_hub_download` of huggingface_hub 2.4 writes into a file of a random name and removes it when it fails, so that
nothing could be resumed; `http_get` repeats by itself with sleeps that nothing interrupts, and takes pieces of ten
megabytes; hf_xet cannot be paused and shows no bytes that count as kept. Hence only its addresses, headers, session,
lock and errors are used: the hub serves every file over plain HTTP as well, ranges included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO

from app.library.blobs import Blobs
from app.library.brake import Brake
from app.library.client import SECONDS, check_status, headers_for, told_as_problems
from app.library.hub import Access
from app.library.problems import HubError, Kind
from app.library.repository import RepoFile, Repository

LOCK_SECONDS = 0.5


def fetch(
    access: Access,
    repository: Repository,
    file: RepoFile,
    partial: Path,
    brake: Brake,
    came: Callable[[int], None],
) -> None:
    """Read what is missing of a file into `partial`; returns early where the brake is pulled.

    `came` is told how many bytes of the file are on the disk. Raises HubError, and OSError of the disk.
    """
    with partial.open("ab", buffering=0) as target:
        begin = target.tell()
        if begin > file.size:
            begin = target.truncate(0)
        came(begin)
        if begin == file.size:
            return
        try:
            with told_as_problems(access):
                _stream(access, repository, file, target, brake, came)
        except (HubError, OSError):
            if not brake.is_pulled:
                raise


def _stream(
    access: Access,
    repository: Repository,
    file: RepoFile,
    target: BinaryIO,
    brake: Brake,
    came: Callable[[int], None],
) -> None:
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import get_session

    begin = target.seek(0, SEEK_END)
    url = hf_hub_url(repository.repo_id, file.path, revision=repository.revision, endpoint=access.endpoint)
    headers = headers_for(access) | {"Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
    with get_session().stream("GET", url, headers=headers, timeout=SECONDS) as response:
        if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            target.truncate(0)  # what was begun is of another file
        check_status(response)
        if begin and not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
            _begin_anew(response.status_code, target)
        with brake.watching(response.extensions.get("network_stream")):
            for piece in response.iter_bytes():
                if brake.is_pulled or target.tell() > file.size:
                    return
                target.write(piece)
                came(target.tell())


def _begin_anew(status: int, target: BinaryIO) -> None:
    """Some proxies know no ranges and send the whole file; another part than the one asked for is of no use."""
    if status == 206:
        raise HubError(Kind.SERVER, "The hub sent another part of the file than was asked for. Try again later.")
    target.truncate(0)


@contextmanager
def alone(blobs: Blobs, file: RepoFile, brake: Brake) -> Iterator[bool]:
    """Hold the lock that programs share for a file; False where the brake was pulled while another held it."""
    from filelock import Timeout
    from huggingface_hub.utils import WeakFileLock

    blobs.locks.mkdir(parents=True, exist_ok=True)
    while not brake.is_pulled:
        with ExitStack() as held:
            try:
                held.enter_context(WeakFileLock(blobs.locks / f"{file.etag}.lock", timeout=LOCK_SECONDS))
            except Timeout:
                continue
            yield True
            return
    yield False
