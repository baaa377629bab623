"""One writer for the cache's folder at a time; what a dead process held is free."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from engine.prompt_cache.disk import Disk

FILE_NAME = "lock"


class HeldElsewhereError(Exception):
    """Another program writes to the folder."""


class Lock:
    """A lock on a file, which the system lets go of with the process."""

    def __init__(self, root: Path, disk: Disk) -> None:
        """Take it at once; raises HeldElsewhereError, or OSError where the folder cannot be written or locked."""
        self._descriptor = disk.open_to_write(root / FILE_NAME, os.O_RDWR)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise HeldElsewhereError from error
        except OSError:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Let the next one have it."""
        os.close(self._descriptor)


def is_free(root: Path) -> bool:
    """Whether nobody writes to the folder just now."""
    try:
        lock = Lock(root, Disk())
    except (HeldElsewhereError, OSError):
        return False
    lock.release()
    return True
