"""Native MTP heads compute what the published implementations compute, from the published tensors."""

from __future__ import annotations

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
