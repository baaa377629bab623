"""Every family of models: the same text drafted and plain, batched and alone, however much is accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kv.rows import BatchedRows
from tests.engine.families import FAMILIES
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_folder

TEXTS = ("one two three", "x", "The quick brown fox jumps over the lazy dog")
NUM_TOKENS = 60


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("families") / request.param
    return tiny_folder(folder, request.param, **FAMILIES[request.param])


@pytest.fixture(scope="module")
def plain(family: Path, tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    """Each text's ids alone and undrafted."""
    engine = Harness(tmp_path_factory.mktemp("data"))
    for request_id, text in enumerate(TEXTS):
        engine.send(submit(request_id, family, text, max_tokens=NUM_TOKENS))
        engine.run()
    return [engine.ids_of(request_id) for request_id in range(len(TEXTS))]


def drafted(
    engine: Harness, family: Path, plain: list[list[int]], script: Callable[..., str], accepts: list[int]
) -> None:
    """Run all texts in one batch, each with a drafter that knows its text and is right as often as `accepts` says."""
    for request_id, (text, truth) in enumerate(zip(TEXTS, plain, strict=True)):
        name = script(f"scripted-{request_id}", truth, accepts[request_id:] + accepts[:request_id])
        engine.send(submit(request_id, family, text, drafter=name, max_tokens=NUM_TOKENS))
    engine.run()


@pytest.mark.parametrize("accepts", [[0], [3], [6], [0, 6, 3, 1]], ids=str)
def test_drafted_and_batched_equals_plain_and_alone(engine, family, plain, script, accepts):
    drafted(engine, family, plain, script, accepts)
    assert [engine.ids_of(request_id) for request_id in range(len(TEXTS))] == plain
    assert engine.statistics_of(0).num_proposed > 0


def test_plain_text_varies(plain):
    assert all(len(ids) == NUM_TOKENS for ids in plain)
    assert all(len(set(ids)) > 8 for ids in plain)


def test_equality_bites_when_rewinding_is_switched_off(engine, family, plain, script, monkeypatch):
    commit = BatchedRows.commit
    monkeypatch.setattr(
        BatchedRows, "commit", lambda rows, kept: commit(rows, [rows._extent.forward.width for _ in kept])
    )
    drafted(engine, family, plain, script, [3])
    assert all(engine.ids_of(request_id) != plain[request_id] for request_id in range(len(TEXTS)))
