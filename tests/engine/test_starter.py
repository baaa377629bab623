"""The real starter model: the same text drafted and batched, and text that makes sense."""

from __future__ import annotations

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
