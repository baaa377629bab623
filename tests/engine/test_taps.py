"""A drafter is fed what it asked for, of every token that its row keeps, and donors hold just those."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import pytest
from mlx_lm.models.cache import make_prompt_cache

from engine.drafters.base import DraftRow, Proposals, TargetView, pack
from engine.drafters.none import NoDraftRows
from engine.drafters.table import DRAFTERS, DrafterKind
from engine.prove.scripted import ScriptedDrafter
from engine.structure import Structure
from engine.taps import Taps
from engine.target import Target
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_model

TAPS = (1, 2, 0)  # of two layers: the last one's output, the hidden state after the final norm, the first one's


class FedRows(NoDraftRows):
    """Keeps what it is fed, and proposes tokens that are never right."""

    def __init__(self, drafter: FedDrafter) -> None:
        self.fed = drafter.fed
        self.drafter = drafter

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        assert context is not None
        self.fed.append(context[0])

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        self.drafter.history = rows[0].history
        return pack([[5, 6, 7][:depth] for depth in depths])

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        assert context is not None
        self.fed.append(context[0, : kept[0]])


class FedDrafter(ScriptedDrafter):
    def __init__(self, tap_layers: tuple[int, ...] = TAPS) -> None:
        super().__init__([], [0], tap_layers=tap_layers)
        self.fed: list[mx.array] = []
        self.history: Sequence[int] = ()

    def open(self, target: TargetView) -> FedRows:
        return FedRows(self)


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> FedDrafter:
    drafter = FedDrafter()
    monkeypatch.setitem(DRAFTERS, "fed", DrafterKind(lambda source: iter([drafter])))
    return drafter


def test_e1_drafter_is_fed_the_taps_of_every_kept_token_and_of_no_other(engine: Harness, target: Path, fed: FedDrafter):
    engine.send(submit(1, target, "The quick brown fox jumps over the lazy dog. " * 2, drafter="fed", max_tokens=12))
    engine.run()
    loaded = engine.engine.target(str(target))
    assert isinstance(loaded, Target)
    found = mx.concatenate(fed.fed)
    assert len(found) == len(fed.history) - 1 > 100
    ids, cache = mx.array([fed.history[:-1]]), make_prompt_cache(loaded.model)
    _, whole = Taps(Structure(loaded.model, "llama")).run(ids, cache, TAPS)
    assert mx.allclose(found, whole[0], rtol=1e-3, atol=1e-2)


def test_nothing_is_caught_for_a_drafter_that_asks_for_nothing(engine, target, monkeypatch):
    monkeypatch.setattr(Taps, "run", lambda *_: 1 / 0)
    engine.send(submit(1, target, "The quick brown fox", drafter="ngram", max_tokens=12))
    engine.run()
    assert engine.reason_of(1) == "length"


def test_target_that_was_tapped_goes_without_a_garbage_collection():
    def tapped_bytes() -> int:
        model = tiny_model("llama", vocab_size=4096)
        _, context = Taps(Structure(model, "llama")).run(mx.array([[1, 2, 3]]), make_prompt_cache(model), (0,))
        mx.eval(context)
        return mx.get_active_memory()

    gc.collect()
    gc.disable()
    try:
        before, held = mx.get_active_memory(), tapped_bytes()
        assert held - before > 1 << 20 > mx.get_active_memory() - before
    finally:
        gc.enable()
