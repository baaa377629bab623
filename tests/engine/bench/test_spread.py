"""Medians, quartiles and pairs."""

from __future__ import annotations

from engine.bench.spread import Spread, ratios, spread


def test_quartiles_hold_the_middle_half():
    assert spread([4.0, 1.0, 3.0, 2.0, 5.0]) == Spread(3.0, 2.0, 4.0, 5)


def test_one_value_is_its_own_median_and_none_has_no_spread():
    assert spread([2.0]) == Spread(2.0, 2.0, 2.0, 1)
    assert spread([]) is None


def test_ratios_pair_by_pair_leave_out_what_was_not_measured():
    assert ratios([2.0, 0.0, 9.0], [1.0, 4.0, 3.0]) == [2.0, 3.0]
