"""Options of the bench command."""

from __future__ import annotations

import pytest

from engine.bench.plan import MAX_BATCH, read_batch_sizes
from engine.command_line import BadInputError
from engine.target import MAX_ROWS


def test_batch_sizes_are_split_at_commas_and_each_is_measured_once():
    assert read_batch_sizes("1, 4,1") == (1, 4)


@pytest.mark.parametrize("text", ["", "0", "two", "1,-4", str(MAX_BATCH + 1)])
def test_batch_sizes_that_cannot_be_are_refused(text):
    with pytest.raises(BadInputError, match=f"from 1 to {MAX_BATCH}"):
        read_batch_sizes(text)


def test_most_rows_are_the_engine_s():
    assert MAX_BATCH == MAX_ROWS
