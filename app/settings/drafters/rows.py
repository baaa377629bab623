"""Rows of the drafters' table: what stands in each, as words and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from math import ceil, floor

from app.figures import write_bytes, write_speedup
from app.settings.drafters.candidate import PLAIN, Candidate, Group
from app.settings.drafters.candidates import Scan
from app.settings.drafters.measurements import ALONE, TOGETHER, Measurement
from app.settings.drafters.measuring import Progress
from app.settings.drafters.picker import Picker
from app.system.machine import PLACE

NOT_MEASURED = f"Not measured on {PLACE}"
WAITING = "Waits until the replies end"
QUEUED = "Measured next"
BRIEF = {NOT_MEASURED: "Not measured", QUEUED: "Next", WAITING: "Waits"}
BEFORE_UPDATE = "before an update"
SHORTEST = 1.5  # where the axis ends at the earliest


class Kind(Enum):
    HEAD = "head"
    TITLE = "title"
    DRAFTER = "drafter"
    MISFIT = "misfit"


class Act(Enum):
    """What the button at a row's end does."""

    NONE = ""
    MEASURE = "Measure here"
    STOP = "Stop"


@dataclass(frozen=True, slots=True)
class Row:
    kind: Kind
    words: str  # name, or title
    note: str = ""
    candidate: Candidate | None = None
    is_chosen: bool = False
    is_in_use: bool = False
    memory: str = ""
    alone: float | None = None  # ×N with one reply
    together: float | None = None  # with four at once
    state: str = ""  # instead of the axis
    measured: str = ""  # when
    is_old: bool = False
    act: Act = Act.NONE
    num_done: int = 0  # items of a measurement
    num_all: int = 0  # 0 where none runs
    error: str = ""  # why it could not be measured

    @property
    def is_reachable(self) -> bool:
        return self.kind in (Kind.DRAFTER, Kind.MISFIT)

    @property
    def key(self) -> str:
        """What tells it from other rows."""
        return self.candidate.drafter if self.candidate else f"{self.kind.value} {self.words}"

    @property
    def brief(self) -> str:
        """Its state in the room of two numbers."""
        if self.num_all:
            return f"{self.num_done} of {self.num_all}"
        return BRIEF.get(self.state, self.state)

    @property
    def reason(self) -> str:
        return self.candidate.refusal if self.candidate else ""


def rows_of(picker: Picker, target: str) -> tuple[Row, ...]:
    scan = picker.candidates.of(target)
    rows = [Row(Kind.HEAD, "Drafter")]
    in_use, choice = picker.in_use(target).drafter, picker.choice(target)
    for group in Group:
        members = [one for one in scan.candidates if one.group is group]
        if members:
            title = f"{group.value} {scan.name}".rstrip() if group is Group.MISFIT else group.value
            rows.append(Row(Kind.TITLE, title))
        rows += [_row(picker, scan, one, choice, in_use) for one in members]
    return tuple(rows)


def axis_end(rows: tuple[Row, ...]) -> float:
    """The next half above the best."""
    values = [value for row in rows for value in (row.alone, row.together) if value]
    return max(SHORTEST, floor(max(values, default=1.0) * 2) / 2 + 0.5)


def _row(picker: Picker, scan: Scan, candidate: Candidate, choice: str, in_use: str) -> Row:
    if not candidate.fits:
        return Row(Kind.MISFIT, candidate.name, candidate.note, candidate)
    alone, together = _measured(picker, scan, candidate)
    at_hand = picker.measuring.progress_of(scan.target, candidate.drafter)
    is_old = picker.is_before_update(scan, candidate)
    is_queued = picker.measuring.is_queued(scan.target, candidate.drafter)
    error = picker.measuring.errors.get((scan.target, candidate.drafter), "")
    state = progress_words(at_hand) if at_hand else QUEUED if is_queued else ""
    return Row(
        Kind.DRAFTER,
        candidate.name,
        candidate.note,
        candidate,
        is_chosen=candidate.drafter == choice,
        is_in_use=candidate.drafter == in_use,
        memory=memory_words(candidate),
        alone=_speedup(candidate, alone),
        together=_speedup(candidate, together),
        state=state or ("" if alone else error or NOT_MEASURED),
        measured=BEFORE_UPDATE if is_old else write_day(alone.taken_at) if alone else "",
        is_old=is_old,
        act=Act.NONE if candidate.drafter == PLAIN else Act.STOP if at_hand or is_queued else Act.MEASURE,
        num_done=at_hand.num_done if at_hand else 0,
        num_all=at_hand.num_all if at_hand else 0,
        error=error,
    )


def _measured(picker: Picker, scan: Scan, candidate: Candidate) -> tuple[Measurement | None, Measurement | None]:
    """With one reply and with four; plain decoding is measured beside any drafter."""
    if candidate.drafter == PLAIN:
        together = max(picker.measurements.all_of(scan.target, TOGETHER), key=lambda one: one.taken_at, default=None)
        return picker.measurements.plain(scan.target), together
    of = picker.measurements.of
    return of(scan.target, candidate.drafter, ALONE), of(scan.target, candidate.drafter, TOGETHER)


def _speedup(candidate: Candidate, measurement: Measurement | None) -> float | None:
    if measurement is None:
        return None
    return 1.0 if candidate.drafter == PLAIN else measurement.speedup


def memory_words(candidate: Candidate) -> str:
    return write_bytes(candidate.num_bytes) if candidate.num_bytes else "0"


def progress_words(progress: Progress) -> str:
    if progress.is_waiting:
        return WAITING
    seconds = progress.seconds_left()
    return f"Measuring, {write_left(seconds)} left" if seconds is not None else "Measuring"


def write_left(seconds: float) -> str:
    """Rounded up: 200 -> 4 min."""
    if seconds < 60:
        return f"{max(1, ceil(seconds))}\u00a0s"
    return f"{ceil(seconds / 60)}\u00a0min"


def write_day(taken_at: float, today: date | None = None) -> str:
    """ "today", "3 days ago", from a month on the date."""
    day = datetime.fromtimestamp(taken_at).date()
    num_days = ((today or date.today()) - day).days
    if num_days < 1:
        return "today"
    if num_days == 1:
        return "yesterday"
    return f"{num_days}\u00a0days ago" if num_days < 31 else f"{day.day}\u00a0{day:%b %Y}"


def spoken(row: Row) -> str:
    """A row as a screen reader says it."""
    return ", ".join(_spoken_parts(row))


def _spoken_parts(row: Row) -> Iterator[str]:
    yield f"{row.words} {row.note}".rstrip()
    if row.kind is Kind.MISFIT:
        yield f"does not fit: {row.reason}"
    if row.kind is not Kind.DRAFTER:
        return
    if row.is_chosen:
        yield "chosen"
    if row.is_in_use:
        yield "in use"
    yield "no memory" if row.memory == "0" else f"{row.memory} of memory"
    if row.state:
        yield f"{row.state}, {row.num_done} of {row.num_all}" if row.num_all else row.state
    if row.alone:
        yield f"{write_speedup(row.alone)} with 1 reply"
    if row.together:
        yield f"{write_speedup(row.together)} with 4 at once"
    if row.measured:
        yield f"measured {row.measured}"
