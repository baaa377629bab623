"""Time limits inside each other, and code that would hide that one is over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.text.deadline import OutOfTime, TimeUp, allowance, deadline


def work() -> None:
    """Call something again and again, with a generator that is always closed early."""
    while True:
        any(is_true() for _ in range(2))


def is_true() -> bool:
    return True


def numbers() -> Iterator[int]:
    yield from range(10**9)


def test_a_deadline_ends_what_closes_generators() -> None:
    with pytest.raises(TimeUp) as caught, deadline(0.05):
        work()
    assert not isinstance(caught.value, OutOfTime)


def test_an_allowance_ends_a_longer_deadline_and_says_so() -> None:
    with pytest.raises(OutOfTime), allowance(0.05), deadline(60):
        work()


def work_again_and_again(ends: list[TimeUp]) -> None:
    for _ in numbers():
        try:
            with deadline(0.03):
                work()
        except OutOfTime:
            raise
        except TimeUp as error:
            ends.append(error)


def test_deadlines_in_an_allowance_add_up_to_it() -> None:
    ends: list[TimeUp] = []
    with pytest.raises(OutOfTime), allowance(0.2):
        work_again_and_again(ends)
    assert len(ends) > 2


def test_an_allowance_in_another_ends_with_the_outer_one() -> None:
    with pytest.raises(OutOfTime), allowance(0.05), allowance(60):
        work()


def test_after_an_allowance_there_is_no_limit() -> None:
    with pytest.raises(OutOfTime), allowance(0.02):
        work()
    with deadline(60):
        assert sum(1 for _ in zip(numbers(), range(10_000), strict=False)) == 10_000
