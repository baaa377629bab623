"""Forecasts: what a row's proposals are expected to bring."""

from __future__ import annotations

import pytest

from engine.forecast import Forecast, Guess, Kind, score

KIND = Kind("a", (0.5, 0.8))
OTHER = Kind("b", (0.9,))


def test_without_observations_the_prior_holds_and_its_last_value_goes_on():
    assert Forecast().survival(KIND, 3) == pytest.approx([0.5, 0.4, 0.32])


def test_right_and_wrong_proposals_move_their_own_positions_only():
    forecast = Forecast()
    forecast.count(KIND, 1, ends_wrong=True)
    first, second, third = forecast.survival(KIND, 3)
    assert first > 0.5
    assert second / first < 0.8
    assert third / second == pytest.approx(0.8)
    assert forecast.survival(OTHER, 1) == pytest.approx([0.9])


def test_a_few_failures_make_a_kind_unlikely_and_later_hits_bring_it_back():
    forecast = Forecast()
    for _ in range(4):
        forecast.count(KIND, 0, ends_wrong=True)
    assert forecast.survival(KIND, 1)[0] < 0.2
    for _ in range(4):
        forecast.count(KIND, 3, ends_wrong=False)
    assert forecast.survival(KIND, 1)[0] > 0.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ([1, 2], None),
        ([1, 2, 7], None),
        ([1, 2, 7, 8], (2, False)),
        ([1, 2, 7, 8, 9], (2, False)),
        ([1, 2, 5], (0, True)),
        ([1, 2, 7, 5], (1, True)),
    ],
)
def test_guess_is_scored_as_soon_as_the_text_tells(text, expected):
    assert score(Guess(KIND, (7, 8), 2), text) == expected
