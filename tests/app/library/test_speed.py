"""Speeds and times left, as they are written."""

from __future__ import annotations

import pytest

from app.library.speed import Speedometer, write_speed, write_time_left


def test_speed_is_over_the_last_seconds():
    meter = Speedometer()
    for second in range(20):
        meter.see(float(second), 1_000 * second if second < 10 else 9_000 + 50_000 * (second - 9))
    assert meter.bytes_per_second == 50_000


def test_file_that_is_begun_anew_makes_no_negative_speed():
    meter = Speedometer()
    for second, done in enumerate((1_000, 2_000, 0, 500)):
        meter.see(float(second), done)
    assert meter.bytes_per_second == 500


@pytest.mark.parametrize(
    ("speed", "words"), [(41_300_000, "41 MB/s"), (1_240_000_000, "1.2 GB/s"), (3_460_000, "3.5 MB/s"), (900, "1 kB/s")]
)
def test_speeds_are_short(speed, words):
    assert write_speed(speed) == words.replace(" ", "\u00a0")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1_s"), (58.2, "59_s"), (59.5, "1_min"), (101, "1_min 50_s"), (3_601, "1_h 1_min"), (7_200, "2_h")],
)
def test_times_left_are_rounded_up(seconds, words):
    assert write_time_left(seconds) == words.replace("_", "\u00a0")
