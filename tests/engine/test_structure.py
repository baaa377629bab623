"""Parts of every proven model: what is caught on the way is what mlx-lm computes, and the head is its own."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache

from engine.models.drafting.spec import EMBEDDING, HEAD, HIDDEN, TAPS
from engine.models.proven import PROVEN
from engine.structure import Structure
from engine.taps import Taps
from tests.engine.tiny import tiny_model

IDS = mx.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])
WITHOUT_HEAD = frozenset(("gpt_neox",))


@pytest.fixture(scope="module", params=sorted(PROVEN.keys() - WITHOUT_HEAD))
def structure(request: pytest.FixtureRequest) -> Structure:
    return Structure(tiny_model(request.param), request.param)


def forward(model: nn.Module) -> mx.array:
    return model(IDS, cache=make_prompt_cache(model))


def test_tapped_forward_has_the_same_logits_and_leaves_the_parameters_alone(structure):
    model, names = structure.model, [name for name, _ in tree_flatten(structure.model.parameters())]
    plain = forward(model)
    logits, context = Taps(structure).run(IDS, make_prompt_cache(model), (0, -1))
    assert mx.array_equal(logits, plain)
    assert context.shape == (2, 5, 2 * structure.hidden_size)
    assert [name for name, _ in tree_flatten(model.parameters())] == names


def test_head_and_its_rows_are_the_models_own(structure):
    num_layers = len(structure.layers)
    logits, hidden = Taps(structure).run(IDS, make_prompt_cache(structure.model), (num_layers,))
    rows = mx.array([3, 60, 5])
    assert mx.array_equal(structure.head(hidden), logits)
    assert mx.allclose(structure.head_rows(rows)[0](hidden), logits[..., rows], atol=1e-5)


def test_every_model_but_those_listed_has_all_ports():
    ports = {name: Structure(tiny_model(name), name).ports for name in PROVEN}
    assert {name for name, found in ports.items() if found != {TAPS, HIDDEN, EMBEDDING, HEAD}} == WITHOUT_HEAD


def test_taps_are_layer_outputs_in_the_order_asked_for():
    model = tiny_model("llama")
    embeddings = model.model.embed_tokens(IDS)
    first = model.model.layers[0](embeddings, "causal")
    second = model.model.layers[1](first, "causal")
    wanted = [model.model.norm(second), first, embeddings, second]
    _, context = Taps(Structure(model, "llama")).run(IDS, make_prompt_cache(model), (2, 0, -1, 1))
    assert mx.allclose(context, mx.concatenate(wanted, axis=-1), atol=1e-5)


def test_embeddings_are_tapped_as_the_first_layer_takes_them():
    for name in ("gemma3_text", "minicpm", "granite", "qwen3"):
        structure = Structure(tiny_model(name, scale_emb=3.0, embedding_multiplier=3.0), name)
        _, context = Taps(structure).run(IDS, make_prompt_cache(structure.model), (-1,))
        assert mx.allclose(context, structure.embed(IDS) * structure.embed_scale, rtol=1e-2), name


def test_quantised_head_gives_the_same_rows():
    model = tiny_model("llama", hidden_size=64, intermediate_size=64, head_dim=16)
    nn.quantize(model, group_size=32, bits=4)
    for structure, bits in ((Structure(model, "llama"), 4), (Structure(_tied(), "llama"), 8)):
        logits, hidden = Taps(structure).run(IDS, make_prompt_cache(structure.model), (2,))
        rows = mx.array([63, 0, 7])
        head, num_bytes = structure.head_rows(rows)
        assert mx.allclose(head(hidden), logits[..., rows], atol=1e-4)
        assert num_bytes == 3 * 64 * bits // 8 + 3 * 2 * 4 * 64 // 32  # packed, with a scale and a bias for each group


def test_tap_of_a_layer_that_is_not_there_is_named():
    structure = Structure(tiny_model("llama"), "llama")
    with pytest.raises(AssertionError, match=r"\[7\]"):
        Taps(structure).run(IDS, make_prompt_cache(structure.model), (0, 7))


def _tied() -> nn.Module:
    model = tiny_model("llama", hidden_size=64, intermediate_size=64, head_dim=16, tie_word_embeddings=True)
    nn.quantize(model, group_size=32, bits=8)
    return model
