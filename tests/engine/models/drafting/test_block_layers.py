"""Layers of block drafters by configs of several versions of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.engine.goldens import read_golden
from tests.engine.models.drafting.blocks import GONE, refusal, spec_of


def per_layer(name: str, layers: Sequence[int]) -> dict[str, Any]:
    """What transformers 5.24 writes instead of the fields of full layers, for layers of these indices."""
    config = read_golden(name).config
    sizes = {"head_dim": config["global_head_dim"]}
    if config["attention_k_eq_v"]:
        sizes["num_key_value_heads"] = config["num_global_key_value_heads"]
    own = {str(layer): sizes for layer in layers}
    return {"global_head_dim": GONE, "num_global_key_value_heads": GONE, "per_layer_config": own}


@pytest.mark.parametrize("name", ["dspark_gemma4", "dspark_gemma4_values"])
@pytest.mark.parametrize("layers", [(0, 1), (5, 11)], ids=["its own", "its target's"])
def test_gemma_saved_by_later_transformers_has_the_same_layers(tmp_path, name, layers):
    old, new = spec_of(tmp_path / "old", name), spec_of(tmp_path / "new", name, per_layer(f"block_{name}", layers))
    assert new.layers == old.layers


def test_gemma_whose_keys_are_no_values_has_as_many_in_all_layers(tmp_path):
    own = per_layer("block_dspark_gemma4_values", (0, 1))
    own["per_layer_config"]["0"]["num_key_value_heads"] = 1  # of the target, which has a switch for it
    assert spec_of(tmp_path, "dspark_gemma4_values", own).layers.num_kv_heads == 2


def test_gemma_whose_full_layers_differ_is_refused(tmp_path):
    own = per_layer("block_dspark_gemma4", (0,))
    own["per_layer_config"]["1"] = {"head_dim": 32}
    assert "per_layer_config is" in refusal(tmp_path, "dspark_gemma4", config=own)


def test_scaled_rotation_turns_the_share_of_a_head_that_a_config_names(tmp_path):
    own = {"partial_rotary_factor": 0.5, **read_golden("block_dflash_yarn").config["rope_parameters"]}
    assert spec_of(tmp_path, "dflash_yarn", {"rope_parameters": own}).layers.rotary.num_dims == 4


def test_drafter_for_gpt_oss_turns_as_its_target_does(tmp_path):
    scaling = {"rope_type": "yarn", "factor": 32.0, "truncate": False, "original_max_position_embeddings": 4096}
    rotary = spec_of(tmp_path, "dflash", {"rope_theta": 150000, "rope_scaling": scaling}).layers.rotary
    assert rotary.magnitude == pytest.approx(1.346574)
