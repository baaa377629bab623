"""The real starter model: the same text drafted and batched, and text that makes sense."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.harness import Harness, submit

pytestmark = pytest.mark.model

ALPHABET = "Write the alphabet three times."


@pytest.fixture(scope="module")
def starter(starter_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """One engine for the module: the model is loaded once."""
    return Harness(tmp_path_factory.mktemp("data"))


def ask(engine: Harness, folder: Path, *requests: tuple[int, str, str, int]) -> None:
    engine.send(
        *(submit(number, folder, text, drafter=name, max_tokens=limit) for number, text, name, limit in requests)
    )
    engine.run()


def test_answer_makes_sense(starter, starter_folder):
    ask(starter, starter_folder, (1, "What is the capital of France?", "ngram", 32))
    assert "Paris" in starter.text_of(1)
    assert starter.reason_of(1) == "stop"


def test_drafted_equals_undrafted_and_is_accepted(starter, starter_folder):
    ask(starter, starter_folder, (11, ALPHABET, "none", 80))
    ask(starter, starter_folder, (12, ALPHABET, "ngram", 80))
    assert starter.ids_of(12) == starter.ids_of(11)
    statistics = starter.statistics_of(12)
    assert statistics.num_proposed >= statistics.num_accepted > 0
    assert statistics.num_rounds < starter.statistics_of(11).num_rounds


def test_two_requests_in_one_batch_equal_each_alone(starter, starter_folder):
    ask(starter, starter_folder, (21, ALPHABET, "ngram", 64))
    ask(starter, starter_folder, (22, "Name three colours, then name them again.", "ngram", 48))
    ask(
        starter,
        starter_folder,
        (23, ALPHABET, "ngram", 64),
        (24, "Name three colours, then name them again.", "ngram", 48),
    )
    assert starter.ids_of(23) == starter.ids_of(21)
    assert starter.ids_of(24) == starter.ids_of(22)
    assert starter.statistics_of(24).num_rows == 2


def test_rows_of_unlike_drafters_temperatures_and_lengths_equal_each_alone(starter, starter_folder):
    unlike = [
        ("Say hello.", {"drafter": "none", "max_tokens": 20}),
        (ALPHABET, {"drafter": "ngram", "max_tokens": 48}),
        ("Name a colour. " * 20, {"drafter": "ngram", "temperature": 0.7, "seed": 3, "max_tokens": 24}),
        ("Why?", {"drafter": "none", "temperature": 1.1, "seed": 4, "max_tokens": 32}),
    ]
    alone = [submit(31 + index, starter_folder, text, **options) for index, (text, options) in enumerate(unlike)]
    for request in alone:
        starter.send(request)
        starter.run()
    starter.send(*(replace(request, request_id=request.request_id + 10) for request in alone))
    starter.run()
    assert [starter.ids_of(40 + i) for i in range(1, 5)] == [starter.ids_of(30 + i) for i in range(1, 5)]
    assert max(starter.most_rows_of(40 + i) for i in range(1, 5)) >= 3
