"""Sentences on whether a model fits, from the engine's estimates."""

from __future__ import annotations

import pytest

from app.bridge import EngineBridge
from app.figures import NO_BREAK
from app.library.fit import Fit, Plan, contexts_of, find_fit
from engine.messages import EstimateMemory, MemoryEstimate
from tests.app.driver import RunAsync
from tests.app.fake_engine import FakeEngine

GB = 10**9


def estimate(question: EstimateMemory) -> MemoryEstimate:
    """Weights of 18 GB, 100 kB a token, 1 GB to work in, and 27 GB that are allowed."""
    kv_bytes = question.context_length * question.num_rows * 100_000
    return MemoryEstimate(18 * GB, 0, kv_bytes, 30 * GB, GB, 27 * GB)


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (Plan(16_384, 2), "Fits, 4.7 GB left"),
        (Plan(65_536, 2), "Fits with one tab"),
        (Plan(131_072, 2), "Needs 45.2 GB; 27.0 GB is allowed. A context of 65,536 would fit with one tab."),
        (Plan(131_072), "Needs 32.1 GB; 27.0 GB is allowed. A context of 65,536 would fit."),
    ],
)
def test_a_model_fits_or_says_what_would(
    bridge: EngineBridge, fake_engine: FakeEngine, run_async: RunAsync, plan: Plan, sentence: str
) -> None:
    fake_engine.estimate = estimate
    found: Fit = run_async(find_fit(bridge, "/models/one", plan))
    assert found.sentence.replace(NO_BREAK, " ") == sentence
    assert found.can_run


def test_a_model_that_is_larger_than_the_memory_has_no_way(
    bridge: EngineBridge, fake_engine: FakeEngine, run_async: RunAsync
) -> None:
    fake_engine.estimate = MemoryEstimate(40 * GB, 0, 0, 0, GB, 27 * GB)
    found: Fit = run_async(find_fit(bridge, "/models/one", Plan(8192)))
    assert found.sentence.replace(NO_BREAK, " ") == "Needs 41.0 GB; 27.0 GB is allowed."
    assert not found.can_run
    assert (found.verdict.is_fit, found.verdict.share) == (False, 1.0)


def test_the_drafter_and_the_bits_are_asked_for(
    bridge: EngineBridge, fake_engine: FakeEngine, run_async: RunAsync
) -> None:
    run_async(find_fit(bridge, "/models/one", Plan(4096, 3, 8, "model:/draft")))
    (question,) = (one for one in fake_engine.commands if isinstance(one, EstimateMemory))
    assert (question.drafter, question.context_length, question.num_rows) == ("model:/draft", 4096, 3)
    assert question.kv.bits == 8


def test_contexts_end_with_all_that_the_model_reads() -> None:
    assert contexts_of(10_000) == (2048, 4096, 8192, 10_000)
    assert contexts_of(1024) == (1024,)
