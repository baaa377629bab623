"""How numbers are written."""

from __future__ import annotations

import pytest

from app import figures

SPACE = figures.NO_BREAK


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (figures.write_count(6214, "tokens"), f"6,214{SPACE}tokens"),
        (figures.write_count(1, "tokens"), f"1{SPACE}token"),
        (figures.write_count(1234567), "1,234,567"),
        (figures.write_seconds(0.42), f"0.42{SPACE}s"),
        (figures.write_seconds(9.996), f"10{SPACE}s"),
        (figures.write_seconds(75.2), f"75{SPACE}s"),
        (figures.write_milliseconds(0.044), f"44.0{SPACE}ms"),
        (figures.write_rate(62.3), f"62{SPACE}tok/s"),
        (figures.write_rate(4.84), f"4.8{SPACE}tok/s"),
        (figures.write_loading(100_000_000, 500_000_000), f"0.1 of 0.5{SPACE}GB"),
        (figures.write_bytes(11_440_000_000), f"11.4{SPACE}GB"),
        (figures.write_bytes(20_000_000_000), f"20{SPACE}GB"),
        (figures.write_bytes(99_940_000), f"99.9{SPACE}MB"),
        (figures.write_bytes(1_240_000_000), f"1.24{SPACE}GB"),
        (figures.write_bytes(999_900_000), f"1{SPACE}GB"),
        (figures.write_bytes(150_400_000_000), f"150{SPACE}GB"),
        (figures.write_bytes(273_100_000), f"273{SPACE}MB"),
        (figures.write_bytes(45_000), f"45{SPACE}kB"),
        (figures.write_bytes(0), f"0{SPACE}MB"),
        (figures.write_loading(1_000_000, 98_000_000), f"1 of 98{SPACE}MB"),
        (figures.write_percent(81, 100), "81%"),
        (figures.write_percent(0, 0), "0%"),
        (figures.write_amount(1, "reply"), f"1{SPACE}reply"),
        (figures.write_amount(2, "reply"), f"2{SPACE}replies"),
    ],
)
def test_numbers_keep_their_unit_on_the_same_line(written: str, expected: str) -> None:
    assert written == expected
