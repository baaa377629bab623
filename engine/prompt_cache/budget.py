"""How much the cache may hold, write and read: arithmetic, and the counts that it stands on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

BUDGET_BYTES = 20_000_000_000
DISK_SHARE = 10  # a tenth of what is free or held
OPTIMISTIC_BYTES_PER_SECOND = 2e9  # of a disk that has not been measured
GUESS_SECONDS = 1e-6  # weight of that guess, and of what an earlier start measured, beside the first read
SPEED_DECAY = 0.7  # of earlier reads' weight, with each read
SPEED_DOUBT = 1.1  # a speed that kept a read from being made is believed a little less each time, or it would stay
LOG_SHARE = 4  # at most a quarter of a small budget
LOG_BYTES = 1 << 20  # of the index's log, which is moved into it again and again
RECORD_BYTES = 700  # of one entry, owner or reading in the index, without its tokens
WRITTEN_TODAY = "written_today"  # name of a stored value
HEADER_BYTES = 4096  # of a file, without what grows with tokens and tensors
HEADER_TOKEN_BYTES = 11
HEADER_TENSOR_BYTES = 160


def default_budget(free_bytes: int, held_bytes: int) -> int:
    """Of a folder that holds so much on a disk with so much free."""
    return min(BUDGET_BYTES, (free_bytes + held_bytes) // DISK_SHARE)


def file_bytes(array_bytes: int, num_tokens: int, num_tensors: int) -> int:
    """At least as many as an entry's file will have."""
    return array_bytes + HEADER_BYTES + HEADER_TOKEN_BYTES * num_tokens + HEADER_TENSOR_BYTES * num_tensors


@dataclass(slots=True)
class Room:
    """The folder's budget, of which the index and files that are no entries take their part.

    An index never shrinks, so it counts with the most that it had.
    """

    budget_bytes: int = 0
    other_bytes: int = 0  # of files beside entries and index
    index_bytes: int = 0

    def for_entries(self, index_bytes: int) -> int:
        """Bytes that the entries' files may have together, with an index of that size."""
        self.index_bytes = max(self.index_bytes, index_bytes)
        log_bytes = min(self.budget_bytes // LOG_SHARE, LOG_BYTES)
        return max(0, self.budget_bytes - self.other_bytes - self.index_bytes - log_bytes)


@dataclass(slots=True)
class DailyCount:
    """Bytes written on a day of UTC; another day, a past one too, begins again at 0."""

    day: str = ""
    num_bytes: int = 0

    def at(self, seconds: float) -> int:
        """Bytes written on the day of this Unix time."""
        day = _day_of(seconds)
        if day != self.day:
            self.day, self.num_bytes = day, 0
        return self.num_bytes

    def add(self, seconds: float, num_bytes: int) -> None:
        self.num_bytes = self.at(seconds) + num_bytes

    def correct(self, seconds: float, num_bytes: int) -> None:
        """Add to, or take from, what was added at that time; on another day that does not count any more."""
        if self.day == _day_of(seconds):
            self.num_bytes = max(0, self.num_bytes + num_bytes)

    def store(self) -> str:
        return f"{self.day} {self.num_bytes}"

    def restore(self, value: str) -> None:
        """What `store` gave; anything else leaves the count as it is."""
        day, _, count = value.partition(" ")
        if count.isdecimal():
            self.day, self.num_bytes = day, int(count)


def _day_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


class PrefillSpeeds:
    """How fast prompts are read by stream, in tokens per second, as measured in this start or an earlier one."""

    def __init__(self) -> None:
        self._speeds: dict[str, float] = {}

    def measure(self, stream: str, speed: float) -> bool:
        """Take a new measurement, 0.0 being none; whether it changes much."""
        known = self.of(stream)
        if speed > 0:
            self._speeds[stream] = speed
        return speed > 0 and abs(speed - known) > known / 4

    def of(self, stream: str) -> float:
        """The last measurement; 0.0 where there is none."""
        return self._speeds.get(stream, 0.0)

    def store(self) -> str:
        return " ".join(f"{stream}={speed:.1f}" for stream, speed in self._speeds.items())

    def restore(self, value: str) -> None:
        """What `store` gave; anything else is left out."""
        for pair in value.split():
            stream, _, speed = pair.partition("=")
            with suppress(ValueError):
                self._speeds.setdefault(stream, float(speed))


class ReadSpeed:
    """Measured reading of the disk, large reads counting more than small ones."""

    def __init__(self) -> None:
        self._num_bytes, self._seconds = OPTIMISTIC_BYTES_PER_SECOND * GUESS_SECONDS, GUESS_SECONDS

    @property
    def bytes_per_second(self) -> float:
        return self._num_bytes / self._seconds

    def measure(self, num_bytes: int, seconds: float) -> None:
        if num_bytes and seconds > 0:
            self._num_bytes = SPEED_DECAY * self._num_bytes + num_bytes
            self._seconds = SPEED_DECAY * self._seconds + seconds

    def is_worth(self, num_bytes: int, num_tokens: int, tokens_per_second: float) -> bool:
        """Whether reading bytes is faster than reading tokens at this speed; 0.0 is an unknown one."""
        if tokens_per_second <= 0 or num_bytes / self.bytes_per_second < num_tokens / tokens_per_second:
            return True
        self._num_bytes *= SPEED_DOUBT
        return False

    def store(self) -> str:
        return f"{self.bytes_per_second:.0f}"

    def restore(self, value: str) -> None:
        """What `store` gave; anything else leaves the speed as it is."""
        if value.isdecimal() and int(value):
            self._num_bytes = int(value) * self._seconds
