"""What a target has handed to a drafter and the drafter has not read yet, by row."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx


class Backlog:
    """Owns context of committed positions that wait; each row has its own, oldest first, [1, tokens, size] a piece."""

    def __init__(self) -> None:
        self._rows: list[list[mx.array]] = []

    @property
    def lengths(self) -> list[int]:
        return [sum(piece.shape[1] for piece in pieces) for pieces in self._rows]

    @property
    def num_bytes(self) -> int:
        return sum(piece.nbytes for pieces in self._rows for piece in pieces)

    def join(self, num_rows: int = 1) -> None:
        """Rows behind the present ones, for which nothing waits."""
        self._rows += [[] for _ in range(num_rows)]

    def append(self, context: mx.array, kept: Sequence[int]) -> None:
        """The first kept[i] positions of row i of [rows, width, size]; lazy."""
        for index, (pieces, count) in enumerate(zip(self._rows, kept, strict=True)):
            if count:
                pieces.append(context[index : index + 1, :count])

    def put(self, row: int, piece: mx.array) -> None:
        """Something for one row, behind what waits: [1, tokens, size]."""
        self._rows[row].append(piece)

    def filter(self, keep: Sequence[int]) -> None:
        self._rows = [self._rows[index] for index in keep]

    def take(self, counts: Sequence[int]) -> mx.array:
        """The oldest counts[i] positions of row i, padded right with zeros to [rows, longest, size]; they wait no more.

        Some count must be above 0.
        """
        width = max(counts)
        taken = [self._take_row(row, count) for row, count in enumerate(counts)]
        like = next(piece for piece in taken if piece is not None)
        empty = mx.zeros((1, 0, like.shape[2]), dtype=like.dtype)
        padded = [_padded(empty if piece is None else piece, width) for piece in taken]
        return padded[0] if len(padded) == 1 else mx.concatenate(padded)

    def row(self, index: int) -> mx.array | None:
        """All that waits for a row, [1, tokens, size], as a compact evaluated copy; None where nothing does."""
        if not self._rows[index]:
            return None
        whole = mx.contiguous(self._whole(index))
        mx.eval(whole)
        self._rows[index] = [whole]
        return whole

    def settle(self) -> None:
        """Make what waits compact, so that no forward's arrays are held by a part of them."""
        for index in range(len(self._rows)):
            self.row(index)

    def _take_row(self, index: int, count: int) -> mx.array | None:
        if not count:
            return None
        whole = self._whole(index)
        self._rows[index] = [whole[:, count:]] if count < whole.shape[1] else []
        return whole[:, :count]

    def _whole(self, index: int) -> mx.array:
        """All that waits for a row, of which there is some; lazy."""
        pieces = self._rows[index]
        return pieces[0] if len(pieces) == 1 else mx.concatenate(pieces, axis=1)


def _padded(piece: mx.array, width: int) -> mx.array:
    missing = width - piece.shape[1]
    return mx.pad(piece, [(0, 0), (0, missing), (0, 0)]) if missing else piece
