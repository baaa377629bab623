"""The port of every drafter: what is loaded once for a target, and the rows that use it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx

from engine.drafters.suffix_store import SuffixStore
from engine.forecast import Kind
from engine.kv.rows import StateChange
from engine.kv.state import RowState, StateKind
from engine.messages import ModelFacts, Progress
from engine.models.drafting.spec import PORT_WORDS
from engine.models.errors import DrafterError
from engine.sampling import Choice

NO_LIMIT = sys.maxsize  # context length of a drafter that covers rows of any length


@dataclass(frozen=True, slots=True)
class Donor:
    """Keys and values of one target layer, which a drafter attends to: [rows, heads, columns, size], of every row.

    positions [rows, columns] int32: which token of its row a column holds; below 0 where none that is kept.
    """

    keys: mx.array
    values: mx.array
    positions: mx.array
    window: int | None  # tokens that the layer itself looks back


@dataclass(frozen=True, slots=True)
class TargetPorts:
    """What a drafter may compute with of its target, whichever rows are at hand; shapes as `engine.structure` says."""

    hidden_size: int
    num_layers: int
    embed_scale: float  # of the embedding, before the first layer
    embed: Callable[[mx.array], mx.array]  # ids to unscaled embeddings
    head: Callable[[mx.array], mx.array]  # hidden states after the final norm to logits
    head_rows: Callable[[mx.array], tuple[Callable[[mx.array], mx.array], int]]  # for some ids alone, and its bytes


@dataclass(frozen=True, slots=True)
class TargetView:
    """What a drafter may know of its target; it may use the ports that it names in `needs`."""

    vocab_size: int
    context_length: int  # tokens
    ports: frozenset[str] = frozenset()  # names of what there is
    own: TargetPorts | None = None
    donors: Callable[[], Mapping[str, Donor]] | None = None  # by kind of layer, as the rows at hand are committed

    @property
    def target(self) -> TargetPorts:
        """For drafters whose needs were checked."""
        assert self.own is not None
        return self.own


@dataclass(frozen=True, slots=True)
class DraftRow:
    """All of a row that a drafter sees: its tokens, of which the last is pending, and how the next one is chosen.

    A drafter that draws does it with the same choice, one position on for each further token: then noise is shared.
    """

    history: Sequence[int]  # grows with the row; never to be changed
    choice: Choice
    chain_depth: int = 0  # tokens that are worth a forward of the drafter's each
    index: int = 0  # in the batch of the target, whose donors are counted so

    @property
    def pending(self) -> int:
        return self.history[-1]

    @property
    def step(self) -> int:
        """Position in the reply of the token after the pending one."""
        return self.choice.position


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a row's proposal before its forward: how long it is at most, its kind and, if so, its tokens."""

    length: int
    kind: Kind
    token_ids: tuple[int, ...] = ()
    per_forward: int = 1  # tokens that one forward of its drafter writes
    num_doubted: int = 0  # that the drafter wrote behind them and took back, since it does not trust them

    @property
    def num_drafted(self) -> int:
        """Tokens that were written at the cost of forwards."""
        return 0 if self.token_ids else self.length + self.num_doubted

    def num_forwards(self, length: int) -> int:
        """Forwards of the drafter that so many tokens take."""
        return -(-length // self.per_forward)


ANY = Kind("any", (0.5,))
NOTHING = Known(0, ANY)


@dataclass(frozen=True, slots=True)
class Proposals:
    """ids [rows, depth] padded right, num_proposed [rows]: int32, possibly lazy; an empty proposal is normal."""

    ids: mx.array
    num_proposed: mx.array
    known: tuple[Known, ...]

    @property
    def is_known(self) -> bool:
        """Whether the host has every token, so that nothing has to be waited for."""
        return all(len(row.token_ids) == row.length for row in self.known)

    def cut(self, lengths: Sequence[int]) -> Proposals:
        """The first lengths[i] tokens of row i's proposal."""
        if all(known.length <= length for known, length in zip(self.known, lengths, strict=True)):
            return self
        known = tuple(
            replace(row, length=length, token_ids=row.token_ids[:length])
            for row, length in zip(self.known, lengths, strict=True)
        )
        if self.is_known:
            return pack([row.token_ids for row in known], [row.kind for row in known])
        counts = mx.minimum(self.num_proposed, mx.array(list(lengths), dtype=mx.int32))
        return Proposals(self.ids[:, : max(lengths)], counts, known)


@dataclass(frozen=True, slots=True)
class DrafterState:
    """Companion state of one row, exact at `num_tokens`; the pending token is not covered.

    token_ids: those tokens, where the drafter needs them. covered: its state after a prefix of them, where it has one.
    unsaved: what a row has read that began late, the drafter's own; it moves to another batch with the row and is not
    kept, since the row's tokens do not tell where it began.
    """

    num_tokens: int
    token_ids: Sequence[int] = ()
    covered: RowState | None = None
    unsaved: Any = None


class DraftRows(Protocol):
    """Companion state of some rows, which covers each row's tokens before its pending one."""

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None: ...  # equally long, one a row
    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals: ...
    def commit(self, kept: Sequence[int], context: mx.array | None) -> None: ...  # window positions: pending + accepted
    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange: ...  # None: a cold row
    def filter(self, keep: Sequence[int]) -> None: ...
    def capture(self, row: int, start: int = 0) -> DrafterState: ...  # columns of the first `start` tokens left out
    @property
    def num_bytes(self) -> int: ...  # memory that the state takes, what waits to be read included


class Drafter(Protocol):
    """Loaded once for a target; the target's distribution must not depend on it."""

    identity: str  # goes into the key of its checkpoints
    weight_bytes: int
    kv_bytes_per_token: int  # of each row, while no window is full
    needs: frozenset[str]  # target ports it asks for
    tap_layers: tuple[int, ...]  # target layers whose outputs it is fed
    max_depth: int
    chain: Known  # what it can write at the cost of a forward of its own for each token; NOTHING where it needs none
    context_length: int  # tokens that a row may have before it proposes nothing more for it
    state_kind: StateKind | None  # of what it has read of a row; None where all follows from the row's tokens

    def open(self, target: TargetView) -> DraftRows: ...


@dataclass(frozen=True, slots=True)
class DrafterSource:
    """What a drafter is loaded from, and for which target."""

    path: str  # of its weights, as the user gave it; "" where its kind has none
    target: ModelFacts
    replies: SuffixStore  # past replies in the target's tokens
    data_dir: Path  # holds imported models
    view: TargetView  # of the target, without rows
    admit: Callable[[int], None] = lambda num_bytes: None  # raises ModelError where so much more has no room


DrafterStep = Progress | Drafter
LoadDrafter = Callable[[DrafterSource], Iterator[DrafterStep]]  # ends with the drafter; raises ModelError


def check_ports(name: str, needs: frozenset[str], target: TargetView) -> None:
    """Raise DrafterError where a target cannot give what a drafter reads of it."""
    if missing := sorted(needs - target.ports):
        read = ", ".join(f"{PORT_WORDS.get(port, port)} ({port!r})" for port in missing)
        raise DrafterError(
            f"the drafter {name!r} reads {read} of its target, which this model does not give; choose another drafter"
        )


def pack(proposals: Sequence[Sequence[int]], kinds: Sequence[Kind] | None = None) -> Proposals:
    """Proposals that the host already knows, as padded arrays."""
    depth = max(map(len, proposals), default=0)
    padded = [[*ids, *[0] * (depth - len(ids))] for ids in proposals]
    ids = mx.array(padded, dtype=mx.int32).reshape(len(proposals), depth)
    known = [
        Known(len(ids), kind, tuple(ids)) for ids, kind in zip(proposals, kinds or [ANY] * len(proposals), strict=True)
    ]
    return Proposals(ids, mx.array([len(ids) for ids in proposals], dtype=mx.int32), tuple(known))


def pick(parts: Sequence[Proposals], order: Sequence[int]) -> Proposals:
    """Rows of several proposals, counted through all of them, in the given order; lazy."""
    if len(parts) == 1 and list(order) == list(range(parts[0].ids.shape[0])):
        return parts[0]
    depth = max(part.ids.shape[1] for part in parts)
    padded = [mx.pad(part.ids, [(0, 0), (0, depth - part.ids.shape[1])]) for part in parts]
    index = mx.array(list(order), dtype=mx.int32)
    counts = mx.concatenate([part.num_proposed for part in parts])
    known = [row for part in parts for row in part.known]
    picked = tuple(known[index] for index in order)
    return Proposals(mx.take(mx.concatenate(padded), index, axis=0), mx.take(counts, index), picked)


def to_lists(array: mx.array) -> Any:
    """Nested lists of Python numbers; MLX types them as if they could be a single number."""
    return array.tolist()
