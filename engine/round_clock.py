"""Times rounds by what their group's own steps take; what happens between steps is loads, prompts and other groups.

Groups take turns on one device, which works through their forwards in the order in which they were launched.
"""

from __future__ import annotations

from weakref import WeakSet

ALONE = 0.1  # of a round: a longer pause before it means that something else had the device


class Device:
    """What the groups that take turns on one device know of each other; every moment is given to their clocks."""

    def __init__(self) -> None:
        self.ended = 0.0  # the last step of any group; 0.0 before the first
        self.flying: WeakSet[RoundClock] = WeakSet()  # of groups that have a round in flight between their steps
        self.num_waits = 0  # how often somebody waited for all that was launched, and so for what others have in flight


class RoundClock:
    """One group's; every moment is given, in seconds of the monotonic clock."""

    def __init__(self, device: Device) -> None:
        self.is_alone = False  # whether the last round that was read back had the device for itself while it was timed
        self._device = device
        self._num_waits = 0  # when this group's last step ended
        self._follows = False  # whether the present step began right where the last one of any group ended
        self._began = 0.0
        self._finished = 0.0
        self._ended = 0.0
        self._seconds = 0.0

    def begin(self, now: float) -> None:
        """A step starts to advance its rows."""
        self._follows = self._device.ended > 0 and now - self._device.ended <= ALONE * self._seconds
        if not self._follows:
            self._device.num_waits += 1
        self._began = now

    def finish(self, now: float, was_ahead: bool) -> float:
        """A round was read back: returns its seconds, with what came after the last one was read back.

        `was_ahead`: it was launched in the step before. Then others may have waited for it meanwhile; otherwise it
        waited for what others had in flight.
        """
        if was_ahead:
            is_own = self._num_waits == self._device.num_waits
        else:
            is_own = not self._device.flying - {self}
            self._device.num_waits += 1
        self.is_alone = self._follows and is_own
        self._seconds = now - self._began + max(0.0, self._ended - self._finished)
        self._finished = now
        return self._seconds

    def end(self, now: float, is_flying: bool) -> None:
        """`is_flying`: the next round is launched."""
        (self._device.flying.add if is_flying else self._device.flying.discard)(self)
        self._num_waits = self._device.num_waits
        self._device.ended = self._ended = now
