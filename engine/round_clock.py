"""Times rounds by what their group's own steps take; what happens between steps is other groups' and the loads'."""

from __future__ import annotations

ALONE = 0.1  # of a round: a longer pause before it means that it shared the device


class RoundClock:
    """Every moment is given, in seconds of the monotonic clock."""

    def __init__(self) -> None:
        self.is_alone = False  # whether the present step began right where the last one ended
        self._began = 0.0
        self._finished = 0.0
        self._ended = 0.0
        self._seconds = 0.0

    def begin(self, now: float) -> None:
        """A step starts to advance its rows."""
        self.is_alone = self._ended > 0 and now - self._ended <= ALONE * self._seconds
        self._began = now

    def finish(self, now: float) -> float:
        """A round was read back: returns its seconds, with what came after the last one was read back."""
        self._seconds = now - self._began + max(0.0, self._ended - self._finished)
        self._finished = now
        return self._seconds

    def end(self, now: float) -> None:
        self._ended = now
