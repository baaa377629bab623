"""`slipstream-engine train-drafter`, from nothing to a drafter that the engine loads."""

from __future__ import annotations

import json

import pytest

from engine.command_line import BAD_INPUT
from engine.headless import main
from engine.training.command import UNFINISHED

SMALL = ["--questions", "8", "--passages", "0", "--steps", "3", "--rows", "8", "--batch-tokens", "512", "--bits", "0"]


@pytest.fixture
def train(looping_target, tmp_path):
    return lambda *options: main(
        ["train-drafter", str(tmp_path / "out"), "--target", str(looping_target), *SMALL, *options]
    )


def test_drafter_comes_of_the_targets_own_questions(train, tmp_path, capsys):
    assert train() == 0
    assert "acceptance length" in capsys.readouterr().out
    config = json.loads((tmp_path / "out" / "drafter" / "config.json").read_text())
    assert config["speculators_model_type"] == "eagle3"


def test_run_that_ends_early_is_gone_on_with(train, capsys):
    assert train("--minutes", "0.00001") == UNFINISHED
    assert "the same command goes on from here" in capsys.readouterr().err
    assert train() == 0


def test_replies_are_gathered_first_and_learned_from_later_with_other_options(train, tmp_path):
    assert train("--only-gather") == 0
    assert not (tmp_path / "out" / "drafter").exists()
    assert train("--only-teach", "--steps", "2", "--rows", "4") == 0


def test_nothing_to_learn_from_is_bad_input(train, capsys):
    assert train("--questions", "0") == BAD_INPUT
    assert "give --prompts, or --questions above 0" in capsys.readouterr().err


def test_unknown_kind_is_bad_input(train, capsys):
    assert train("--kind", "medusa") == BAD_INPUT
    assert "choose one of: eagle3" in capsys.readouterr().err


def test_unknown_model_is_bad_input(tmp_path, capsys):
    assert main(["train-drafter", str(tmp_path / "out"), "--target", str(tmp_path / "nothing")]) == BAD_INPUT
    assert "nothing found at" in capsys.readouterr().err
