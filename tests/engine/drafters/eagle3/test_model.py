"""EAGLE-3's forward against reference implementations, with their random weights."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.eagle3.load import read_module, read_vocabulary
from engine.drafters.eagle3.model import Eagle3
from engine.drafters.vocabulary import DraftVocabulary
from engine.models.drafting.eagle3 import read_spec, recognises
from engine.models.drafting.files import read_files
from tests.engine.goldens import Golden, read_golden, write_golden

LAYOUTS = (
    "speculators",
    "speculators_qwen3",
    "speculators_fc_norm",
    "midlayer",
    "deepspec_qwen3",
    "deepspec_gemma4",
)
CLOSE = 1e-5


@pytest.fixture(params=LAYOUTS)
def golden(request: pytest.FixtureRequest) -> Golden:
    return read_golden(f"eagle3_{request.param}")


def load(golden: Golden, folder: Path) -> tuple[Eagle3, DraftVocabulary]:
    files = read_files(write_golden(folder, golden))
    assert recognises(files)
    spec = read_spec(files, None)
    *_, module = read_module(files, spec, mx.float32)
    assert isinstance(module, Eagle3)
    return module, read_vocabulary(files, spec)


def run(module: Eagle3, golden: Golden, chunk: int) -> mx.array:
    """Logits after every pair of the prompt, `chunk` pairs in a forward, and of each chained step."""
    cache, values = module.make_cache(), golden.values
    features, logits = module.features(values["taps"]), []
    for start in range(0, features.shape[1], chunk):
        part = slice(start, start + chunk)
        output = module(module.embed(values["tokens"][:, part]), features[:, part], cache)
        logits.append(module.logits(output))
    for step in range(values["chain"].shape[1]):
        output = module(module.embed(values["chain"][:, step : step + 1]), output[:, -1:], cache)
        logits.append(module.logits(output))
    return mx.concatenate(logits, axis=1)


@pytest.mark.parametrize("chunk", [6, 4])
def test_logits_of_a_prompt_and_of_a_chain_are_those_of_the_reference(golden, tmp_path, chunk):
    module, _ = load(golden, tmp_path)
    assert mx.abs(run(module, golden, chunk) - golden.values["logits"]).max().item() < CLOSE


def test_chain_is_that_of_the_reference_in_tokens_of_the_target(golden, tmp_path):
    module, vocabulary = load(golden, tmp_path)
    drafted = vocabulary.spread(run(module, golden, 6)[:, -5:-1])
    assert mx.argmax(drafted, axis=-1).tolist() == golden.values["chain"].tolist()
