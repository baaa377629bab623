"""EAGLE-3's forward against reference implementations, with their random weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.eagle3.load import fill_module
from engine.drafters.eagle3.model import Eagle3
from engine.drafters.vocabulary import DraftVocabulary
from engine.drafters.weights import read_target_ids
from engine.models.drafting.eagle3 import read_spec, recognises
from engine.models.drafting.files import read_files
from engine.models.errors import DrafterError
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
    module = Eagle3(spec)
    assert list(fill_module(module, files, spec, mx.float32))
    return module, DraftVocabulary(read_target_ids(files, spec), spec.vocab_size)


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


def pack(golden: Golden) -> tuple[Golden, Golden]:
    """The head with its wide projections packed, as mlx-lm's conversions have them, and with what these stand for."""
    packed, dense = dict(golden.weights), dict(golden.weights)
    for name, array in golden.weights.items():
        if name.endswith("proj.weight") and array.shape[-1] % 32 == 0:
            parts = mx.quantize(array, 32, 4)
            module = name.removesuffix(".weight")
            packed |= {
                f"{module}.{part}": value for part, value in zip(("weight", "scales", "biases"), parts, strict=True)
            }
            dense[name] = mx.dequantize(*parts, 32, 4)
    config = {**golden.config, "quantization": {"group_size": 32, "bits": 4}}
    return replace(golden, config=config, weights=packed), replace(golden, weights=dense)


def test_packed_head_computes_what_its_weights_stand_for(tmp_path):
    golden = read_golden("eagle3_deepspec_qwen3")
    packed, dense = pack(golden)
    assert len(packed.weights) > len(golden.weights)
    left, right = (run(load(head, tmp_path / name)[0], golden, 6) for name, head in (("p", packed), ("d", dense)))
    assert mx.abs(left - right).max().item() < CLOSE
    assert mx.abs(left - golden.values["logits"]).max().item() > CLOSE


@pytest.mark.parametrize(
    ("place", "offset", "fault"), [(3, 60, "names token 63"), (0, -1, "-1"), (0, 40, "names token 40")]
)
def test_offsets_that_leave_the_target_s_vocabulary_are_refused(tmp_path, place, offset, fault):
    golden = read_golden("eagle3_speculators")
    golden.weights["d2t"][place] = offset
    with pytest.raises(DrafterError, match=fault):
        load(golden, tmp_path)


def test_map_of_all_tokens_must_not_lead_to_others(tmp_path):
    golden = read_golden("eagle3_deepspec_qwen3")
    golden.weights["d2t"] = mx.zeros(40, mx.int64)
    assert load(golden, tmp_path / "same")
    golden.weights["d2t"][3] = 1
    with pytest.raises(DrafterError, match="it drafts all tokens, and its tensor 'd2t' leads to others"):
        load(golden, tmp_path / "others")


def test_head_of_some_tokens_has_their_logits(tmp_path):
    golden = read_golden("eagle3_deepspec_gemma4")
    (whole, _), (part, _) = load(golden, tmp_path), load(golden, tmp_path)
    ids = [3, 5, 8, 39]
    part.keep_tokens(ids)
    assert mx.array_equal(run(part, golden, 6), run(whole, golden, 6)[..., mx.array(ids)])
    assert part.lm_head.weight.shape == (4, 16)
