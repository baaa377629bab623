"""The groups of every target: which of them a row joins, and fair turns between them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from engine.checkpoints import Checkpoints
from engine.depth import DepthPolicy
from engine.group import Group
from engine.messages import Event
from engine.round_clock import Device
from engine.row import Row
from engine.row_memory import RowMemory
from engine.target import MAX_ROWS, Target

log = logging.getLogger(__name__)

T = TypeVar("T")


class Groups:
    """Owns the groups; each is given one step in turn, and what breaks one leaves the others alone."""

    def __init__(self, emit: Callable[[Event], None], depth: DepthPolicy | None, checkpoints: Checkpoints) -> None:
        """`depth` chooses depths for every target; None has each target's own costs choose them."""
        self._emit = emit
        self._depth = depth
        self._checkpoints = checkpoints
        self._device = Device()
        self._groups: list[Group] = []

    @property
    def are_idle(self) -> bool:
        return all(group.is_idle for group in self._groups)

    @property
    def memory(self) -> RowMemory:
        """What all rows take, those that wait aside."""
        return sum((group.memory for group in self._groups), RowMemory())

    def use(self, target: Target | None) -> bool:
        """Whether a row of a target is here; an idle group of it is let go."""
        self._drop_idle()
        return any(group.target is target for group in self._groups)

    def add(self, target: Target, row: Row) -> None:
        """Let a row wait in a group of its target that suits it."""
        self._group_for(target, row).add(row)

    def advance(self) -> bool:
        """Give the next group in turn one step; False where none is left."""
        self._drop_idle()
        if not self._groups:
            return False
        group = self._groups.pop(0)
        self._groups.append(group)
        self._guarded(group, group.step)
        return True

    def cancel(self, request_id: int) -> None:
        """End a request between rounds; one that is unknown or has ended needs nothing."""
        any(self._guarded(group, partial(group.cancel, request_id)) for group in self._groups)

    def end(self) -> None:
        """End every row as cancelled, and let go of all arrays on the thread that made them."""
        for group in self._groups:
            self._guarded(group, group.end)
        self._groups.clear()

    def fail(self, text: str) -> None:
        """Fail every row and drop its state."""
        for group in self._groups:
            group.fail(text)
        self._groups.clear()

    def _drop_idle(self) -> None:
        for group in [group for group in self._groups if group.is_idle]:
            self._groups.remove(group)
            group.target.rest()

    def _group_for(self, target: Target, row: Row) -> Group:
        """A group of this target that suits the row and has room for it, or a new one; where that is one too many,
        the row waits in the suited one with the fewest rows."""
        groups = [group for group in self._groups if group.target is target]
        suited = [group for group in groups if group.suits(row)]
        if (group := next((group for group in suited if group.has_room), None)) is not None:
            return group
        is_full = sum(group.num_rows for group in groups) >= MAX_ROWS
        if suited and (is_full or suited[0].max_rows == 1):
            return min(suited, key=lambda group: group.num_rows)
        policy = self._depth or target.depth
        self._groups.append(Group(target, row.kv, self._emit, policy, self._checkpoints, self._device))
        return self._groups[-1]

    def _guarded(self, group: Group, work: Callable[[], T]) -> T | None:
        """Do what may break a group's state: where it fails that is lost, and the other groups go on."""
        try:
            return work()
        except Exception as error:
            log.exception("a step failed")
            group.fail(f"the engine could not go on with this reply: {error}; what it had written is kept")
            return None
