"""The order in which everybody is run."""

from __future__ import annotations

from engine.bench.measure import OURS, THEIRS, measure, rotate, warm_up
from tests.engine.bench.contests import contender, contest, run_of


def test_everybody_answers_a_batch_in_a_turn_that_moves_on():
    runs = [run_of(1.0, (1, 2))] * 4
    played = contest(contender(THEIRS, "a", runs), contender(OURS, "b", runs), num_batches=2)
    told: list[str] = []
    entries = list(measure([played], 2, told.append))
    assert [(entry.repeat, entry.batch, entry.label[-1]) for entry in entries] == [
        (0, 0, "a"),
        (0, 0, "b"),
        (0, 1, "b"),
        (0, 1, "a"),
        (1, 0, "b"),
        (1, 0, "a"),
        (1, 1, "a"),
        (1, 1, "b"),
    ]
    assert told == ["repeat 1 of 2", "repeat 2 of 2"]


def test_warming_up_runs_everybody_once():
    seen: list[str] = []
    names = ["a", "b"]
    played = contest(*(contender(OURS, name, _noting(seen, name)) for name in names), num_batches=3)
    warm_up([played])
    assert seen == names


def test_rotating_keeps_everybody():
    assert rotate("abc", 4) == ["b", "c", "a"]


def _noting(seen, name):
    while True:
        seen.append(name)
        yield run_of(1.0, (1,))
