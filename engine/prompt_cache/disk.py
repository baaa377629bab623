"""The calls by which the prompt cache reaches the disk, and what their failures mean."""

from __future__ import annotations

import errno
import os
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_FAULTS_OF_ONE_PLACE = (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST, errno.ELOOP)
_MEANINGS = {
    errno.ENOSPC: "The disk of the prompt cache is full.",
    errno.EDQUOT: "The prompt cache may take no more of the disk.",
    errno.EROFS: "The disk of the prompt cache can be read only.",
    errno.EACCES: "The folder of the prompt cache cannot be written.",
    errno.EPERM: "The folder of the prompt cache cannot be written.",
    errno.EIO: "The disk of the prompt cache has a fault.",
    errno.EISDIR: "A folder stands where a file of the prompt cache belongs, and cannot be set aside.",
    errno.ENOENT: "The folder of the prompt cache is gone.",
}


class Disk:
    """The real disk; a test that needs a failing one hands in its own."""

    def open_to_write(self, path: str | Path, flags: int, folder: int | None = None) -> int:
        """A descriptor of a file that is created where it is missing, for its owner alone whatever the umask."""
        descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE, dir_fd=folder)
        os.fchmod(descriptor, FILE_MODE)
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        """Bytes written, which may be fewer than given."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """No full sync of a drive's own memory: what a power cut tears is noticed by its digest."""
        os.fsync(descriptor)

    def rename(self, old: str, new: str, folder: int) -> None:
        """Replace `new` by `old`, both in the same folder."""
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)

    def free_bytes(self, root: Path) -> int:
        """What may still be written to the root's disk; 0 where it cannot be told."""
        try:
            facts = os.statvfs(root)
        except OSError:
            return 0
        return facts.f_bavail * facts.f_frsize


def explain(error: OSError) -> str:
    """A failed call as a sentence."""
    return _MEANINGS.get(error.errno or 0, f"The prompt cache could not use its folder ({error.strerror or error}).")


def is_disk_fault(error: OSError) -> bool:
    """Whether other writes would fail too, rather than this one at its place."""
    return error.errno not in _FAULTS_OF_ONE_PLACE
