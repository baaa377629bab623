"""The scores of a text, read without the engine's rows."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.messages import Sampling
from engine.prove.driver import Driver
from engine.prove.measure import Shape, measure, read_windows
from tests.engine.tiny import tiny_model

PROMPT, REPLY = list(range(3, 20)), [5, 9, 2, 40, 7]


@pytest.mark.parametrize("model_type", ["llama", "qwen3_next", "gemma3_text"])
@pytest.mark.parametrize("shape", [Shape(1, 1), Shape(3, 2), Shape(2, 9)])
def test_windows_of_any_shape_give_the_logits_of_every_position(model_type, shape):
    model, ids = tiny_model(model_type), PROMPT + REPLY
    whole = model(mx.array([ids]))[0, len(PROMPT) - 1 :]
    read = mx.concatenate(list(read_windows(model, ids, len(PROMPT) - 1, shape, chunk=6)))
    assert read.shape == whole.shape
    assert mx.allclose(read, whole, atol=1e-4)


@pytest.mark.parametrize("prompt", [PROMPT, [4]])
def test_movement_is_that_of_rounding(prompt):
    measured = measure(tiny_model("llama"), prompt, REPLY, Sampling(), [Shape(1, 7), Shape(4, 3)])
    assert 0 <= measured.movement < 1e-4
    assert measured.dtype == mx.float32
    assert measured.spread > 1


def test_scores_are_those_that_the_engine_draws_by(plain_reply):
    model, prompt_ids, token_ids, sampling = plain_reply
    for index, token_id in enumerate(token_ids):
        measured = measure(model, prompt_ids, token_ids[:index], sampling, [Shape(1, 1)])
        assert mx.argmax(measured.scores).item() == token_id


@pytest.fixture(params=[0.0, 0.8])
def plain_reply(request, target, data_dir):
    driver = Driver(str(target), data_dir, print)
    driver.load()
    sampling = Sampling(temperature=request.param, seed=11, max_tokens=6)
    reply = driver.make("The quick brown fox", sampling, "none")
    return driver.target.model, driver.prompt_of(reply).token_ids, reply.token_ids, sampling
