"""The groups of every target: which of them a row joins, and fair turns between them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from engine.admission import Admission, Waiting
from engine.checkpoints import Checkpoints
from engine.depth import DepthPolicy
from engine.group import Group
from engine.memory import Memory
from engine.messages import Event
from engine.round_clock import Device
from engine.row import Row
from engine.row_memory import RowMemory, grown_bytes, peak_bytes
from engine.target import MAX_ROWS, Target

log = logging.getLogger(__name__)

T = TypeVar("T")


class Groups:
    """Owns the groups; each is given one step in turn, and what breaks one leaves the others alone."""

    def __init__(
        self, emit: Callable[[Event], None], depth: DepthPolicy | None, checkpoints: Checkpoints, memory: Memory
    ) -> None:
        """`depth` chooses depths for every target; None has each target's own costs choose them."""
        self._emit = emit
        self._depth = depth
        self._checkpoints = checkpoints
        self._room = memory
        self._admission = Admission(emit)
        self._num_seen = 0  # rows when it was last looked who has room
        self._looks_again = False
        self._device = Device()
        self._groups: list[Group] = []

    @property
    def are_idle(self) -> bool:
        return not self._num_rows and self._admission.first is None

    @property
    def _num_rows(self) -> int:
        return sum(group.num_rows for group in self._groups)

    @property
    def memory(self) -> RowMemory:
        """What all rows take, those that wait aside."""
        return sum((group.memory for group in self._groups), RowMemory())

    @property
    def promised_bytes(self) -> int:
        """What rows will take beyond what they have: as they grow and join, and for the largest forward."""
        return self._working_bytes + sum(self._growth(group) for group in self._groups)

    def use(self, target: Target | None) -> bool:
        """Whether a row of a target is here; an idle group of it is let go."""
        self._drop_idle()
        return self._admission.uses(target) or any(group.target is target for group in self._groups)

    def add(self, target: Target, row: Row) -> None:
        """Let a row wait in a group of its target that suits it, or until there is memory for it."""
        self._admission.add(target, row)
        self._admit()

    def advance(self) -> bool:
        """Give the next group in turn one step; False where none is left."""
        self._drop_idle()
        if self._looks_again or self._num_rows < self._num_seen:
            self._looks_again = False
            self._admit()
            self._room.share()
        if not self._groups:
            return False
        group = self._groups.pop(0)
        self._groups.append(group)
        self._guarded(group, group.step)
        return True

    def look_again(self) -> None:
        """Have the next step see whether there is room that no row has left: a model that went, say."""
        self._looks_again = True

    def cancel(self, request_id: int) -> None:
        """End a request between rounds; one that is unknown or has ended needs nothing."""
        if self._admission.cancel(request_id):
            self._admit()  # it may have been the one that the others waited behind
        else:
            any(self._guarded(group, partial(group.cancel, request_id)) for group in self._groups)

    def end(self) -> None:
        """End every row as cancelled, and let go of all arrays on the thread that made them."""
        self._admission.end()
        for group in self._groups:
            self._guarded(group, group.end)
        self._groups.clear()

    def fail(self, text: str) -> None:
        """Fail every row and drop its state."""
        self._admission.fail(text)
        for group in self._groups:
            group.fail(text)
        self._groups.clear()

    def _drop_idle(self) -> None:
        for group in [group for group in self._groups if group.is_idle]:
            self._groups.remove(group)
            group.target.rest()

    def _admit(self) -> None:
        """Let rows that waited for memory go where they have room, up to the first that has none."""
        while (waiting := self._admission.first) is not None:
            if (group := self._place(waiting.target, waiting.row)) is not None:
                self._admission.leave()
                group.add(waiting.row)
            elif (most := self._most_room(waiting)) < self._need_alone(waiting):
                self._admission.refuse(self._need_alone(waiting), most)
            elif self._num_rows:
                self._admission.hold(self._num_rows, self._least_need, self._room.room_bytes(waiting.row.held))
                break
            elif not self._admission.let_go():
                self._admission.refuse(self._least_need(waiting), self._room.room_bytes(waiting.row.held))
        self._num_seen = self._num_rows

    def _place(self, target: Target, row: Row) -> Group | None:
        """A group of this target that suits the row and has room for it, or a new one; where that is one too many,
        the suited one with the fewest rows. None where there is no memory for any of them.

        A group of its own takes least, since nothing is copied as the row joins.
        """
        groups = [group for group in self._groups if group.target is target]
        suited = [group for group in groups if group.suits(row)]
        is_full = sum(group.num_rows for group in groups) >= MAX_ROWS
        group = next((group for group in suited if group.has_room), None)
        if group is None and suited and (is_full or suited[0].max_rows == 1):
            group = min(suited, key=lambda group: group.num_rows)
        working = self._more_working_bytes(target)
        if group is not None and self._room.take(self._growth(group, row) - self._growth(group) + working, row.held):
            return group
        if group is not None and (is_full or group.max_rows == 1):
            return None
        needed = self._least_need(Waiting(target, row))
        return self._open(target, row) if self._room.take(needed, row.held) else None

    def _open(self, target: Target, row: Row) -> Group:
        policy = self._depth or target.depth
        self._groups.append(Group(target, row.kv, self._emit, policy, self._checkpoints, self._device))
        return self._groups[-1]

    def _least_need(self, waiting: Waiting) -> int:
        """What a row takes in a group of its own."""
        row, target = waiting.row, waiting.target
        return grown_bytes(target.row_size, row.kv, [row], 1) + self._more_working_bytes(target)

    def _need_alone(self, waiting: Waiting) -> int:
        """What a row takes where no other runs."""
        size = waiting.target.row_size
        return grown_bytes(size, waiting.row.kv, [waiting.row], 1) + size.working_bytes

    def _most_room(self, waiting: Waiting) -> int:
        """What there is beside a row's own models, once all else is gone."""
        return self._room.limit_bytes() - waiting.target.weight_bytes - waiting.row.drafter.weight_bytes

    def _growth(self, group: Group, *more: Row) -> int:
        """What the rows of a group, and one more, may yet take."""
        peak = peak_bytes(group.target.row_size, group.kv, [*group.rows, *more], group.max_rows)
        return max(0, peak - group.memory.num_bytes)

    @property
    def _working_bytes(self) -> int:
        return max((group.target.row_size.working_bytes for group in self._groups), default=0)

    def _more_working_bytes(self, target: Target) -> int:
        """What its largest forward takes beyond those that are promised already."""
        return max(0, target.row_size.working_bytes - self._working_bytes)

    def _guarded(self, group: Group, work: Callable[[], T]) -> T | None:
        """Do what may break a group's state: where it fails that is lost, and the other groups go on."""
        try:
            return work()
        except Exception as error:
            log.exception("a step failed")
            group.fail(f"the engine could not go on with this reply: {error}; what it had written is kept")
            return None
