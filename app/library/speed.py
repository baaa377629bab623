"""Speedometer: bytes in a second over the last few, and how long the rest takes."""

from __future__ import annotations

from collections import deque
from math import ceil

from app.figures import NO_BREAK

SPAN_SECONDS = 5.0


class Speedometer:
    """Times are of a clock that is never set back."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def see(self, now: float, done_bytes: int) -> None:
        if self._seen and done_bytes < self._seen[-1][1]:  # a file was begun anew
            self._seen.clear()
        self._seen.append((now, done_bytes))
        while len(self._seen) > 2 and now - self._seen[1][0] >= SPAN_SECONDS:
            self._seen.popleft()

    @property
    def bytes_per_second(self) -> float:
        """0.0 before two points in time were seen."""
        if len(self._seen) < 2:
            return 0.0
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if now > began else 0.0


def write_speed(bytes_per_second: float) -> str:
    """41,300,000 -> 41 MB/s."""
    for size, unit in ((1e9, "GB"), (1e6, "MB")):
        if bytes_per_second >= 0.95 * size:
            value = bytes_per_second / size
            return f"{value:,.{0 if value >= 9.95 else 1}f}{NO_BREAK}{unit}/s"
    return f"{bytes_per_second / 1e3:,.0f}{NO_BREAK}kB/s"


def write_time_left(seconds: float) -> str:
    """Rounded up: to a second below a minute, to ten below an hour, to a minute above."""
    if seconds <= 59:
        return f"{max(1, ceil(seconds))}{NO_BREAK}s"
    if seconds <= 3590:
        tens = ceil(seconds / 10)
        minutes, rest = divmod(10 * tens, 60)
        return f"{minutes}{NO_BREAK}min" + (f" {rest}{NO_BREAK}s" if rest else "")
    hours, minutes = divmod(ceil(seconds / 60), 60)
    return f"{hours}{NO_BREAK}h" + (f" {minutes}{NO_BREAK}min" if minutes else "")
