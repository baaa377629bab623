"""Problem: why the hub or the disk did not give what was asked for, as a sentence for the user."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.figures import write_bytes
from app.shown_paths import write_place
from app.system.machine import PLACE

DISK_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))


class Kind(StrEnum):
    """What can be done depends on it."""

    OFFLINE = "offline"
    NETWORK = "network"
    GATED = "gated"
    REFUSED = "refused"
    MISSING = "missing"
    BUSY = "busy"
    SERVER = "server"
    DISK = "disk"
    CHECKSUM = "checksum"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Problem:
    kind: Kind
    text: str


class HubError(Exception):
    """What was asked of the hub did not happen; the text is the sentence for the user."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(text)
        self.problem = Problem(kind, text)


NO_NETWORK = Problem(Kind.NETWORK, f"No network. Models on {PLACE} work as before.")
GATED = Problem(Kind.GATED, "This model asks for a licence on its page.")
CHANGED = Problem(
    Kind.CHANGED, "The model was replaced on the hub meanwhile. What is the same is not downloaded again."
)
_BY_STATUS = {
    401: Problem(Kind.REFUSED, "This model is private or does not exist, or the token in Settings is not valid."),
    403: Problem(Kind.REFUSED, "The token in Settings is not allowed to read this model."),
    404: Problem(Kind.MISSING, "The hub has no model of this name, or one of its files is gone."),
    416: Problem(Kind.CHANGED, "The file on the hub is not the one that was begun. Download again begins it anew."),
}


def of_status(status: int, code: str = "", wait_seconds: int | None = None) -> Problem:
    """The problem behind an HTTP answer; `code` is the hub's X-Error-Code."""
    if code == "GatedRepo":
        return GATED
    if code == "RevisionNotFound":
        return CHANGED
    if code in ("RepoNotFound", "EntryNotFound"):
        return _BY_STATUS[401 if status == 401 else 404]
    if status == 429:
        when = "in a few minutes" if wait_seconds is None else f"in {wait_seconds} s"
        return Problem(Kind.BUSY, f"The hub had too many requests from here. Try again {when}.")
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return Problem(Kind.SERVER, f"The hub has a fault of its own ({status}). Try again later.")
    return Problem(Kind.SERVER, f"The hub answered with {status}, which was not expected. Try again later.")


def of_disk(needed_bytes: int, free_bytes: int) -> Problem:
    return Problem(Kind.DISK, f"Needs {write_bytes(needed_bytes)}; the disk has {write_bytes(free_bytes)}.")


def of_file_system(error: OSError, folder: Path) -> Problem:
    reason = (error.strerror or str(error)).lower()
    return Problem(Kind.DISK, f"{write_place(folder)} cannot be written: {reason}. Choose another folder with HF_HOME.")
