"""An EAGLE-3 head that is taught: what it learns is what drafting runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.command_line import BadInputError
from engine.models.drafting.files import read_files
from engine.text.tokenizer import load_tokenizer
from engine.training.collecting import Collecting
from engine.training.gathering import StoppedError
from engine.training.plan import TrainingPlan
from engine.training.prompts import TrainingPrompt
from engine.training.session import TrainingSession, choose_tokens
from tests.engine.harness import submit

PLAN = TrainingPlan(
    "eagle3",
    num_questions=0,
    num_passages=0,
    num_draft_tokens=10_000,
    num_steps=150,
    batch_tokens=512,
    num_anchors=24,
    rate=1e-2,
    bits=0,
    collecting=Collecting(batch_size=8, reply_tokens=60, second_replies=0.0),
)
SHORT = replace(PLAN, num_steps=6)
TEXTS = [f"tell me more about the letter {letter}" for letter in "abcdefgh"]
PROMPTS = [TrainingPrompt((text,), "test") for text in TEXTS]


def open_session(target, folder, plan=PLAN, goes_on=lambda *_: True):
    return TrainingSession(target, load_tokenizer(Path(target.facts.folder)), folder, plan, goes_on)


def weights(folder):
    loaded = mx.load(str(folder / "drafter" / "model.safetensors"))
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="module")
def taught(teacher_target, tmp_path_factory):
    """A head that has seen all replies but one, and what was found of that one."""
    session = open_session(teacher_target, tmp_path_factory.mktemp("taught"))
    return session.train(session.gather(PROMPTS, ()))


def test_head_foretells_a_reply_that_it_has_not_seen(taught):
    assert taught.judged.acceptance_length > 3


def test_engine_accepts_what_training_said_it_would(taught, looping_target, engine):
    for number, text in enumerate(TEXTS, start=1):
        engine.send(submit(number, looping_target, text, drafter=f"eagle3:{taught.folder}", max_tokens=60))
        engine.send(submit(100 + number, looping_target, text, max_tokens=60))
    engine.run()
    lengths = [engine.statistics_of(number).acceptance_length for number in range(1, len(TEXTS) + 1)]
    assert [engine.ids_of(n) for n in range(1, 9)] == [engine.ids_of(100 + n) for n in range(1, 9)]
    assert sum(lengths) / len(lengths) > 3


def test_interrupted_course_ends_like_a_whole_one(teacher_target, tmp_path):
    whole = open_session(teacher_target, tmp_path / "whole", SHORT)
    whole.train(whole.gather(PROMPTS, ()))
    calls = iter(range(100))
    session = open_session(
        teacher_target, tmp_path / "part", SHORT, lambda stage, *_: stage != "training" or next(calls) < 3
    )
    with pytest.raises(StoppedError):
        session.train(session.gather(PROMPTS, ()))
    resumed = open_session(teacher_target, tmp_path / "part", SHORT)
    trained = resumed.train(resumed.corpus())
    first, second = weights(tmp_path / "whole"), weights(tmp_path / "part")
    assert trained.num_steps == 6
    assert all(mx.array_equal(first[name], second[name]) for name in first)


def test_folder_of_another_plan_is_not_gone_on_with(teacher_target, tmp_path):
    corpus = open_session(teacher_target, tmp_path, SHORT).gather(PROMPTS, ())
    open_session(teacher_target, tmp_path, SHORT).train(corpus)
    with pytest.raises(BadInputError, match="begun with other settings"):
        open_session(teacher_target, tmp_path, PLAN).train(corpus)
    with pytest.raises(BadInputError, match="begun with other settings"):
        open_session(teacher_target, tmp_path, replace(SHORT, num_questions=3)).gather(PROMPTS, ())


def test_head_reads_layers_and_tokens_that_its_files_name(taught, teacher_target):
    files = read_files(taught.folder)
    assert files.config["eagle_aux_hidden_state_layer_ids"] == [1]
    assert json.loads((taught.folder.parent / "teaching.json").read_text())["kind"] == "eagle3"


def test_frequent_tokens_of_replies_are_drafted():
    from engine.training.corpus import Sample

    samples = [Sample([9, 9, 7, 7, 5], 2), Sample([9, 8, 7], 1)]
    assert choose_tokens(samples, 2, 100) == [5, 7] or choose_tokens(samples, 2, 100) == [7, 8]
    assert choose_tokens(samples, 5, 100) == [0, 1, 5, 7, 8]
    assert choose_tokens(samples, 200, 10) == list(range(10))
