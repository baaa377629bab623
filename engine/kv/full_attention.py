"""Keys and values of one full-attention layer, for rows of unequal length.

A token's slot is its absolute position. What a rejected proposal left behind lies past its row's length, where the
mask hides it until the next forward overwrites it; so a rewind touches no array. mlx-lm's BatchKVCache has one write
index for all rows and cannot hold rows that accepted unequal counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx

from engine.kv.extent import Extent, Forward

COLUMN_STEP = 256  # mlx-lm's own cache grows by as much


class FullAttention:
    """One layer's buffers, keys and values each [row capacity, heads, token capacity, head size].

    Speaks mlx-lm's cache interface (`offset`, `update_and_fetch`, `make_mask`); rows past the extent's are unclaimed.
    """

    def __init__(self, extent: Extent) -> None:
        self._extent = extent
        self.keys: mx.array | None = None
        self.values: mx.array | None = None

    @property
    def offset(self) -> int | mx.array:
        return self._extent.forward.offset

    def make_mask(
        self, num_tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> mx.array | str | None:
        assert num_tokens == self._extent.forward.width
        return self._extent.forward.mask(window_size, return_array)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Append [rows, heads, width, head size] after each row's length; returns all slots up to the longest's end."""
        forward = self._extent.forward
        self.keys = _write(_grown(self.keys, keys, forward.end), keys, forward)
        self.values = _write(_grown(self.values, values, forward.end), values, forward)
        num_rows = len(forward.lengths)
        return self.keys[:num_rows, :, : forward.end], self.values[:num_rows, :, : forward.end]

    def begin(self) -> None:
        """A rewind is a change of lengths alone."""

    def commit(self, kept: Sequence[int]) -> None:
        """The extent's lengths say it all."""

    def arrays(self) -> list[mx.array]:
        return [array for array in (self.keys, self.values) if array is not None]

    def extract(self, row: int) -> tuple[mx.array, mx.array]:
        """Compact copies of one row, [1, heads, length, head size], lazy."""
        assert self.keys is not None
        assert self.values is not None
        length = self._extent.lengths[row]
        return mx.contiguous(self.keys[row : row + 1, :, :length]), mx.contiguous(
            self.values[row : row + 1, :, :length]
        )

    def stage(self, rows: Mapping[int, tuple[mx.array, mx.array]]) -> tuple[mx.array, mx.array]:
        """Buffers that hold `rows`, by index, too; lazy. Rows that run are not copied where there is room."""
        num_columns = max([*self._extent.lengths, *(keys.shape[2] for keys, _ in rows.values())])
        keys = _joined(self.keys, {row: state[0] for row, state in rows.items()}, num_columns)
        return keys, _joined(self.values, {row: state[1] for row, state in rows.items()}, num_columns)

    def adopt(self, staged: tuple[mx.array, mx.array]) -> None:
        self.keys, self.values = staged

    def filter(self, keep: Sequence[int]) -> None:
        """Keep rows in the given order; releases the buffers where none is left."""
        self.keys = _kept(self.keys, keep)
        self.values = _kept(self.values, keep)


def _capacity(num_columns: int, present: int) -> int:
    """Token capacity that replaces `present`: growth by an eighth keeps the copies of a long row few."""
    wanted = max(num_columns, present + present // 8)
    return -(-wanted // COLUMN_STEP) * COLUMN_STEP


def _padded(buffer: mx.array, num_rows: int, num_columns: int) -> mx.array:
    rows, _, columns, _ = buffer.shape
    if (rows, columns) == (num_rows, num_columns):
        return buffer  # a second handle on it would make the next write copy the whole
    return mx.pad(buffer, [(0, num_rows - rows), (0, 0), (0, num_columns - columns), (0, 0)])


def _grown(buffer: mx.array | None, like: mx.array, num_columns: int) -> mx.array:
    rows, heads, _, head_size = like.shape
    if buffer is None:
        return mx.zeros((rows, heads, _capacity(num_columns, 0), head_size), dtype=like.dtype)
    present = buffer.shape[2]
    return _padded(
        buffer, max(rows, buffer.shape[0]), present if present >= num_columns else _capacity(num_columns, present)
    )


def _write(buffer: mx.array, tokens: mx.array, forward: Forward) -> mx.array:
    if forward.is_aligned:
        start = forward.lengths[0]
        buffer[: len(forward.lengths), :, start : start + forward.width] = tokens
    else:
        buffer[forward.row_indices, :, forward.positions] = tokens.transpose(0, 2, 1, 3)
    return buffer


def _joined(buffer: mx.array | None, rows: Mapping[int, mx.array], num_columns: int) -> mx.array:
    num_rows = max(rows) + 1
    if buffer is not None and num_rows > buffer.shape[0]:
        num_rows = max(num_rows, 2 * buffer.shape[0])  # spare rows, so that the next join copies nothing
    like = next(iter(rows.values()))
    _, heads, _, head_size = like.shape
    buffer = _grown(buffer, mx.zeros((num_rows, heads, 0, head_size), dtype=like.dtype), num_columns)
    for index, row in rows.items():
        buffer[index : index + 1, :, : row.shape[2]] = row
    return buffer


def _kept(buffer: mx.array | None, keep: Sequence[int]) -> mx.array | None:
    """Rows in the given order; those that leave are blanked, since NaN behind a mask spoils what is beside it."""
    if buffer is None or not keep:
        return None
    if list(keep) == list(range(len(keep))):
        buffer[len(keep) :] = 0
        return buffer
    return mx.take(buffer, mx.array(list(keep)), axis=0)
