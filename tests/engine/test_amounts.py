"""Amounts as people read them."""

from __future__ import annotations

import pytest

from engine.amounts import write_count, write_size


@pytest.mark.parametrize(
    ("num_bytes", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 KB"),
        (40_000, "40 KB"),
        (1_940_000, "1.9 MB"),
        (9_960_000, "10 MB"),
        (140_000_000, "140 MB"),
        (999_600_000, "1.0 GB"),
        (50_000_000_000, "50 GB"),
        (7_000_000_000_000_000, "7,000 TB"),
    ],
)
def test_a_size_has_two_or_three_digits_in_the_unit_that_fits(num_bytes: int, text: str):
    assert write_size(num_bytes) == text


def test_one_thing_is_not_several():
    assert [write_count(number, "entry", "entries") for number in (0, 1, 1200)] == [
        "0 entries",
        "1 entry",
        "1,200 entries",
    ]
    assert write_count(2, "file") == "2 files"
