"""What rows are counted with before they have taken it."""

from __future__ import annotations

from itertools import permutations

from engine.drafters.none import NoDrafter
from engine.messages import UNQUANTISED, Sampling
from engine.models.memory import RowSize
from engine.models.state_size import StateSize
from engine.row import Row
from engine.row_memory import peak_bytes
from engine.statistics import ReplyCounter

SIZE = RowSize(StateSize(1), 1, 0)


def row(num_prompt: int, max_tokens: int, num_rounds: int) -> Row:
    counter = ReplyCounter(0.0)
    counter.num_rounds = num_rounds
    return Row(1, [0] * num_prompt, Sampling(max_tokens=max_tokens), (), NoDrafter(), None, counter)  # type: ignore[arg-type]


def test_most_that_rows_take_does_not_depend_on_their_order():
    rows = [row(50, 20_000, 9), row(50, 100, 0), row(900, 100, 0)]
    assert len({peak_bytes(SIZE, UNQUANTISED, order, 8) for order in permutations(rows)}) == 1


def test_copy_of_a_long_row_is_counted_where_short_ones_join():
    rows = [row(50, 100, 0), row(50, 100, 0), row(50, 20_000, 9)]
    assert peak_bytes(SIZE, UNQUANTISED, rows, 8) > 6 * 20_000  # four rows, and two that are copied
