"""Download: one model on its way from the hub, as the window shows it and the data folder keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.figures import NO_BREAK, write_bytes, write_loading
from app.library.naming import name_parts
from app.library.problems import Kind, Problem
from app.library.speed import write_speed, write_time_left

DOWNLOAD_AGAIN, RESUME, TRY_AGAIN, OPEN_PAGE = "Download again", "Resume", "Try again", "Open page"
_REMEDIES = {
    Kind.GATED: (OPEN_PAGE, TRY_AGAIN),
    Kind.REFUSED: (OPEN_PAGE, TRY_AGAIN),
    Kind.MISSING: (TRY_AGAIN,),
    Kind.CHECKSUM: (DOWNLOAD_AGAIN,),
    Kind.CHANGED: (DOWNLOAD_AGAIN,),
    Kind.NETWORK: (RESUME,),
    Kind.OFFLINE: (RESUME,),
}


class State(StrEnum):
    WAITING = "waiting"  # for another to end
    ASKING = "asking"  # the hub which files there are
    RUNNING = "running"
    CHECKING = "checking"
    PAUSED = "paused"
    FAILED = "failed"
    DONE = "done"


ACTIVE = frozenset((State.ASKING, State.RUNNING, State.CHECKING))


@dataclass(frozen=True, slots=True)
class Download:
    """`revision` is the commit that it began with, "" before the hub has told it."""

    repo_id: str
    variant: str = ""  # of a repository with several GGUF files; "" for all that a model needs
    revision: str = ""
    state: State = State.WAITING
    done_bytes: int = 0  # on the disk
    total_bytes: int = 0  # 0 before the hub has told it
    bytes_per_second: float = 0.0
    problem: Problem | None = None  # in the state FAILED
    etags: tuple[str, ...] = ()  # of files that it brings, or brought before the model was replaced on the hub

    @property
    def key(self) -> str:
        return f"{self.repo_id}:{self.variant}" if self.variant else self.repo_id

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE

    @property
    def can_pause(self) -> bool:
        return self.is_active or self.state is State.WAITING

    @property
    def name(self) -> str:
        return name_parts(self.repo_id)[0]

    @property
    def quantisation(self) -> str:
        return self.variant or name_parts(self.repo_id)[1]

    @property
    def remedies(self) -> tuple[str, ...]:
        """Words of the buttons for what has befallen it."""
        if self.state is State.PAUSED:
            return (RESUME,)
        return _REMEDIES.get(self.problem.kind, (TRY_AGAIN,)) if self.problem is not None else ()

    @property
    def amount(self) -> str:
        """ "4.5 of 7.2 GB"; the whole alone before anything is here, "" where that is not known."""
        if not self.done_bytes or not self.total_bytes:
            return write_bytes(self.total_bytes) if self.total_bytes else ""
        if self.total_bytes < 10**9:
            return f"{self.done_bytes / 1e6:,.0f} of {self.total_bytes / 1e6:,.0f}{NO_BREAK}MB"
        return write_loading(self.done_bytes, self.total_bytes)

    @property
    def sentence(self) -> str:
        """What it does, or why it does not."""
        match self.state:
            case State.WAITING:
                return "Waits for the download before it"
            case State.ASKING:
                return "Asking the hub"
            case State.CHECKING:
                return "Checking what came"
            case State.PAUSED:
                return f"Paused at {self.amount}" if self.total_bytes else "Paused"
            case State.FAILED:
                return self._told()
            case State.DONE:
                return "Downloaded"
        return self._pace()

    def _pace(self) -> str:
        if not self.bytes_per_second:
            return "Downloading"
        left = (self.total_bytes - self.done_bytes) / self.bytes_per_second
        return f"{write_speed(self.bytes_per_second)}, {write_time_left(left)}{NO_BREAK}left"

    def _told(self) -> str:
        if self.problem is None:
            return "It was not downloaded."
        if self.problem.kind is not Kind.NETWORK:
            return self.problem.text
        if not self.total_bytes:  # the hub has told nothing of it yet
            return f"No network. It starts when you press {RESUME}."
        kept = f" {write_bytes(self.done_bytes)} are kept." if self.done_bytes else ""
        return f"Interrupted: the network went away.{kept}"
