"""Where the columns of the drafters' table lie; a narrow table drops the axis, then the dates, then the memory."""

from __future__ import annotations

from dataclasses import dataclass

from app.statistics.sizes import scaled

INSET, GAP = 16, 16
LEAST_NAME, LEAST_AXIS, MOST_AXIS = 150, 90, 240
MEMORY, NUMBER, MEASURED = 72, 46, 124


@dataclass(frozen=True, slots=True)
class Span:
    """Half open, in px from the row's start."""

    start: float
    end: float

    @property
    def width(self) -> float:
        return max(0.0, self.end - self.start)


@dataclass(frozen=True, slots=True)
class Columns:
    """A column that has no room has no width."""

    radio: Span
    name: Span
    memory: Span
    axis: Span
    alone: Span
    together: Span
    measured: Span
    reason: Span  # of a misfit, from behind its name to the end


def columns_of(width: float) -> Columns:
    radio = Span(scaled(INSET), scaled(INSET) + scaled(18))
    start, end = radio.end + scaled(10), width - scaled(INSET)
    room = end - start - scaled(LEAST_NAME)
    needs = {"numbers": 2 * NUMBER + GAP, "measured": MEASURED + GAP, "memory": MEMORY + GAP, "axis": LEAST_AXIS + GAP}
    shown = set()
    for column, pixels in needs.items():
        if room >= scaled(pixels):
            shown.add(column)
            room -= scaled(pixels)
    measured = _before(end, scaled(MEASURED) if "measured" in shown else 0)
    together = _before(measured.start - (scaled(GAP) if measured.width else 0), scaled(NUMBER))
    alone = _before(together.start, scaled(NUMBER))
    axis_width = min(scaled(MOST_AXIS), scaled(LEAST_AXIS) + 0.6 * room) if "axis" in shown else 0
    axis = _before(alone.start - (scaled(8) if axis_width else 0), axis_width)
    memory = _before(axis.start - (scaled(GAP) if axis_width else 0), scaled(MEMORY) if "memory" in shown else 0)
    name = Span(start, memory.start - scaled(8))
    return Columns(
        radio,
        name,
        memory,
        axis,
        alone,
        together,
        measured,
        Span(start + max(0.31 * (end - start), scaled(LEAST_NAME)), end),
    )


def _before(end: float, width: float) -> Span:
    return Span(end - width, end)
