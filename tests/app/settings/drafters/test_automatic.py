"""Automatic takes what measured best here, and says why."""

from __future__ import annotations

import pytest

from app.settings.drafters.candidates import Candidates
from app.system.machine import PLACE
from tests.app.settings.drafters.conftest import look, measured
from tests.app.settings.drafters.known_drafters import TARGET

DFLASH, SMALL = "dflash:/m/dflash", "model:/m/Qwen3-0.6B"


def test_without_a_measurement_it_takes_n_gram(picker):
    resolved = picker.automatic.explain(TARGET)
    assert (resolved.drafter, resolved.speedup) == ("ngram", None)
    assert resolved.sentence == f"Uses n-gram: no drafter is measured on {PLACE} yet."


def test_of_a_model_that_nothing_is_known_of_it_takes_n_gram(picker):
    assert picker.automatic.resolve("/models/unknown") == "ngram"


@pytest.mark.parametrize(
    ("speeds", "taken"),
    [
        ({DFLASH: 2.1, SMALL: 1.5, "ngram": 1.2}, DFLASH),
        ({DFLASH: 1.52, SMALL: 1.5}, SMALL),  # within 3 %: the smaller
        ({DFLASH: 1.02}, "ngram"),
        ({DFLASH: 0.8}, "ngram"),
        ({DFLASH: 0.8, "ngram": 0.9}, "none"),
        ({"model:/m/gone": 3.0, SMALL: 1.4}, SMALL),  # what is not there is not taken
    ],
)
def test_the_fastest_that_fits_is_taken(picker, speeds, taken):
    picker.measurements.keep(measured(drafter, speedup) for drafter, speedup in speeds.items())
    assert picker.automatic.resolve(TARGET) == taken


def test_it_says_what_it_uses_and_what_it_falls_back_to(picker):
    picker.measurements.keep([measured(DFLASH, 2.1)])
    sentence = picker.automatic.explain(TARGET).sentence
    assert sentence == (
        f"Uses DFlash, the fastest measured on {PLACE} before an update. Falls back to n-gram when memory is short."
    )


def test_where_memory_is_short_it_takes_n_gram_and_says_so(picker, fake_engine, wait):
    picker.measurements.keep([measured(DFLASH, 2.1)])
    fake_engine.limit_bytes = 5_000_000_000
    look(picker.candidates, wait)
    resolved = picker.automatic.explain(TARGET)
    assert resolved.drafter == "ngram"
    assert resolved.sentence == (
        f"Uses n-gram. With DFlash, the fastest measured on {PLACE}, the model needs 5.4\u00a0GB; 5\u00a0GB is allowed."
    )


def test_a_chat_s_own_choice_comes_before_that_of_the_settings(picker):
    picker.choose(TARGET, "suffix")
    assert picker.in_use(TARGET).drafter == "suffix"
    assert picker.in_use(TARGET, "none").drafter == "none"
    assert picker.in_use(TARGET, "automatic").drafter == "ngram"


def test_before_anything_is_known_it_does_not_wait(bridge, settings, library):
    assert Candidates(bridge, library, settings).of(TARGET).candidate("ngram") is not None
