"""Rows' state to the prompt cache and back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import mlx.core as mx

from engine.companions import Companions
from engine.drafters.base import DrafterState
from engine.kv.rows import Rows
from engine.kv.state import LayerState, RowState, StateKind
from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.entries import PAGE_TOKENS
from engine.prompt_cache.held import Held
from engine.prompt_cache.identity import beside
from engine.prompt_cache.requests import Found, StreamState, StreamWanted, Wanted
from engine.row import Row

log = logging.getLogger(__name__)

LEAST_REREAD = PAGE_TOKENS  # tokens that a row may read again so that its drafter knows the chat from its beginning
REREAD_SECONDS = 0.25  # or as many as that takes; states are saved at the ends of chunks that last about as long
LEAST_TOLD = 16  # tokens that are worth a sentence
FOR_DRAFTER = "They were read again so that the drafter knows them too."
UNKEPT = "This model's state cannot be saved, so the whole chat was read again."


@dataclass(frozen=True, slots=True)
class Restored:
    """What was found of a row's prompt; it stays in memory as long as this does."""

    num_tokens: int
    kind: StateKind
    target: Held
    drafter: Held | None

    def target_state(self) -> RowState:
        return _cut(_row_state(self.kind, self.target), self.num_tokens)

    def drafter_state(self, row: Row) -> DrafterState:
        """Its tokens, and what the drafter has read of them; it reads the rest itself when it drafts."""
        kind = _drafter_kind(row)
        covered = _row_state(kind, self.drafter) if kind and self.drafter else None
        return DrafterState(self.num_tokens, tuple(row.prompt_ids[: self.num_tokens]), covered)


class Checkpoints:
    """Saves what rows have read and finds it again; without a cache it does neither."""

    def __init__(self, cache: PromptCache | None = None) -> None:
        self._cache = cache

    def use(self, cache: PromptCache) -> None:
        """Go on with another cache, while no row has anything of the one before."""
        self._cache = cache

    def find(self, row: Row, tokens_per_second: float, done: Callable[[], None]) -> None:
        """Look up a row's prompt; `done` is called once the row may be read on, at once or later on this thread."""
        if self._cache is None:
            done()
        elif row.state_kind is None:
            if row.num_old:
                row.counter.num_reread, row.counter.reread_reason = min(row.num_old, len(row.prompt_ids) - 1), UNKEPT
            done()
        else:
            most_reread = max(LEAST_REREAD, int(REREAD_SECONDS * tokens_per_second))
            wanted = _wanted(row, row.state_kind, tokens_per_second)
            self._cache.find(wanted, lambda found: _take(row, found, most_reread, done))

    def num_held(self, kinds: Iterable[StateKind | None], token_ids: Sequence[int]) -> int:
        """Tokens of a prompt whose state is kept in one of some kinds."""
        if self._cache is None:
            return 0
        wanted = [_stream_wanted(kind) for kind in kinds if kind is not None]
        return max((self._cache.num_held(one, token_ids) for one in wanted), default=0)

    def drop(self, request_id: int) -> None:
        """A search that nobody waits for."""
        if self._cache is not None:
            self._cache.drop(request_id)

    def save(
        self, row: Row, rows: Sequence[Row], state: Rows, companions: Companions, *, is_boundary: bool = False
    ) -> None:
        """Keep the state of one of some rows, as far as it is committed; a failure costs nobody anything but the time
        to read.

        is_boundary: later prompts will share the place, it is not the end of a turn.
        """
        index = rows.index(row)
        num_tokens = state.lengths[index]
        if self._cache is None or row.state_kind is None or not num_tokens:
            return
        token_ids = tuple(row.history[:num_tokens])
        try:
            if num_tokens >= row.state_kind.shape.minimum:
                start = self._cache.missing_from(row.state_kind.stream, token_ids)
                self._put(row, row.state_kind, token_ids, state.extract(index, start), is_boundary)
            if (kind := _drafter_kind(row)) is not None:
                start = self._cache.missing_from(kind.stream, token_ids)
                if (covered := companions.capture(rows, row, start).covered) is not None:
                    self._put(row, kind, token_ids[: covered.num_tokens], covered, is_boundary)
        except (RuntimeError, ValueError, MemoryError, AssertionError):  # of MLX, or a fault here: the reply is whole
            log.exception("the state of request %d was not saved", row.request_id)

    def _put(self, row: Row, kind: StateKind, token_ids: tuple[int, ...], state: RowState, is_boundary: bool) -> None:
        assert self._cache is not None
        if _is_broken(state):
            log.warning("the state of request %d holds values that are not numbers and was not saved", row.request_id)
            return
        assert state.num_tokens == len(token_ids), f"a state of {state.num_tokens} tokens is saved as {len(token_ids)}"
        kept = StreamState(state.start, state.num_tokens, state.grown, state.fixed)
        self._cache.put(kind.stream, row.conversation_id, token_ids, kept, is_boundary=is_boundary)


def _wanted(row: Row, kind: StateKind, tokens_per_second: float) -> Wanted:
    kinds = filter(None, [kind, _drafter_kind(row)])
    streams = tuple(map(_stream_wanted, kinds))
    return Wanted(
        row.request_id,
        row.conversation_id,
        streams,
        tuple(row.prompt_ids),
        row.num_old,
        tokens_per_second,
        row.template_id,
    )


def _stream_wanted(kind: StateKind) -> StreamWanted:
    return StreamWanted(kind.stream, kind.shape.is_exact, kind.shape.minimum)


def _drafter_kind(row: Row) -> StateKind | None:
    """Of a row's drafter: what one that reads its target has read depends on how the target computed it."""
    kind = row.drafter.state_kind
    if kind is None or row.state_kind is None or not row.drafter.tap_layers:
        return kind
    return replace(kind, stream=beside(row.state_kind.stream, kind.stream))


def _take(row: Row, found: Found, most_reread: int, done: Callable[[], None]) -> None:
    assert row.state_kind is not None
    target, drafter = (*found.states, None, None)[:2]
    row.counter.num_reread, row.counter.reread_reason = found.num_reread, found.reason
    if target is not None and (num_tokens := _num_taken(row, row.state_kind, found.num_tokens, drafter, most_reread)):
        row.restored = Restored(num_tokens, row.state_kind, target, drafter)
        row.counter.num_cached = num_tokens
        num_again = min(row.num_old, found.num_tokens) - num_tokens
        if num_again > LEAST_TOLD:
            row.counter.num_reread += num_again
            row.counter.reread_reason = row.counter.reread_reason or FOR_DRAFTER
    done()


def _num_taken(row: Row, kind: StateKind, num_found: int, drafter: Held | None, most_reread: int) -> int:
    """Of what was found of the target, what its drafter has read too, where little is lost by reading the rest again:
    one that reads its target cannot make up for a token that only the target has read, in this chat or later."""
    if _drafter_kind(row) is None or not row.drafter.tap_layers:
        return num_found
    num_read = drafter.num_tokens if drafter else 0
    can_be_cut = num_read >= kind.shape.minimum and (num_read == num_found or not kind.shape.is_exact)
    num_taken = num_read if can_be_cut else 0
    return num_taken if num_found - num_taken <= most_reread else num_found


def _cut(state: RowState, num_tokens: int) -> RowState:
    """The first tokens of a state that can be restored at any of them."""
    if num_tokens == state.num_tokens:
        return state
    layers = tuple(LayerState(tuple(array[:, :, :num_tokens] for array in layer.grown)) for layer in state.layers)
    return RowState(num_tokens, layers)


def _is_broken(state: RowState) -> bool:
    """Whether a value is not a number: whoever went on from it would fail again, for as long as it is kept."""
    floating = [array for array in state.arrays() if mx.issubdtype(array.dtype, mx.floating) and array.size]
    return bool(floating) and bool(mx.any(mx.stack([mx.any(mx.isnan(array)) for array in floating])).item())


def _row_state(kind: StateKind, held: Held) -> RowState:
    state = held.state()
    return RowState(state.num_tokens, kind.shape.split(state.grown, state.fixed))
