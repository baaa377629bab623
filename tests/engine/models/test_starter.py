"""The real starter model: import, tokenizer, and a sensible greedy answer in each form."""

from __future__ import annotations

import time

import mlx.core as mx
import pytest
from mlx_lm import load as mlx_lm_load
from mlx_lm.generate import generate_step

from engine.models.facts import read_facts
from engine.models.gguf import import_gguf
from engine.models.load import load_steps
from engine.models.locate import find_starter

pytestmark = pytest.mark.model


def finish(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.fixture(scope="module")
def tokenizer(starter_folder):
    return mlx_lm_load(str(starter_folder), lazy=True)[1]


def greedy(model, tokenizer, num_tokens=12):
    prompt = mx.array(tokenizer.encode("The capital of France is", add_special_tokens=False))
    return [token for token, _ in generate_step(prompt, model, max_tokens=num_tokens)]


def test_import_is_quick_and_answers_often(data_dir):
    started = time.monotonic()
    num_steps = sum(1 for _ in import_gguf(find_starter(), data_dir))
    assert time.monotonic() - started < 10
    assert num_steps > 100


def test_facts_of_the_starter(starter_folder):
    facts = read_facts("", starter_folder)
    assert (facts.name, facts.quantisation) == ("SmolLM2-135M-Instruct.Q4_1", "4-bit")
    assert (facts.context_length, facts.num_layers, facts.vocab_size) == (8192, 30, 49152)
    assert facts.kv_bytes_per_token == 2 * 30 * 3 * 64 * 4
    assert facts.has_template
    assert facts.licence == "apache-2.0"
    assert facts.batch_refusal == ""


def test_all_forms_give_the_same_sensible_greedy_tokens(starter_folder, tokenizer):
    facts = read_facts("", starter_folder)
    dense = greedy(finish(load_steps(facts, as_fp32=True)).model, tokenizer)
    kept = greedy(finish(load_steps(facts, as_fp32=False)).model, tokenizer)
    native = greedy(mlx_lm_load(str(starter_folder))[0], tokenizer)
    assert "Paris" in tokenizer.decode(dense)
    assert dense == kept == native


@pytest.mark.parametrize(
    "text",
    [
        "abc 123 4567, 3.14 and 1e-5",
        " one leading space",
        "  two\n\n   three\t\ttabs \r\n end ",
        "naïve façade Straße 模型 мо дель नमस्ते 🎉👩‍👩‍👧 \u200d",
        "can't don't I'LL we've <|im_start|>user\n<|endoftext|>",
        "def f(x):\n    return x  # ≠ – …\n",
        "a\u0301 vs \u00e1, ﬀ, \u00a0nbsp",
    ],
)
def test_text_survives_the_tokenizer(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_ids_are_those_of_the_original_tokenizer(tokenizer):
    assert tokenizer.encode("The capital of France is", add_special_tokens=False) == [504, 3575, 282, 4649, 314]
    assert tokenizer.encode("<|im_start|>2024<|im_end|>", add_special_tokens=False) == [1, 34, 32, 34, 36, 2]
