"""Block drafters by their headers: every published schema is understood, everything that is near is refused by name."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest

from engine.models.drafting.block import published_names, read_spec, recognises, spread_layers
from engine.models.drafting.block_spec import Heads, Reach
from engine.models.drafting.spec import EMBEDDING, HEAD, TAPS
from tests.engine.goldens import read_golden
from tests.engine.models.drafting.blocks import GONE, files_of, refusal, spec_of


def test_zlab_s_first_schema_borrows_embedding_and_head(tmp_path):
    spec = spec_of(tmp_path, "dflash")
    assert (spec.kind, spec.block_size, spec.depth, spec.first_prediction) == ("dflash", 6, 5, 1)
    assert (spec.tap_layers, spec.num_target_layers, spec.mask_token_id) == ((1, 3), 6, 23)
    assert spec.needs == {TAPS, EMBEDDING, HEAD}
    assert spec.layers.reaches == (Reach(), Reach())
    assert (spec.layers.rotary.speeds, spec.embedding_scale) == (pytest.approx((1.0, 0.1, 0.01, 0.001)), None)
    assert spec.quantisation == "fp16"
    assert spec.kv_elements_per_token == 2 * 2 * 2 * 8


def test_zlab_s_second_schema_nests_and_slides(tmp_path):
    spec = spec_of(tmp_path, "dflash_sliding")
    assert (spec.block_size, spec.embedding_scale) == (6, 1.5)
    assert spec.layers.reaches == (Reach(8, is_causal=True), Reach())
    assert spec.kv_elements_per_token == 2 * 2 * 8
    assert not spec.window_from_anchor


def test_eight_taps_are_read(tmp_path):
    own = read_golden("block_dflash_sliding").config["dflash_config"] | {"target_layer_ids": list(range(8))}
    wide = {"fc.weight": mx.zeros((16, 8 * 16), mx.float16)}
    files = files_of(tmp_path, "dflash_sliding", {"dflash_config": own, "num_target_layers": 40}, wide)
    assert read_spec(files, None).tap_layers == tuple(range(8))


def test_zlab_s_usual_taps_stand_in_for_none(tmp_path):
    assert spread_layers(36, 5) == (1, 9, 17, 25, 33)  # as its config for Qwen3-4B names them
    assert spread_layers(36, 1) == (18,)
    own = {"mask_token_id": 23}
    assert spec_of(tmp_path, "dflash", {"dflash_config": own, "num_target_layers": 36}).tap_layers == (1, 33)


def test_dspark_predicts_from_the_pending_token_on_and_brings_what_it_needs(tmp_path):
    spec = spec_of(tmp_path, "dspark_rnn")
    assert (spec.kind, spec.depth, spec.first_prediction) == ("dspark", 6, 0)
    assert spec.heads == Heads("rnn", 4, has_confidence=True, confidence_reads_markov=True)
    assert spec.needs == {TAPS}
    assert spec.embedding_scale == 1.0


def test_gemma_shares_values_scales_its_embedding_and_caps_its_logits(tmp_path):
    spec = spec_of(tmp_path, "dspark_gemma4")
    assert spec.layers.is_gemma
    assert (spec.layers.num_kv_heads, spec.layers.head_size, spec.layers.shares_values) == (1, 16, True)
    assert (spec.embedding_scale, spec.softcap) == (4.0, 3.0)
    assert [speed > 0 for speed in spec.layers.rotary.speeds] == [True] * 2 + [False] * 6


def test_deepspec_s_dflash_is_dspark_without_heads(tmp_path):
    spec = spec_of(tmp_path, "deepspec_dflash")
    assert (spec.kind, spec.first_prediction, spec.heads) == ("dflash", 0, Heads())


def test_speculators_names_inputs_and_drafts_a_part_of_the_vocabulary(tmp_path):
    assert read_golden("block_speculators_dspark").config["aux_hidden_state_layer_ids"] == [2, 4]
    spec = spec_of(tmp_path, "speculators_dspark")
    assert spec.tap_layers == (1, 3)
    assert (spec.vocab_size, spec.draft_vocab_size, spec.output_size) == (24, 10, 10)
    assert spec.needs == {TAPS, EMBEDDING}
    assert (spec.window_from_anchor, spec.embedding_scale, spec.num_target_layers) == (True, 1.0, 0)


@pytest.mark.parametrize(
    ("sample_from_anchor", "speculative_tokens", "first"),
    [(True, 5, 0), (False, 6, 1), (GONE, 6, 0), (GONE, 5, 1), (GONE, None, 1)],
)
def test_speculators_says_in_two_ways_which_position_predicts_first(
    tmp_path, sample_from_anchor, speculative_tokens, first
):
    methods = [{"speculative_tokens": speculative_tokens}] if speculative_tokens else []
    own = {"sample_from_anchor": sample_from_anchor, "speculators_config": {"proposal_methods": methods}}
    spec = spec_of(tmp_path, "speculators_dspark", own)
    assert (spec.first_prediction, spec.depth) == (first, 6 - first)


def test_specforge_s_dspark_predicts_from_the_pending_token_on(tmp_path):
    own = read_golden("block_dflash").config["dflash_config"] | {"projector_type": "dspark"}
    spec = spec_of(tmp_path, "dflash", {"dflash_config": own})
    assert (spec.first_prediction, spec.depth) == (0, 6)


def test_heads_of_which_the_config_is_silent_are_found_by_their_tensors(tmp_path):
    silent = dict.fromkeys(("markov_rank", "enable_confidence_head", "confidence_head_with_markov"), GONE)
    assert spec_of(tmp_path / "with", "dspark_rnn", silent).heads == Heads("rnn", 4, True, True)
    assert spec_of(tmp_path / "without", "deepspec_dflash", silent).heads == Heads()


def test_packed_checkpoint_is_read(tmp_path):
    plain = read_golden("block_dflash").weights
    packed: dict[str, Any] = {}
    for name, array in plain.items():
        if array.ndim == 2 and array.shape[1] % 32 == 0:
            module = name.removesuffix(".weight")
            parts = zip(("weight", "scales", "biases"), mx.quantize(array, 32, 4), strict=True)
            packed |= {f"{module}.{part}": value for part, value in parts}
    files = files_of(tmp_path, "dflash", {"quantization": {"group_size": 32, "bits": 4}}, packed)
    assert "fc.scales" in files.tensors
    spec = read_spec(files, None)
    assert spec.weight_bytes == files.num_bytes


def with_prefix(names: list[str]) -> dict[str, Any]:
    """Changes to the golden dflash's weights, so that some have names as in a whole model."""
    weights = read_golden("block_dflash").weights
    return dict.fromkeys(names, GONE) | {f"model.{name}": weights[name] for name in names}


def test_names_of_a_whole_model_are_read(tmp_path):
    names = list(read_golden("block_dflash").weights)
    files = files_of(tmp_path / "all", "dflash", weights=with_prefix(names))
    assert read_spec(files, None).weight_bytes == files.num_bytes
    assert published_names(files, ["norm.weight"]) == {"norm.weight": "model.norm.weight"}
    both = {"fc.weight": read_golden("block_dflash").weights["fc.weight"]}
    assert "'model.fc.weight'" in refusal(tmp_path / "twice", "dflash", weights=with_prefix(names) | both)


@pytest.mark.parametrize(("usual", "first"), [("greedy", 0), ("sampled", 1)])
def test_usual_method_of_several_says_how_many_tokens_are_proposed(tmp_path, usual, first):
    methods = [{"proposal_type": "greedy", "speculative_tokens": 6}, {"proposal_type": "sampled"}]
    methods[1]["speculative_tokens"] = 5
    own = {"proposal_methods": methods, "default_proposal_method": usual}
    config = {"sample_from_anchor": GONE, "speculators_config": own}
    assert spec_of(tmp_path, "speculators_dspark", config).first_prediction == first


def test_drafter_of_all_tokens_may_say_so_in_a_map(tmp_path):
    config = {"draft_vocab_size": 24}
    weights = {"d2t": mx.zeros(24, mx.int64), "t2d": mx.ones(24, mx.bool_), "lm_head.weight": zeros(24, 16)}
    weights["markov_head.markov_w2.weight"] = zeros(24, 4)
    spec = read_spec(files_of(tmp_path / "a", "speculators_dspark", config, weights), None)
    assert (spec.draft_vocab_size, spec.output_size) == (0, 24)
    weights["d2t"] = mx.zeros(10, mx.int64)
    assert "'d2t' is [10] and must be [24]" in refusal(
        tmp_path / "b", "speculators_dspark", config=config, weights=weights
    )


REFUSED = {
    "attention_sink_bias": ("dspark_vanilla", {"attention_sink_bias": True}),
    "dflash_query_causal": ("dspark_vanilla", {"dflash_query_causal": True}),
    "conv_kernel_size": ("dflash", {"conv_kernel_size": 4}),
    "selector_rank": ("dflash", {"selector_rank": 64}),
    "model_type": ("dflash", {"model_type": "laguna"}),
    "enable_qwen35_gated_q_proj": ("dspark_vanilla", {"enable_qwen35_gated_q_proj": True}),
    "log_snr_conditioning": ("dspark_vanilla", {"log_snr_conditioning": True}),
    "enable_moe_block": ("dspark_gemma4", {"enable_moe_block": True}),
    "DFlash2DraftModel": ("dflash", {"architectures": ["DFlash2DraftModel"]}),
    "DeepseekV4ForCausalLM": ("dflash", {"architectures": ["DeepseekV4ForCausalLM"], "dspark_block_size": 5}),
    "dflash2": ("speculators_dflash", {"speculators_model_type": "dflash2"}),
    "layer_types": ("dspark_vanilla", {"layer_types": ["sliding_attention", "full_attention"]}),
    "sliding_window": ("dflash_sliding", {"sliding_window": 4}),
    "hidden_act": ("dflash", {"hidden_act": "relu"}),
    "rope_type": ("dflash", {"rope_scaling": {"rope_type": "longrope"}}),
    "rope_theta": ("dflash", {"rope_theta": GONE}),
    "mask_token_id": ("dspark_vanilla", {"mask_token_id": 24}),
    "target_layer_ids": ("dspark_vanilla", {"target_layer_ids": []}),
    "markov_rank": ("dspark_vanilla", {"markov_rank": 0}),
    "markov_head_type": ("dspark_vanilla", {"markov_head_type": "lstm"}),
    "speculative_tokens": (
        "speculators_dspark",
        {"sample_from_anchor": GONE, "speculators_config": {"proposal_methods": [{"speculative_tokens": 3}]}},
    ),
    "block_size": ("dflash", {"block_size": GONE}),
    "draft_vocab_size": ("speculators_dspark", {"draft_vocab_size": 25}),
    "num_target_layers": ("dflash", {"num_target_layers": "6"}),
    "sample_from_anchor": ("speculators_dspark", {"sample_from_anchor": "false"}),
    "attention_bias": ("dflash", {"attention_bias": "false"}),
    "rms_norm_eps": ("dflash", {"rms_norm_eps": float("nan")}),
    "proposal_methods": (
        "speculators_dspark",
        {"sample_from_anchor": GONE, "speculators_config": {"proposal_methods": 5}},
    ),
    "architectures": ("dflash", {"architectures": True}),
    "vocab_size": ("dflash", {"vocab_size": 10**400}),
    "num_hidden_layers": ("dflash", {"num_hidden_layers": 10**9, "layer_types": GONE}),
    "peagle": ("speculators_dflash", {"speculators_model_type": "dflash_peagle"}),
}


@pytest.mark.parametrize("field", REFUSED)
def test_what_cannot_be_computed_is_refused_by_its_field(tmp_path, field):
    name, config = REFUSED[field]
    assert field in refusal(tmp_path, name, config=config)


TAPPED = {
    (1, 6): "a list of whole numbers from -1 to 5",
    (-2, 1): "a list of whole numbers from -1 to 5",
    (1, 5): "it reads the last layer (5), whose output is not the same in all implementations",
}


@pytest.mark.parametrize("taps", TAPPED)
def test_layers_that_no_target_of_its_own_has_are_refused(tmp_path, taps):
    own = read_golden("block_dflash").config["dflash_config"] | {"target_layer_ids": list(taps)}
    assert TAPPED[taps] in refusal(tmp_path, "dflash", config={"dflash_config": own})


def zeros(*shape: int) -> mx.array:
    return mx.zeros(shape, mx.float16)


FAULTY = {
    "missing": ("dflash", {"layers.1.mlp.up_proj.weight": GONE}, "'layers.1.mlp.up_proj.weight' [24, 16] is missing"),
    "extra": ("dflash", {"layers.2.norm.weight": zeros(16)}, "nothing is known of its tensor 'layers.2.norm.weight'"),
    "transposed": (
        "dflash",
        {"fc.weight": zeros(32, 16)},
        "'fc.weight' is [32, 16] and must be [16, 32], it is transposed",
    ),
    "half size": ("dflash", {"norm.weight": zeros(8)}, "'norm.weight' is [8] and must be [16], half of it"),
    "wrong number of taps": ("dflash", {"fc.weight": zeros(16, 48)}, "'fc.weight' is [16, 48]"),
    "mixed types": ("dflash", {"fc.weight": mx.zeros((16, 32))}, "'fc.weight'"),
    "no Markov head": ("dspark_vanilla", {"markov_head.markov_w1.weight": GONE}, "'markov_head.markov_w1.weight'"),
    "no gate": ("dspark_gated", {"markov_head.gate_proj.bias": GONE}, "'markov_head.gate_proj.bias'"),
    "another head": ("dspark_vanilla", {"markov_head.joint_proj.bias": zeros(12)}, "'markov_head.joint_proj.bias'"),
    "no confidence head": ("dspark_vanilla", {"confidence_head.proj.weight": GONE}, "'confidence_head.proj.weight'"),
    "no embedding": ("dspark_vanilla", {"embed_tokens.weight": GONE}, "'embed_tokens.weight' [24, 16] is missing"),
    "no head of a part": ("speculators_dspark", {"lm_head.weight": GONE}, "'lm_head.weight' [10, 16] is missing"),
    "no map of its tokens": ("speculators_dspark", {"d2t": GONE}, "'d2t' [10] is missing"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_tensor_is_named(tmp_path, fault):
    name, weights, text = FAULTY[fault]
    assert text in refusal(tmp_path, name, weights=weights)


def test_only_block_drafters_are_recognised(tmp_path):
    names = ("dflash", "dspark_gemma4", "speculators_dflash")
    assert all(recognises(files_of(tmp_path / name, name)) for name in names)
    assert recognises(files_of(tmp_path / "near", "dflash", {"architectures": ["DFlash2DraftModel"]}))
    plain = {"architectures": ["Qwen3ForCausalLM"], "dflash_config": GONE}
    assert not recognises(files_of(tmp_path / "other", "dflash", plain))
    assert not recognises(
        files_of(
            tmp_path / "eagle",
            "speculators_dflash",
            {"speculators_model_type": "eagle3", "architectures": ["Eagle3Speculator"]},
        )
    )
