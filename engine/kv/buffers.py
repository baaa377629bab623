"""Arrays of one layer that hold the tokens of all rows, and grow, join and leave together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mlx.core as mx

COLUMN_STEP = 256  # mlx-lm's own cache grows by as much
SPARE_RATIO = 4  # capacity of which no more than this part is used is given back; the copy of that part is small

Arrays = tuple[mx.array, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the tokens of one forward go: token j of row i into column indices[i, j], [rows, width] int32."""

    row_indices: mx.array  # [rows, 1] int32
    indices: mx.array
    start: int | None  # of the columns in their order, where all rows write the same ones; else None


class Buffers:
    """Arrays of one layer, each [row capacity, heads, token capacity, its own size]; rows past the extent's are free.

    `limit` is the most columns that are ever needed.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.arrays: Arrays = ()
        self._limit = limit

    def write(self, tokens: Sequence[mx.array], columns: Columns, num_columns: int) -> Arrays:
        """Write [rows, heads, width, size] each; returns these rows' first `num_columns` columns."""
        self.grow(tokens, num_columns)
        for array, new in zip(self.arrays, tokens, strict=True):
            _write(array, new, columns)
        return self.read(len(tokens[0]), num_columns)

    def replace(self, tokens: Sequence[mx.array], sources: mx.array) -> None:
        """Fill column c of row i with token sources[i, c]; below 0 the column stays. `sources` covers all columns."""
        for array, new in zip(self.arrays, tokens, strict=True):
            indices = sources[:, None, :, None]
            taken = mx.take_along_axis(new, mx.maximum(indices, 0), axis=2)
            array[: len(new)] = mx.where(indices >= 0, taken, array[: len(new)])

    def grow(self, like: Sequence[mx.array], num_columns: int) -> None:
        """Make room for the rows of `like` and so many columns; everything that is held stays."""
        present = self.arrays or [None] * len(like)
        self.arrays = tuple(
            self._grown(array, new, len(new), num_columns) for array, new in zip(present, like, strict=True)
        )

    def read(self, num_rows: int, num_columns: int) -> Arrays:
        return tuple(array[:num_rows, :, :num_columns] for array in self.arrays)

    def held(self, num_rows: int, num_columns: int) -> Arrays:
        """As `read`, for rows too that have not been written yet."""
        return tuple(array[:num_rows, :, :num_columns] for array in self._with_rows(num_rows))

    def extract(self, row: int, columns: slice | mx.array) -> Arrays:
        """Compact copies of a span of one row's columns or of those listed, lazy."""
        assert self.arrays, "no row has been written"
        if isinstance(columns, slice):
            return tuple(mx.contiguous(array[row : row + 1, :, columns]) for array in self.arrays)
        return tuple(mx.take(array[row : row + 1], columns, axis=2) for array in self.arrays)

    def stage(self, rows: Mapping[int, Sequence[mx.array]], num_columns: int) -> Arrays:
        """Arrays that hold `rows`, by index, too; lazy. Rows that run are not copied where there is room."""
        present = self.arrays or [None] * len(next(iter(rows.values())))
        return tuple(
            self._joined(array, {row: state[index] for row, state in rows.items()}, num_columns)
            for index, array in enumerate(present)
        )

    def filter(self, keep: Sequence[int], num_columns: int) -> None:
        """Keep rows in the given order, which use so many columns; releases the arrays where none is left.

        Rows that leave are blanked: one that joins without a state may take their place, and a mask hides what they
        held, but not its NaN.
        """
        if not keep:
            self.arrays = ()
        elif list(keep) == list(range(len(keep))):
            for array in self.arrays:
                array[len(keep) :] = 0
        else:
            rows, self.arrays = mx.array(list(keep)), self._with_rows(max(keep) + 1)
            self.arrays = tuple(mx.take(array, rows, axis=0) for array in self.arrays)
        num_columns = self._capacity(max(num_columns, 1), 0)
        self.arrays = tuple(_without_spare(array, len(keep), num_columns) for array in self.arrays)

    def _with_rows(self, num_rows: int) -> Arrays:
        """The arrays with room for so many rows: one that joined without a state has no place until it is written."""
        return tuple(_padded(array, max(num_rows, len(array)), array.shape[2]) for array in self.arrays)

    def _joined(self, array: mx.array | None, rows: Mapping[int, mx.array], num_columns: int) -> mx.array:
        num_rows = max(rows) + 1
        if array is not None and num_rows > array.shape[0]:
            num_rows = max(num_rows, 2 * array.shape[0])  # spare rows, so that the next join copies nothing
        array = self._grown(array, next(iter(rows.values())), num_rows, num_columns)
        for index, row in rows.items():
            array[index : index + 1, :, : row.shape[2]] = row
            array[index : index + 1, :, row.shape[2] :] = 0  # of a row that was staged and never joined
        return array

    def _grown(self, array: mx.array | None, like: mx.array, num_rows: int, num_columns: int) -> mx.array:
        if array is None:
            shape = (num_rows, like.shape[1], self._capacity(num_columns, 0), like.shape[3])
            return mx.zeros(shape, dtype=like.dtype)
        present = array.shape[2]
        capacity = present if present >= num_columns else self._capacity(num_columns, present)
        return _padded(array, max(num_rows, array.shape[0]), capacity)

    def _capacity(self, num_columns: int, present: int) -> int:
        """Token capacity that replaces `present`: growth by an eighth keeps the copies of a long row few."""
        wanted = -(-max(num_columns, present + present // 8) // COLUMN_STEP) * COLUMN_STEP
        return wanted if self._limit is None else min(wanted, self._limit)


def _padded(array: mx.array, num_rows: int, num_columns: int) -> mx.array:
    rows, _, columns, _ = array.shape
    if (rows, columns) == (num_rows, num_columns):
        return array  # a second handle on it would make the next write copy the whole
    return mx.pad(array, [(0, num_rows - rows), (0, 0), (0, num_columns - columns), (0, 0)])


def _without_spare(array: mx.array, num_rows: int, num_columns: int) -> mx.array:
    rows, _, columns, _ = array.shape
    num_rows = num_rows if SPARE_RATIO * num_rows <= rows else rows
    num_columns = num_columns if SPARE_RATIO * num_columns <= columns else columns
    if (rows, columns) == (num_rows, num_columns):
        return array
    return mx.contiguous(array[:num_rows, :, :num_columns])


def _write(array: mx.array, tokens: mx.array, columns: Columns) -> None:
    if columns.start is not None:
        array[: len(tokens), :, columns.start : columns.start + tokens.shape[2]] = tokens
    else:
        array[columns.row_indices, :, columns.indices] = tokens.transpose(0, 2, 1, 3)
