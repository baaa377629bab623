"""Budgets, counts of a day, and measured reading."""

from __future__ import annotations

import pytest

from engine.prompt_cache.budget import DailyCount, PrefillSpeeds, ReadSpeed, Room, default_budget

DAY = 86400.0
NOON = 20_000 * DAY + DAY / 2


@pytest.mark.parametrize(
    ("free_bytes", "held_bytes", "budget_bytes"),
    [(10**12, 0, 20 * 10**9), (5 * 10**10, 10**10, 6 * 10**9), (0, 0, 0)],
)
def test_the_default_is_a_tenth_of_what_is_free_or_held_and_20_gb_at_most(
    free_bytes: int, held_bytes: int, budget_bytes: int
):
    assert default_budget(free_bytes, held_bytes) == budget_bytes


def test_an_index_counts_with_the_most_that_it_had():
    room = Room(budget_bytes=10_000_000, other_bytes=1_000_000)
    before = room.for_entries(3_000_000)
    assert room.for_entries(1_000_000) == before <= 6_000_000
    assert Room(budget_bytes=1000, other_bytes=5000).for_entries(0) == 0


def test_a_count_is_of_one_day_of_utc():
    count = DailyCount()
    count.add(NOON, 5)
    count.add(NOON + DAY / 2 - 1, 6)
    assert count.at(NOON) == 11
    assert count.at(NOON + DAY / 2) == 0


def test_a_count_is_corrected_on_its_own_day_alone_and_never_below_0():
    count = DailyCount()
    count.add(NOON, 5)
    count.correct(NOON, -2)
    assert count.at(NOON) == 3
    count.correct(NOON, -9)
    assert count.at(NOON) == 0
    count.add(NOON + DAY, 5)
    count.correct(NOON, -2)
    assert count.at(NOON + DAY) == 5


def test_a_count_survives_a_restart_and_not_a_nonsense_value():
    count, again = DailyCount(), DailyCount()
    count.add(NOON, 5)
    again.restore(count.store())
    again.restore("nonsense")
    assert again.at(NOON) == 5


def test_an_unmeasured_disk_is_believed_to_be_fast():
    assert ReadSpeed().is_worth(10**9, 1000, 500.0)
    assert ReadSpeed().is_worth(10**15, 1, 0.0)


def test_a_measured_speed_survives_a_restart_and_not_a_nonsense_value():
    speed, again = ReadSpeed(), ReadSpeed()
    speed.measure(10**9, 10.0)
    again.restore(speed.store())
    for value in ("", "0", "-5", "fast"):
        again.restore(value)
    assert again.bytes_per_second == pytest.approx(1e8, rel=0.01)
    assert not again.is_worth(10**9, 1000, 500.0)
    assert again.is_worth(10**8, 1000, 500.0)


def test_large_reads_count_for_more_than_small_ones():
    speed = ReadSpeed()
    speed.measure(10**9, 1.0)
    speed.measure(1000, 0.01)
    assert speed.bytes_per_second > 5e8


def test_prefill_speeds_survive_a_restart_and_a_newer_measurement_goes_before_them():
    speeds, again = PrefillSpeeds(), PrefillSpeeds()
    assert speeds.measure("a", 500.0)
    assert not speeds.measure("a", 510.0)  # little has changed: not worth a record
    assert not speeds.measure("b", 0.0)
    assert again.measure("c", 70.0)
    again.restore(f"{speeds.store()} c=5 nonsense d=fast")
    assert [again.of(name) for name in "abcd"] == [510.0, 0.0, 70.0, 0.0]
