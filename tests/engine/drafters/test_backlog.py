"""What waits for a drafter comes out once, in order, by row."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.drafters.backlog import Backlog


def context(start: int, rows: int = 2, width: int = 3) -> mx.array:
    """Values that name row and position: 100 * row + start + column, [rows, width, 1]."""
    return (mx.arange(rows)[:, None] * 100 + mx.arange(start, start + width))[..., None].astype(mx.float32)


@pytest.fixture
def backlog() -> Backlog:
    backlog = Backlog()
    backlog.join(2)
    backlog.append(context(0), [3, 1])
    backlog.append(context(3), [0, 2])
    return backlog


def test_oldest_come_first_padded_to_the_longest(backlog):
    assert backlog.lengths == [3, 3]
    assert backlog.take([1, 2])[..., 0].tolist() == [[0, 0], [100, 103]]
    assert backlog.take([2, 1])[..., 0].tolist() == [[1, 2], [104, 0]]
    assert backlog.lengths == [0, 0]


def test_row_that_takes_nothing_is_padding(backlog):
    assert backlog.take([0, 3])[..., 0].tolist() == [[0, 0, 0], [100, 103, 104]]
    assert backlog.lengths == [3, 0]


def test_rows_join_and_leave_with_what_waits_for_them(backlog):
    backlog.join()
    backlog.put(2, mx.array([[[7.0]]]))
    backlog.filter([2, 1])
    assert backlog.take([1, 3])[..., 0].tolist() == [[7, 0, 0], [100, 103, 104]]


def test_row_is_handed_out_whole_and_stays(backlog):
    whole = backlog.row(1)
    assert whole is not None
    assert whole[..., 0].tolist() == [[100, 103, 104]]
    assert backlog.lengths == [3, 3]
    backlog.take([3, 3])
    assert backlog.row(0) is None
