"""Rotary positions by the words of older and of later configs."""

from __future__ import annotations

from typing import Any

import pytest

from engine.models.drafting.rotary import read_rotary
from engine.models.errors import DrafterError

YARN = {"rope_type": "yarn", "factor": 4.0}
CONFIGS: dict[str, tuple[dict[str, Any], int, float, dict[str, Any]]] = {
    "older": ({"rope_theta": 500000}, 64, 500000.0, {}),
    "silent": ({}, 64, 10000.0, {}),
    "later": ({"rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}, 64, 1e6, {}),
    "by layer": (
        {"rope_parameters": {"full_attention": {"rope_theta": 1e5}, "sliding_attention": {"rope_theta": 9.0}}},
        64,
        1e5,
        {},
    ),
    "inherited share": ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}}, 64, 1e4, {}),
    "own share": (
        {"rope_parameters": {**YARN, "partial_rotary_factor": 0.5}, "max_position_embeddings": 99},
        32,
        1e4,
        {**YARN, "partial_rotary_factor": 0.5, "original_max_position_embeddings": 99},
    ),
    "older scaling": (
        {"rope_scaling": {"type": "linear", "factor": 2}},
        64,
        1e4,
        {"type": "linear", "rope_type": "linear", "factor": 2},
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_rotation_is_read(name):
    config, num_dims, base, scaling = CONFIGS[name]
    rotary = read_rotary(config, 64)
    assert (rotary.num_dims, rotary.base) == (num_dims, base)
    assert rotary.scaling == scaling


@pytest.mark.parametrize("scaling", [{"rope_type": "dynamic"}, {**YARN, "truncate": False}])
def test_rotation_that_is_not_known_is_refused(scaling):
    with pytest.raises(DrafterError, match="scales its rotary positions by"):
        read_rotary({"rope_scaling": scaling}, 64)
