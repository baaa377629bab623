"""Many replies of one target at once: what a drafter is taught with has no reader who waits for the first token.

Rows of one batch begin together and are dropped as they end, so that shapes stay few; the KV layouts are those that
replies in a chat run in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.kv.rows import BatchedRows, open_rows
from engine.target import Target

READ_WIDTH = 256  # prompt tokens of every row in one forward
STEPS_BETWEEN_READS = 16  # a token is read back late, so that the device never waits for this thread
LEAST_BUSY = 0.7  # part of a batch that still writes, below which those that have ended are dropped from it


@dataclass(frozen=True, slots=True)
class Writing:
    """One sequence to go on with: greedily at temperature 0, else sampled from the plain distribution."""

    token_ids: Sequence[int]
    temperature: float = 0.0


def write_batch(
    target: Target, writings: Sequence[Writing], *, max_tokens: int, end_ids: Collection[int], seed: int
) -> list[list[int]]:
    """What the target writes after each of `writings`, up to an end token, which is kept, or `max_tokens`.

    The same target, batch and seed give the same tokens on the same machine.
    """
    batch = _Batch(target, writings, end_ids, seed)
    for _ in range(0, max_tokens, STEPS_BETWEEN_READS):
        if not batch.advance(STEPS_BETWEEN_READS):
            break
    return [written[:max_tokens] for written in batch.written]


class _Batch:
    """Rows that write on together; `written` grows by what is read back."""

    def __init__(self, target: Target, writings: Sequence[Writing], end_ids: Collection[int], seed: int) -> None:
        assert all(writing.token_ids for writing in writings), "a target writes after a token, never after nothing"
        self.written: list[list[int]] = [[] for _ in writings]
        self._target = target
        self._ends = frozenset(end_ids)
        self._rows = [*range(len(writings))]  # which of the writings each row of the batch is
        self._temperatures = mx.array([writing.temperature for writing in writings])[:, None]
        self._is_sampled = any(writing.temperature for writing in writings)
        self._key = mx.random.key(seed)
        self._state = open_rows(target.model, len(writings))
        self._state.prepare_append([None] * len(writings)).commit()
        _read_prompts(target, self._state, [writing.token_ids[:-1] for writing in writings])
        self._pending = mx.array([writing.token_ids[-1] for writing in writings], dtype=mx.int32)

    def advance(self, num_steps: int) -> bool:
        """Write so many tokens in every row; False once all have ended."""
        steps = []
        for _ in range(num_steps):
            self._pending = self._step()
            mx.async_eval(self._pending)
            steps.append(self._pending)
        columns: list[list[int]] = mx.stack(steps, axis=1).tolist()  # type: ignore[assignment]
        for row, ids in zip(self._rows, columns, strict=True):
            self._take(row, ids)
        busy = [index for index, row in enumerate(self._rows) if not self._has_ended(row)]
        if len(busy) < LEAST_BUSY * len(self._rows):
            self._keep(busy)
        return bool(busy)

    def _step(self) -> mx.array:
        logits = self._target.verify(self._state, self._pending[:, None]).logits[:, 0].astype(mx.float32)
        self._state.commit([1] * len(self._rows))
        if self._is_sampled:
            self._key, key = mx.random.split(self._key)
            logits = logits + self._temperatures * mx.random.gumbel(logits.shape, key=key)
        return mx.argmax(logits, axis=-1).astype(mx.int32)

    def _take(self, row: int, ids: Sequence[int]) -> None:
        for token_id in ids:
            if self._has_ended(row):
                return
            self.written[row].append(token_id)

    def _has_ended(self, row: int) -> bool:
        return bool(self.written[row]) and self.written[row][-1] in self._ends

    def _keep(self, indices: Sequence[int]) -> None:
        kept = mx.array(list(indices), dtype=mx.int32)
        self._state.filter(indices)
        self._rows = [self._rows[index] for index in indices]
        if indices:
            self._pending, self._temperatures = self._pending[kept], self._temperatures[kept]


def _read_prompts(target: Target, state: BatchedRows, prompts: Sequence[Sequence[int]]) -> None:
    """Read prompts of unequal length, padded right; what was padded is forgotten at once, as a rejected proposal is."""
    for start in range(0, max(map(len, prompts)), READ_WIDTH):
        chunks = [list(prompt[start : start + READ_WIDTH]) for prompt in prompts]
        width = max(map(len, chunks))
        padded = mx.array([chunk + [0] * (width - len(chunk)) for chunk in chunks], dtype=mx.int32)
        target.verify(state, padded)  # its logits stay lazy and are never computed
        state.evaluate()
        state.commit([len(chunk) for chunk in chunks])


def in_batches(writings: Sequence[Writing], batch_size: int) -> Iterator[list[int]]:
    """Indices of batches whose sequences are of about one length, the longest first, so that memory fails early."""
    order = sorted(range(len(writings)), key=lambda index: -len(writings[index].token_ids))
    for start in range(0, len(order), batch_size):
        yield order[start : start + batch_size]
