"""EAGLE-3 heads by their headers: what is read of each layout, and what is refused before any memory is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.models.drafting.eagle3 import Eagle3Spec, read_spec, recognises
from engine.models.drafting.files import read_files
from engine.models.drafting.target import TargetShape
from engine.models.errors import DrafterError
from tests.engine.goldens import Golden, read_golden, write_golden

TARGET = TargetShape("target", Path(), "llama", 16, 28, 40, "id", {})
Q_PROJ = "layers.0.self_attn.q_proj.weight"


def spec_of(golden: Golden, folder: Path, target: TargetShape | None = None) -> Eagle3Spec:
    return read_spec(read_files(write_golden(folder, golden)), target)


@pytest.fixture
def head() -> Golden:
    return read_golden("eagle3_speculators")


def test_layers_inputs_and_outputs_are_told_apart_by_who_published_the_head(tmp_path):
    layouts = {"speculators": (0, 2, 4), "midlayer": (0, 2, 4), "deepspec_qwen3": (0, 2, 4, 5, 6)}
    for name, taps in layouts.items():
        golden = read_golden(f"eagle3_{name}")
        assert spec_of(golden, tmp_path / name).tap_layers == taps
    assert golden.config["target_layer_ids"] == [0, 2, 4, 5, 6]


def test_head_that_names_no_layers_reads_the_usual_three(head, tmp_path):
    del head.config["eagle_aux_hidden_state_layer_ids"]
    assert spec_of(head, tmp_path / "a").tap_layers == ()
    assert spec_of(head, tmp_path / "b", TARGET).tap_layers == (1, 13, 24)


def test_head_knows_what_it_was_trained_for(head, tmp_path):
    head.config["speculators_config"] = {"proposal_methods": [{"speculative_tokens": 3}]}
    spec, deep = spec_of(head, tmp_path / "a"), spec_of(read_golden("eagle3_deepspec_gemma4"), tmp_path / "b")
    assert (spec.depth, spec.draft_vocab_size, spec.num_target_layers, spec.thinks) == (3, 12, 0, None)
    assert (deep.depth, deep.draft_vocab_size, deep.num_target_layers, deep.thinks) == (7, 0, 8, False)
    assert (deep.kv_elements_per_token, deep.context_length, deep.quantisation) == (32, 256, "fp32")


def test_layers_in_a_window_keep_nothing_that_grows(tmp_path):
    spec = spec_of(read_golden("eagle3_speculators_qwen3"), tmp_path)
    assert (spec.windows, spec.kv_elements_per_token) == ((3, None), 32)


def test_head_without_an_embedding_reads_the_target_s(head, tmp_path):
    assert spec_of(head, tmp_path / "own").needs == {"taps"}
    del head.weights["embed_tokens.weight"]
    assert spec_of(head, tmp_path / "target").needs == {"taps", "embedding"}
    head.config["target_hidden_size"] = 32
    with pytest.raises(DrafterError, match=r"has no 'embed_tokens.weight', and its hidden size \(16\)"):
        spec_of(head, tmp_path / "other")


def test_gemma_head_of_a_unified_target_is_read(tmp_path):
    golden = read_golden("eagle3_deepspec_gemma4")
    plain = spec_of(golden, tmp_path / "plain")
    golden.config["model_type"] = "gemma4_unified_text"
    assert spec_of(golden, tmp_path / "unified").layer == plain.layer


@pytest.mark.parametrize("layer", ["0", "5"])
def test_gemma_head_saved_by_later_transformers_is_read(tmp_path, layer):
    golden = read_golden("eagle3_deepspec_gemma4")
    plain = spec_of(golden, tmp_path / "plain")
    sizes = {"head_dim": "global_head_dim", "num_key_value_heads": "num_global_key_value_heads"}
    golden.config["per_layer_config"] = {layer: {ours: golden.config.pop(theirs) for ours, theirs in sizes.items()}}
    assert spec_of(golden, tmp_path / "later").layer == plain.layer


def test_head_for_gpt_oss_is_read(head, tmp_path):
    scaling = {"rope_type": "yarn", "factor": 32.0, "truncate": False, "original_max_position_embeddings": 4096}
    head.config["transformer_layer_config"] |= {"rope_parameters": {"rope_theta": 150000, **scaling}}
    assert spec_of(head, tmp_path).layer.rotary.magnitude == pytest.approx(1.346574)


@pytest.mark.parametrize("algorithm", ["peagle", "mtp", "xpress"])
def test_what_speculators_calls_otherwise_is_no_head(head, tmp_path, algorithm):
    head.config["speculators_model_type"] = algorithm
    with pytest.raises(DrafterError, match=f"speculators_model_type is '{algorithm}'"):
        recognises(read_files(write_golden(tmp_path, head)))


def test_usual_method_of_several_says_how_many_tokens_are_proposed(head, tmp_path):
    methods = [{"proposal_type": name, "speculative_tokens": num} for name, num in (("greedy", 3), ("sampled", 5))]
    head.config["speculators_config"] = {"proposal_methods": methods, "default_proposal_method": "sampled"}
    assert spec_of(head, tmp_path).depth == 5


def test_head_of_all_tokens_may_say_so_in_a_map(tmp_path):
    golden = read_golden("eagle3_deepspec_qwen3")
    golden.weights["d2t"] = mx.zeros(40, mx.int64)
    assert spec_of(golden, tmp_path / "a").draft_vocab_size == 0
    golden.weights["d2t"] = mx.zeros(12, mx.int64)
    with pytest.raises(DrafterError, match=r"'d2t' is \[12\] and must be \[40\]"):
        spec_of(golden, tmp_path / "b")


def drop(name: str) -> Callable[[Golden], None]:
    return lambda golden: golden.weights.__delitem__(name)


def put(name: str, change: Callable[[mx.array], mx.array]) -> Callable[[Golden], None]:
    return lambda golden: golden.weights.__setitem__(name, change(golden.weights[name]))


def tell(**fields: Any) -> Callable[[Golden], None]:
    return lambda golden: golden.config.update(fields)


def say(**fields: Any) -> Callable[[Golden], None]:
    return lambda golden: golden.config["transformer_layer_config"].update(fields)


FAULTS: dict[str, tuple[Callable[[Golden], None], str]] = {
    "missing": (drop(Q_PROJ), r"the tensor 'layers.0.self_attn.q_proj.weight' \[32, 32\] is missing"),
    "offsets missing": (drop("d2t"), r"the tensor 'd2t' \[12\] is missing"),
    "too many": (
        lambda golden: golden.weights.update({"layers.1.extra": mx.ones((2,))}),
        r"nothing is known of its tensor 'layers.1.extra' \[2\]",
    ),
    "transposed": (put("fc.weight", mx.transpose), r"'fc.weight' is \[48, 16\] and must be \[16, 48\], it is transpo"),
    "half": (put(Q_PROJ, lambda array: array[:, :16]), r"is \[32, 16\] and must be \[32, 32\], half of it"),
    "mixed types": (put(Q_PROJ, lambda array: array.astype(mx.bfloat16)), "holds BF16 and '.*' holds F32"),
    "model type": (
        say(model_type="mamba"),
        "model_type is 'mamba' in the drafter's config.json; it must be 'llama'",
    ),
    "activation": (say(hidden_act="gelu"), "hidden_act is 'gelu' in the drafter's config.json; it must be 'silu'"),
    "window": (say(layer_types=["sliding_attention"]), "sliding_window is None in the drafter's config.json"),
    "kind of layer": (say(layer_types=["linear_attention"]), r"layer_types is \['linear_attention'\]"),
    "no width": (
        say(hidden_size=0),
        "hidden_size is 0 in the drafter's config.json; it must be a whole number above 0",
    ),
    "positions": (say(rope_parameters={"rope_type": "longrope"}), "rope_type is 'longrope' in the drafter's"),
    "text": (tell(norm_before_residual="false"), "norm_before_residual is 'false'"),
    "parallel": (tell(parallel_drafting=True), "parallel_drafting is True"),
    "count": (tell(num_target_layers="36"), "num_target_layers is '36'"),
    "last layer": (
        tell(num_target_layers=6, eagle_aux_hidden_state_layer_ids=[1, 3, 6]),
        r"\[1, 3, 6\] .*it reads the last layer \(5\)",
    ),
    "tokens": (tell(draft_vocab_size=41), "draft_vocab_size is 41"),
    "epsilon": (say(rms_norm_eps=float("inf")), "rms_norm_eps is inf"),
    "too many layers": (say(num_hidden_layers=10**9), "num_hidden_layers is 1000000000"),
    "layers": (
        tell(eagle_aux_hidden_state_layer_ids="1, 2"),
        "eagle_aux_hidden_state_layer_ids is '1, 2' in the drafter's config.json; it must be a list",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_damaged_head_is_refused_by_the_name_of_what_is_wrong(head, tmp_path, fault):
    change, sentence = FAULTS[fault]
    change(head)
    files = read_files(write_golden(tmp_path, head))
    assert recognises(files)
    with pytest.raises(DrafterError, match=sentence):
        read_spec(files, None)


@pytest.mark.parametrize(("algorithm", "words"), [("dflash", "of the kind 'dflash'"), ("peagle", "'peagle'")])
def test_head_that_speculators_calls_otherwise_is_refused(tmp_path, algorithm, words):
    golden = read_golden("eagle3_speculators")
    golden.config["speculators_model_type"] = algorithm
    with pytest.raises(DrafterError, match=words):
        read_spec(read_files(write_golden(tmp_path, golden)), None)
