"""The drafters that a chat can choose, and the one that it begins with."""

from __future__ import annotations

import pytest

from app.models.drafters import DEFAULT_DRAFTER, DRAFTERS, KINDS, drafter_name, is_drafter
from engine.drafters.table import DRAFTERS as OF_ENGINE


def test_the_drafter_that_chats_begin_with_can_be_chosen() -> None:
    assert DEFAULT_DRAFTER in DRAFTERS


def test_every_drafter_of_the_engine_that_needs_no_path_can_be_chosen() -> None:
    assert DRAFTERS.keys() == {name for name, kind in OF_ENGINE.items() if not kind.has_path}


def test_every_drafter_of_the_engine_with_a_path_is_known() -> None:
    assert set(KINDS) == {name for name, kind in OF_ENGINE.items() if kind.has_path}


@pytest.mark.parametrize(
    ("name", "known"),
    [("suffix", True), ("model:/m/small", True), ("dspark:/m/d", True), ("model:", False), ("x", False)],
)
def test_a_drafter_is_one_of_the_list_or_has_a_path(name: str, known: bool) -> None:
    assert is_drafter(name) == known


def test_a_model_is_named_by_its_folder() -> None:
    assert [drafter_name(name) for name in ("ngram", "model:/m/Qwen3-0.6B/", "later")] == [
        "n-gram",
        "Qwen3-0.6B",
        "later",
    ]
