"""Native MTP heads compute what the published implementations compute, from the published tensors."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import pytest
from mlx_lm.models.cache import make_prompt_cache

from tests.engine.drafters.mtp.goldens import MODEL_TYPES, Golden, open_head, read_golden

TOLERANCE = 1e-4


@pytest.fixture(scope="module", params=MODEL_TYPES)
def golden(request: pytest.FixtureRequest) -> Golden:
    return read_golden(request.param)


def difference(actual: mx.array, expected: mx.array) -> float:
    return mx.abs(actual - expected).max().item()


def test_head_computes_what_the_published_one_does(golden, tmp_path):
    head = open_head(golden.write(tmp_path))
    output = head(golden.embeddings[:, :-1], golden.hidden)
    assert difference(output, golden.output) < TOLERANCE


def test_chained_pair_reads_the_output_before_it(golden, tmp_path):
    head = open_head(golden.write(tmp_path))
    cache = make_prompt_cache(head)
    output = head(golden.embeddings[:, :-1], golden.hidden, cache)
    assert difference(head(golden.embeddings[:, -1:], output[:, -1:], cache), golden.chained) < TOLERANCE


@pytest.mark.parametrize("model_type", ["qwen3_5", "qwen3_5_moe", "qwen3_next"])
@pytest.mark.parametrize("shift", [-1, 1], ids=["not shifted", "shifted twice"])
def test_norms_that_are_not_shifted_once_are_noticed(model_type, shift, tmp_path):
    golden = read_golden(model_type)
    norms = {name: array + shift for name, array in golden.tensors.items() if "norm" in name}
    assert len(norms) == 7
    head = open_head(replace(golden, tensors=golden.tensors | norms).write(tmp_path))
    assert difference(head(golden.embeddings[:, :-1], golden.hidden), golden.output) > 0.1


def test_halves_that_change_places_are_noticed(golden, tmp_path):
    name = next(name for name in golden.tensors if name.endswith(("fc.weight", "eh_proj.weight")))
    left, right = mx.split(golden.tensors[name], 2, axis=1)
    changed = golden.tensors | {name: mx.concatenate([right, left], axis=1)}
    head = open_head(replace(golden, tensors=changed).write(tmp_path))
    assert difference(head(golden.embeddings[:, :-1], golden.hidden), golden.output) > 0.1
