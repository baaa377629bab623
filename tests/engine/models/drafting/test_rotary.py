"""Rotary positions by the words of older and of later configs, and as fast as transformers 5.24 has them."""

from __future__ import annotations

from typing import Any

import pytest

from engine.models.drafting.fields import Fields
from engine.models.drafting.rotary import read_rotary
from engine.models.errors import DrafterError

YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 64}
GPT_OSS = {
    "rope_type": "yarn",
    "rope_theta": 150000.0,
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 5e5,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
PLAIN = [1.0, 0.3162278, 0.1, 0.03162278, 0.01, 0.003162278, 0.001, 0.0003162278]

# What transformers' Qwen3RotaryEmbedding has for these with heads of 16 numbers: `inv_freq` and `attention_scaling`.
COMPUTED: dict[str, tuple[dict[str, Any], list[float], float]] = {
    "plain, with a share of its target": (
        {"rope_type": "default", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
        [1.0, 0.1778279, 0.03162278, 0.005623413, 0.001, 0.0001778279, 3.162277e-05, 5.623413e-06],
        1.0,
    ),
    "linear, of half a head": (
        {"rope_type": "linear", "rope_theta": 1e4, "factor": 2.0, "partial_rotary_factor": 0.5},
        [0.5, 0.05, 0.005, 0.0005],
        1.0,
    ),
    "proportional": (
        {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.4},
        [1.0, 0.1778279, 0.03162278, 0.0, 0.0, 0.0, 0.0, 0.0],
        1.0,
    ),
    "llama3": (
        LLAMA3,
        [1.0, 0.1939228, 0.03760603, 0.007292665, 0.000524846, 3.428102e-05, 6.64787e-06, 1.289173e-06],
        1.0,
    ),
    "yarn, of half a head": (
        {**YARN, "rope_theta": 1e6, "original_max_position_embeddings": 32768, "partial_rotary_factor": 0.5},
        [1.0, 0.03162278, 0.000625, 7.905694e-06],
        1.138629,
    ),
    "yarn that is not cut to whole pairs": (
        GPT_OSS,
        [1.0, 0.225418, 0.05081327, 0.006794959, 0.0004564839, 1.818834e-05, 4.099978e-06, 9.24209e-07],
        1.346574,
    ),
    "yarn with two scales": (
        {**YARN, "factor": 40.0, "mscale": 0.707, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096},
        [1.0, 0.3162278, 0.1, 0.02391472, 0.005125, 0.0008498622, 2.5e-05, 7.905694e-06],
        0.9210424,
    ),
    "yarn with its own magnitude": (
        {**YARN, "attention_factor": 1.25},
        [1.0, 0.2371708, 0.05, 0.007905695, 0.0025, 0.0007905695, 0.00025, 7.905695e-05],
        1.25,
    ),
    "yarn of the whole context": (
        {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "mscale": 0.707},
        [1.0, 0.3162278, 0.1, 0.03162278, 0.01, 0.003162278, 0.0008125, 0.0001976424],
        1.138629,
    ),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_speeds_are_those_of_transformers(name):
    parameters, speeds, magnitude = COMPUTED[name]
    rotary = read_rotary(Fields({"rope_parameters": parameters, "max_position_embeddings": 131072}), 16)
    assert rotary.speeds == pytest.approx(speeds, rel=1e-6)
    assert rotary.magnitude == pytest.approx(magnitude, rel=1e-6)
    assert rotary.num_dims == 2 * len(speeds)


WORDS: dict[str, dict[str, Any]] = {
    "older": {"rope_theta": 1e4, "rope_scaling": None},
    "silent": {},
    "later": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "beside": {"rope_theta": 1e4, "rope_parameters": {"rope_type": "default"}},
    "by layer": {
        "rope_parameters": {"full_attention": {"rope_theta": 1e4}, "sliding_attention": {"rope_theta": 9.0}},
    },
    "older scaling goes first": {
        "rope_theta": 1e4,
        "rope_scaling": {"type": "linear", "factor": 1},
        "rope_parameters": {**YARN, "rope_theta": 7.0},
    },
}


@pytest.mark.parametrize("name", WORDS)
def test_plain_rotation_is_read_in_all_words(name):
    assert read_rotary(Fields(WORDS[name]), 16, usual_base=1e4).speeds == pytest.approx(PLAIN, rel=1e-6)


def test_neighbours_turn_together_where_a_config_says_so():
    assert read_rotary(Fields({"rope_theta": 1e4, "rope_is_neox_style": False}), 16).is_interleaved


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "kind": ({"rope_scaling": {"rope_type": "dynamic"}}, "rope_type is 'dynamic'"),
    "no base": ({}, "rope_theta is None"),
    "no growth": ({"rope_theta": 1}, "rope_theta is 1"),
    "huge": ({"rope_theta": 10**400}, "rope_theta is 1000"),
    "no factor": ({"rope_theta": 1e4, "rope_scaling": {"rope_type": "linear"}}, "factor is None"),
    "text": ({"rope_parameters": {**YARN, "truncate": "false"}}, "truncate is 'false'"),
    "beyond": ({"rope_parameters": {**YARN, "beta_fast": 1e308}}, "beta_fast is 1e[+]308"),
    "order": ({"rope_parameters": {**LLAMA3, "low_freq_factor": 4.0}}, "low_freq_factor is 4.0"),
    "half a pair": ({"rope_parameters": {**YARN, "partial_rotary_factor": 0.2}}, "partial_rotary_factor is 0.2"),
    "more than a head": ({"rope_parameters": {**YARN, "partial_rotary_factor": 2.0}}, "partial_rotary_factor is 2.0"),
    "no object": ({"rope_parameters": 5}, "rope_parameters is 5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_rotation_that_is_not_known_is_refused_by_its_field(name):
    config, words = REFUSED[name]
    with pytest.raises(DrafterError, match=words):
        read_rotary(Fields(config), 16)


def test_kinds_of_layers_that_turn_at_different_speeds_are_refused():
    by_layer = {"full_attention": {"rope_theta": 1e4}, "sliding_attention": {"rope_theta": 9.0}}
    with pytest.raises(DrafterError, match="the same for all kinds of layers"):
        read_rotary(Fields({"rope_parameters": by_layer}), 16, ("full_attention", "sliding_attention"))
