"""A drafter that knows what the target will write, and is wrong where its script says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

from engine.drafters.base import (
    NO_LIMIT,
    NOTHING,
    DrafterSource,
    DrafterState,
    DraftRow,
    Known,
    Proposals,
    TargetView,
    pack,
)
from engine.drafters.none import NoDraftRows
from engine.drafters.table import DRAFTERS, DrafterKind
from engine.kv.rows import StateChange
from engine.kv.state import StateKind

STRESS = "stress"
DEPTH = 6
ACCEPTS = (0, DEPTH, 2, 0, 1, DEPTH, DEPTH, 3)  # all, some and none, each after each


@dataclass(slots=True, eq=False, weakref_slot=True)
class ScriptedDrafter:
    """Proposes `depth` tokens of `truth`, the target's text; as many are right as `accepts` says, in turn."""

    truth: Sequence[int]
    accepts: Sequence[int]
    depth: int = DEPTH
    identity: str = "scripted"
    weight_bytes: int = 0
    kv_bytes_per_token: int = 0
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    chain: Known = NOTHING
    context_length: int = NO_LIMIT
    state_kind: StateKind | None = None
    max_depth: int = field(init=False)

    def __post_init__(self) -> None:
        self.max_depth = self.depth

    def open(self, target: TargetView) -> ScriptedRows:
        return ScriptedRows(self, target.vocab_size)


class ScriptedRows(NoDraftRows):
    """Where each row is in the script."""

    def __init__(self, drafter: ScriptedDrafter, vocab_size: int) -> None:
        self._drafter = drafter
        self._vocab_size = vocab_size
        self._accepts: list[Iterator[int]] = []

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        staged = [cycle(self._drafter.accepts) for _ in states]
        return StateChange(lambda: self._accepts.extend(staged))

    def filter(self, keep: Sequence[int]) -> None:
        self._accepts = [self._accepts[index] for index in keep]

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        return pack([self._script(*seen) for seen in zip(self._accepts, rows, depths, strict=True)])

    def _script(self, accepts: Iterator[int], row: DraftRow, depth: int) -> list[int]:
        ids = list(self._drafter.truth[row.step : row.step + min(depth, self._drafter.depth)])
        for index in range(next(accepts), len(ids)):
            ids[index] = (ids[index] + 1) % self._vocab_size
        return ids


@contextmanager
def stress_drafter(truth_of: Callable[[int], Sequence[int]]) -> Iterator[None]:
    """Let requests name the drafter "stress:CASE" meanwhile; `truth_of` gives the reference ids of a case."""

    def load(source: DrafterSource) -> Iterator[ScriptedDrafter]:
        case = int(source.path)
        start = case % len(ACCEPTS)  # rows of one batch are at different places of the script
        yield ScriptedDrafter(truth_of(case), ACCEPTS[start:] + ACCEPTS[:start])

    DRAFTERS[STRESS] = DrafterKind(load, has_path=True)
    try:
        yield
    finally:
        del DRAFTERS[STRESS]
