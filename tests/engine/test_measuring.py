"""Measuring: what rounds take, told apart from what happens between them."""

from __future__ import annotations

from collections import deque

import pytest

from engine.costs import CostTable, Place
from engine.depth import PLAIN_STRETCH
from engine.measuring import Measuring, RoundShape, live_rate
from engine.round_clock import Device

ONE = Place(1, 0)


class Steps:
    """A group's steps on a clock that is moved by hand."""

    def __init__(self, beside: Steps | None = None) -> None:
        self.clock = beside.clock if beside else [1.0]
        self.device = beside.device if beside else Device()
        self.costs = CostTable()
        self.measuring = Measuring(self.costs, self.device, lambda: self.clock[0])

    def step(self, seconds: float, *, gap=0.0, draft=0.0, after=0.0, is_flying=False, **shape):
        """One round of so many seconds, `draft` of them drafting, after a pause; `after` is spent on delivering."""
        self.clock[0] += gap
        self.measuring.begin()
        self.clock[0] += seconds
        taken = self.measuring.finish(RoundShape(**{"where": ONE, "width": 1, "was_ahead": False, **shape}), draft)
        self.clock[0] += after
        self.measuring.end(is_flying)
        return taken


def test_round_takes_its_own_step_and_what_the_last_one_left_to_do():
    steps = Steps()
    steps.step(1.0, after=0.25)
    taken = steps.step(2.0, gap=0.1, draft=0.5)
    assert (taken.total, taken.draft, taken.verify) == pytest.approx((2.25, 0.5, 1.75))


def test_asking_for_proposals_counts_as_drafting():
    steps = Steps()
    steps.measuring.propose(0.25)
    assert steps.step(1.0, draft=0.5).draft == 0.75
    assert steps.step(1.0).draft == 0.0


def test_rounds_teach_the_cost_of_their_width():
    steps = Steps()
    for _ in range(4):
        steps.step(2.0, width=5, draft=0.5)
    assert steps.costs.verify_seconds(ONE, 5) == pytest.approx(1.5)


def test_rounds_after_a_pause_teach_nothing():
    steps = Steps()
    for _ in range(4):
        steps.step(2.0, width=5, gap=1.0)
    assert steps.costs.verify_seconds(ONE, 5) == 0.0


def test_groups_that_take_turns_each_learn_what_their_own_rounds_take():
    one = Steps()
    other = Steps(beside=one)
    for _ in range(4):
        one.step(2.0, width=5)
        other.step(3.0, width=5)
    assert (one.costs.verify_seconds(ONE, 5), other.costs.verify_seconds(ONE, 5)) == pytest.approx((2.0, 3.0))


def test_groups_that_both_run_ahead_each_learn_what_plain_decoding_takes():
    one = Steps()
    other = Steps(beside=one)
    for _ in range(PLAIN_STRETCH + 2):
        one.step(2.0, was_ahead=True, is_flying=True)
        other.step(3.0, was_ahead=True, is_flying=True)
    assert (one.costs.plain_seconds(ONE), other.costs.plain_seconds(ONE)) == pytest.approx((2.0, 3.0))


def test_round_that_waits_behind_another_group_s_teaches_neither():
    ahead = Steps()
    waiting = Steps(beside=ahead)
    for _ in range(2 * PLAIN_STRETCH):
        ahead.step(0.5, was_ahead=True, is_flying=True)
        waiting.step(5.0, width=5)
    assert ahead.costs.plain_seconds(ONE) == 0.0
    assert waiting.costs.verify_seconds(ONE, 5) == 0.0


def test_prompt_that_another_group_reads_does_not_count_into_a_round_in_flight():
    ahead = Steps()
    reading = Steps(beside=ahead)
    for _ in range(2 * PLAIN_STRETCH):
        ahead.step(0.5, was_ahead=True, is_flying=True)
        reading.step(2.0, gap=9.0, was_ahead=True, is_flying=True)
    assert ahead.costs.plain_seconds(ONE) == reading.costs.plain_seconds(ONE) == 0.0


def test_plain_cost_is_of_a_whole_stretch_that_ran_ahead():
    steps = Steps()
    for _ in range(PLAIN_STRETCH):
        steps.step(1.0, was_ahead=True)
    assert steps.costs.plain_seconds(ONE) == 0.0  # the first step has none before it
    steps.step(1.0, was_ahead=True)
    assert steps.costs.plain_seconds(ONE) == pytest.approx(1.0)


def test_pause_in_the_middle_of_a_stretch_makes_plain_decoding_no_slower():
    steps = Steps()
    for index in range(PLAIN_STRETCH + 1):
        steps.step(50.0 if index == 5 else 1.0, was_ahead=True)
    assert steps.costs.plain_seconds(ONE) == pytest.approx(1.0)


@pytest.mark.parametrize("change", [{"was_ahead": False}, {"gap": 1.0}, {"where": Place(2, 0)}])
def test_stretch_that_is_broken_begins_again(change):
    steps = Steps()
    for index in range(2 * PLAIN_STRETCH - 4):
        steps.step(1.0, **{"was_ahead": True, **(change if index == PLAIN_STRETCH - 2 else {})})
    assert steps.costs.plain_seconds(ONE) == 0.0


def test_drafting_with_forwards_teaches_its_cost_by_depth():
    steps = Steps()
    for _ in range(4):
        steps.step(2.0, width=5, draft=0.5, drafter="model:a", num_drafting=1, depth=4)
    assert steps.costs.draft_seconds("model:a", 1, 4) == pytest.approx(0.5)


def test_extra_seconds_are_drafting_and_verifying_beyond_a_plain_forward():
    steps = Steps()
    steps.costs.count_plain(ONE, 1.0)
    assert steps.step(2.0, width=5, draft=0.25).extra == pytest.approx(0.25 + 0.75)
    assert steps.step(0.5, width=5).extra == 0.0


def test_group_counts_all_rows_tokens_over_its_forwards():
    steps = Steps()
    for num_tokens in (2, 6):
        steps.step(1.0)
        steps.measuring.deliver(num_tokens)
    statistics = steps.measuring.statistics(num_rows=2)
    assert (statistics.num_forwards, statistics.num_tokens, statistics.tokens_per_forward) == (2, 8, 4.0)
    assert statistics.tokens_per_second == 6.0


def test_live_rate_is_over_what_was_delivered_since_the_first():
    assert live_rate(deque([(0.0, 9), (1.0, 4), (2.0, 6)])) == 5.0
    assert live_rate(deque([(0.0, 9)])) == 0.0
    assert live_rate(deque()) == 0.0
