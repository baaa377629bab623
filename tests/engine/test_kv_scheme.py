"""KV schemes: quantised replies share batches with their like only, and no drafter changes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.messages import UNQUANTISED, EstimateMemory, Failed, KvScheme, MemoryEstimate, Notice
from engine.models.facts import NO_CUDA_KERNELS
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_folder

EIGHT_BITS = KvScheme(8, 32)
TEXTS = ("The quick brown fox", "one two three one two", "x")


@pytest.fixture(scope="module")
def wide_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target whose heads hold whole groups of 32."""
    return tiny_folder(tmp_path_factory.mktemp("models") / "wide", head_dim=32)


def ids_with(data_dir: Path, target: Path, kv: KvScheme, drafter: str = "none") -> list[list[int]]:
    engine = Harness(data_dir)
    for index, text in enumerate(TEXTS, start=1):
        engine.send(submit(index, target, text, kv=kv, drafter=drafter))
        engine.step(3)
    engine.run()
    return [engine.ids_of(index) for index in range(1, len(TEXTS) + 1)]


@pytest.mark.parametrize("kv", [EIGHT_BITS, KvScheme(4, 32), KvScheme(4, 32, start=20)], ids=str)
def test_quantised_replies_are_the_same_drafted_and_in_a_batch(data_dir, wide_target, kv):
    alone = []
    for text in TEXTS:
        engine = Harness(data_dir)
        engine.send(submit(1, wide_target, text, kv=kv))
        engine.run()
        alone.append(engine.ids_of(1))
    for drafter in ("none", "ngram", f"model:{wide_target}"):
        assert ids_with(data_dir, wide_target, kv, drafter) == alone


def test_the_scheme_is_used(data_dir, wide_target):
    assert ids_with(data_dir, wide_target, KvScheme(4, 32)) != ids_with(data_dir, wide_target, UNQUANTISED)


def test_rows_of_another_scheme_do_not_share_a_batch(engine, wide_target):
    for index, kv in enumerate((UNQUANTISED, EIGHT_BITS, UNQUANTISED, EIGHT_BITS), start=1):
        engine.send(submit(index, wide_target, TEXTS[0], kv=kv))
    engine.run()
    assert [engine.most_rows_of(index) for index in (1, 2, 3, 4)] == [2, 2, 2, 2]


def test_target_that_cannot_be_quantised_says_so_and_answers(engine, target, alone):
    engine.send(submit(1, target, TEXTS[0], kv=EIGHT_BITS))
    engine.run()
    (notice,) = [event for event in engine.events_of(1) if isinstance(event, Notice)]
    assert (notice.code, "cannot be quantised" in notice.text) == ("kv", True)
    assert engine.ids_of(1) == alone(TEXTS[0])


def test_backend_without_kernels_for_it_says_so(data_dir, wide_target, monkeypatch):
    monkeypatch.setattr("engine.models.facts.runs_on_cuda", lambda: True)
    engine = Harness(data_dir)
    engine.send(submit(1, wide_target, TEXTS[0], kv=EIGHT_BITS))
    engine.run()
    assert [event.text for event in engine.events_of(1) if isinstance(event, Notice)] == [NO_CUDA_KERNELS]


@pytest.mark.parametrize("kv", [KvScheme(3, 32), KvScheme(8, 33), KvScheme(8, 32, -1)], ids=str)
def test_scheme_that_no_layer_has_is_refused(engine, wide_target, kv):
    engine.send(submit(1, wide_target, TEXTS[0], kv=kv))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "request"
    assert end.text.startswith("The KV cache ")


def test_estimate_counts_the_bits_and_what_each_group_adds(engine, wide_target):
    question = EstimateMemory(1, str(wide_target), "none", 100, 2)
    engine.send(question, replace(question, request_id=2, kv=EIGHT_BITS))
    engine.run()
    exact, quantised = (event.value for event in engine.events[-2:])
    assert isinstance(exact, MemoryEstimate)
    assert quantised.kv_bytes == exact.kv_bytes * (8 / 8 + 2 * 4 / 32) / 4
