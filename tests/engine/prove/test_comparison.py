"""Where two replies part."""

from __future__ import annotations

import pytest

from engine.messages import Sampling
from engine.prove.cases import Case
from engine.prove.comparison import END, examine, first_difference
from engine.prove.driver import Driver, Reply, Round
from engine.prove.measure import Shape


@pytest.mark.parametrize(
    ("found", "position"),
    [([1, 2, 3], None), ([1, 9, 3], 1), ([1, 2], 2), ([1, 2, 3, 4], 3), ([], 0)],
)
def test_first_difference(found, position):
    assert first_difference([1, 2, 3], found) == position


def test_shapes_are_those_of_the_forward_and_the_greatest_before_it():
    reply = Reply(
        1, rounds=[Round(0, Shape(1, 7)), Round(4, Shape(3, 2)), Round(5, Shape(2, 1)), Round(6, Shape(8, 9))]
    )
    assert reply.shapes_at(5) == {Shape(2, 1), Shape(3, 7)}
    assert reply.shapes_at(0) == {Shape(1, 7)}


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_gap_is_between_the_scores_after_the_reference_text(target, data_dir, temperature):
    driver = Driver(str(target), data_dir, print)
    driver.load()
    case = Case(0, "The quick brown fox", Sampling(temperature=temperature, seed=3, max_tokens=8), "case")
    reference = driver.make(case.prompt, case.sampling, "none")
    other = Reply(0, [*reference.token_ids[:5], (reference.token_ids[5] + 1) % 250], reference.rounds)
    parting = examine(driver, case, reference, other)
    assert examine(driver, case, reference, reference) is None
    assert parting is not None
    assert (parting.position, parting.dtype) == (5, "float32")
    assert parting.gap > parting.tolerance
    assert not parting.is_near_tie


def test_reply_that_ends_early_parts_at_its_end(target, data_dir):
    driver = Driver(str(target), data_dir, print)
    driver.load()
    case = Case(0, "x", Sampling(max_tokens=8), "case")
    reference = driver.make(case.prompt, case.sampling, "none")
    parting = examine(driver, case, reference, Reply(0, reference.token_ids[:3], reference.rounds))
    assert parting is not None
    assert (parting.position, parting.found) == (3, END)
