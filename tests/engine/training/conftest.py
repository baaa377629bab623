"""What tests of training share: a target that soon repeats itself, so that a tiny drafter can learn it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.loading import load_target
from engine.target import Target
from engine.text.tokenizer import load_tokenizer
from engine.training.chat_format import ChatFormat


@pytest.fixture(scope="session")
def teacher_target(looping_target: Path, tmp_path_factory: pytest.TempPathFactory) -> Target:
    *_, loaded = load_target(str(looping_target), tmp_path_factory.mktemp("data"))
    assert isinstance(loaded, Target)
    return loaded


@pytest.fixture(scope="session")
def chat(teacher_target: Target) -> ChatFormat:
    return ChatFormat(load_tokenizer(Path(teacher_target.facts.folder)))
