"""The drafters that come with the program: each is for the starter, has its card, and changes no text."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from tests.engine.harness import Harness, submit

FOLDER = Path(str(files("resources"))) / "drafters"
DRAFTERS = sorted(path for path in FOLDER.iterdir() if (path / "config.json").is_file())
MOST_BYTES = 24_000_000  # of all of them
TEXTS = ("Tom has 12 apples, eats 4 and buys 9. How many has he?", "Explain briefly why the sky is blue.")

pytestmark = pytest.mark.model


def test_there_are_some_and_they_are_small():
    assert DRAFTERS
    assert sum(path.stat().st_size for folder in DRAFTERS for path in folder.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("folder", DRAFTERS, ids=lambda folder: folder.name)
def test_card_tells_data_command_acceptance_and_licence(folder):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert all(word in card for word in ("Licence: Apache-2.0", "train-drafter", "--seed", "## Acceptance", "GSM8K"))


@pytest.mark.parametrize("folder", DRAFTERS, ids=lambda folder: folder.name)
def test_replies_with_it_are_the_plain_ones_and_most_first_proposals_are_right(folder, starter_folder, data_dir):
    engine = Harness(data_dir)
    for number, text in enumerate(TEXTS):
        engine.send(submit(2 * number + 1, starter_folder, text, max_tokens=24))
        engine.send(submit(2 * number + 2, starter_folder, text, drafter=f"auto:{folder}", max_tokens=24))
    engine.run()
    for number in range(len(TEXTS)):
        assert engine.ids_of(2 * number + 1) == engine.ids_of(2 * number + 2)
    statistics = [engine.statistics_of(2 * number + 2) for number in range(len(TEXTS))]
    assert sum(one.num_tokens for one in statistics) / sum(one.num_rounds for one in statistics) > 1.8
