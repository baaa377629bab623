"""An EAGLE-3 head that is taught: what it learns is what drafting runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.loading import load_target
from engine.target import Target
from engine.text.tokenizer import load_tokenizer
from engine.training.collecting import Collecting
from engine.training.plan import TrainingPlan
from engine.training.prompts import TrainingPrompt
from engine.training.session import TrainingSession

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
PROMPTS = [TrainingPrompt((f"tell me more about the letter {letter}",), "test") for letter in "abcdefgh"]


@pytest.fixture(scope="module")
def opened(looping_target: Path, tmp_path_factory: pytest.TempPathFactory) -> Target:
    *_, loaded = load_target(str(looping_target), tmp_path_factory.mktemp("data"))
    assert isinstance(loaded, Target)
    return loaded


def test_head_that_has_seen_the_replies_foretells_them(opened, tmp_path):
    session = TrainingSession(opened, load_tokenizer(Path(opened.facts.folder)), tmp_path, PLAN, lambda *_: True)
    corpus = session.gather(PROMPTS, ())
    trained = session.train(corpus)
    print(trained)
    assert trained.judged.acceptance_length > 3
