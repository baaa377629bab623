"""Assistants by their headers: what is read of a config, what fits a target, and what is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.models.architecture import text_config
from engine.models.drafting.assistant import FULL, SLIDING, AssistantSpec, read_spec, recognises
from engine.models.drafting.files import read_files
from engine.models.drafting.target import TargetShape
from engine.models.errors import DrafterError
from tests.engine.drafters.assistant.goldens import config_of, write_drafter
from tests.engine.drafters.tiny_assistant import save_weights, tiny_assistant
from tests.engine.tiny import tiny_config, write_json

CENTROIDS, ORDERING = "masked_embedding.centroids.weight", "masked_embedding.token_ordering"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_drafter(tmp_path / "drafter", "dense", "inside")


@pytest.fixture
def tiny_target(tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    folder.mkdir()
    write_json(folder / "config.json", tiny_config("gemma4_text"))
    return folder


def target_shape(model_type: str = "gemma4_text", **changes: Any) -> TargetShape:
    """The target that the goldens were made with, by the config that mlx-lm reads."""
    config = text_config(config_of("target.inside")) | {"global_head_dim": 16, "num_global_key_value_heads": 1}
    return TargetShape("tiny", Path("tiny"), model_type, 16, 4, 48, "", config | changes)


def spec_of(folder: Path, target: TargetShape | None = None) -> AssistantSpec:
    return read_spec(read_files(folder), target)


def rewrite(folder: Path, change: Callable[[dict[str, mx.array]], Any]) -> None:
    """Change the tensors of a folder in place."""
    weights = dict(mx.load(str(folder / "model.safetensors")))
    mx.eval(weights)
    change(weights)
    save_weights(folder, weights)


def configure(folder: Path, **changes: Any) -> None:
    """Change the text_config; None drops a field."""
    config = read_files(folder).config
    text = {name: value for name, value in (config["text_config"] | changes).items() if value is not None}
    write_json(folder / "config.json", config | {"text_config": text})


def test_assistant_is_read_as_transformers_writes_it(folder):
    spec = spec_of(folder, target_shape())
    assert (spec.hidden_size, spec.vocab_size, spec.width, spec.num_heads, spec.window) == (16, 48, 12, 4, 16)
    assert spec.head_sizes == {SLIDING: 8, FULL: 16}
    assert (spec.depth, spec.block_size, spec.tap_layers, spec.num_centroids) == (3, 4, (4,), 0)
    assert spec.needs == {"hidden", "embedding", "donors"}
    assert (spec.quantisation, spec.weight_bytes) == ("fp32", read_files(folder).num_bytes)


@pytest.mark.parametrize("model_type", ["gemma4_assistant", "gemma4_unified_assistant"])
def test_both_model_types_and_the_field_of_earlier_configs_are_read(tmp_path, model_type):
    folder = write_drafter(tmp_path / "drafter", "dense", "inside", model_type=model_type)
    configure(folder, per_layer_config=None, global_head_dim=16)
    assert recognises(read_files(folder))
    assert spec_of(folder).head_sizes[FULL] == 16


def test_block_size_of_a_config_sets_the_depth(tmp_path):
    assert spec_of(write_drafter(tmp_path / "drafter", "dense", "inside", block_size=6)).depth == 5


def test_centroids_are_told_by_their_tensors(tmp_path):
    undeclared = write_drafter(tmp_path / "with", "centroid", "inside", use_ordered_embeddings=False)
    assert (spec_of(undeclared).num_centroids, spec_of(undeclared).num_chosen) == (8, 3)
    declared = write_drafter(tmp_path / "without", "dense", "inside", use_ordered_embeddings=True)
    assert spec_of(declared).num_centroids == 0


def test_head_that_is_stored_beside_the_embedding_is_not_read(folder):
    rewrite(folder, lambda weights: weights.update({"lm_head.weight": weights["model.embed_tokens.weight"] + 0}))
    assert spec_of(folder).weight_bytes < read_files(folder).num_bytes


def test_packed_head_that_is_stored_beside_the_embedding_is_not_read(folder):
    parts = dict(zip(("weight", "scales", "biases"), mx.quantize(mx.zeros((48, 32)), 32, 4), strict=True))
    rewrite(folder, lambda weights: weights.update({f"lm_head.{part}": array for part, array in parts.items()}))
    assert spec_of(folder).weight_bytes < read_files(folder).num_bytes


def test_head_of_its_own_is_named(tmp_path):
    folder = write_drafter(tmp_path / "drafter", "dense", "inside", tie_word_embeddings=False)
    rewrite(folder, lambda weights: weights.update({"lm_head.weight": weights["model.embed_tokens.weight"] + 0}))
    with pytest.raises(DrafterError, match=r"lm_head\.weight"):
        spec_of(folder)


def test_another_activation_is_named(folder):
    configure(folder, hidden_activation="silu")
    with pytest.raises(DrafterError, match="hidden_activation is 'silu'"):
        spec_of(folder)


@pytest.mark.parametrize("bits", [4, 8])
def test_packed_assistant_is_read(tmp_path, tiny_target, bits):
    folder = tiny_assistant(tmp_path / "packed", tiny_target, bits=bits, num_centroids=8)
    spec = spec_of(folder)
    assert (spec.quantisation, spec.num_centroids) == (f"{bits}-bit", 8)
    assert spec.weight_bytes == read_files(folder).num_bytes


@pytest.mark.parametrize(
    ("change", "needles"),
    [
        (lambda weights: weights.pop("pre_projection.weight"), ("'pre_projection.weight' [12, 32] is missing",)),
        (lambda weights: weights.update(extra=mx.zeros(3)), ("'extra' [3]",)),
        (
            lambda weights: weights.update({"post_projection.weight": weights["post_projection.weight"].T + 0}),
            ("'post_projection.weight' is [12, 16] and must be [16, 12]", "transposed"),
        ),
        (
            lambda weights: weights.update({"model.layers.2.self_attn.q_proj.weight": mx.zeros((32, 12))}),
            ("q_proj.weight' is [32, 12] and must be [64, 12]", "half of it"),
        ),
        (
            lambda weights: weights.update({"model.layers.1.mlp.up_proj.weight": mx.zeros((20, 12), mx.bfloat16)}),
            ("'model.layers.1.mlp.up_proj.weight' holds BF16", "F32"),
        ),
    ],
    ids=["missing", "extra", "transposed", "half", "mixed types"],
)
def test_wrong_tensor_is_named(folder, change, needles):
    rewrite(folder, change)
    with pytest.raises(DrafterError) as error:
        spec_of(folder)
    assert all(needle in str(error.value) for needle in needles), error.value


@pytest.mark.parametrize("missing", [CENTROIDS, ORDERING])
def test_half_of_a_centroid_head_is_named(tmp_path, missing):
    folder = write_drafter(tmp_path / "drafter", "centroid", "inside")
    rewrite(folder, lambda weights: weights.pop(missing))
    with pytest.raises(DrafterError, match="masked_embedding"):
        spec_of(folder)


def test_ordering_that_holds_no_ids_is_named(tmp_path):
    folder = write_drafter(tmp_path / "drafter", "centroid", "inside")
    rewrite(folder, lambda weights: weights.update({ORDERING: weights[ORDERING].astype(mx.bfloat16)}))
    with pytest.raises(DrafterError, match="token_ordering' holds BF16 and must hold I16"):
        spec_of(folder)


@pytest.mark.parametrize("changes", [{"num_centroids": 7}, {"centroid_intermediate_top_k": 9}])
def test_centroids_that_do_not_divide_the_tokens_are_told(tmp_path, changes):
    folder = write_drafter(tmp_path / "drafter", "centroid", "inside", **changes)
    with pytest.raises(DrafterError, match="centroids"):
        spec_of(folder)


@pytest.mark.parametrize("model_type", ["gemma5_assistant", "", None, 3])
def test_unknown_model_type_is_named(tmp_path, model_type):
    folder = write_drafter(tmp_path / "drafter", "dense", "inside", model_type=model_type)
    assert not recognises(read_files(folder))
    with pytest.raises(DrafterError, match="gemma4_unified_assistant") as error:
        spec_of(folder)
    assert repr(model_type) in str(error.value)


@pytest.mark.parametrize("field", ["hidden_size", "intermediate_size", "num_attention_heads", "head_dim", "vocab_size"])
@pytest.mark.parametrize("value", [None, 0, "12"])
def test_wrong_field_is_named(folder, field, value):
    configure(folder, **{field: value})
    with pytest.raises(DrafterError, match=field):
        spec_of(folder)


@pytest.mark.parametrize("value", [-1, 0, "x", [1e-6], {}, float("inf"), float("nan"), 10**400])
def test_epsilon_that_cannot_be_computed_with_is_named(folder, value):
    configure(folder, rms_norm_eps=value)
    with pytest.raises(DrafterError, match=r"rms_norm_eps is .*; it must be a finite number above 0"):
        spec_of(folder)


@pytest.mark.parametrize("value", [-1, "4", True, 10**9])
def test_block_size_that_is_no_count_of_tokens_is_named(tmp_path, value):
    with pytest.raises(DrafterError, match="block_size is"):
        spec_of(write_drafter(tmp_path / "drafter", "dense", "inside", block_size=value))


@pytest.mark.parametrize("kinds", [None, [], ["full_attention"], ["sliding_attention", "linear_attention", FULL]])
def test_wrong_kinds_of_layers_are_named(folder, kinds):
    configure(folder, layer_types=kinds)
    with pytest.raises(DrafterError, match="layer_types"):
        spec_of(folder)


@pytest.mark.parametrize("full", [None, {}, {"rope_type": "yarn", "rope_theta": 1e6}, {"rope_type": "default"}])
def test_rope_that_is_not_gemmas_is_named(folder, full):
    configure(folder, rope_parameters={SLIDING: {"rope_type": "default", "rope_theta": 1e4}, FULL: full})
    with pytest.raises(DrafterError, match=r"rope_parameters has .* 'full_attention'"):
        spec_of(folder)


def test_rope_that_turns_more_than_a_head_is_named(folder):
    full = {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 1.5}
    configure(folder, rope_parameters={SLIDING: {"rope_type": "default", "rope_theta": 1e4}, FULL: full})
    with pytest.raises(DrafterError, match=r"partial_rotary_factor is 1\.5"):
        spec_of(folder)


def test_target_without_donors_is_told_the_port(folder):
    with pytest.raises(DrafterError, match=r"'donors' of its target.* 'llama'"):
        spec_of(folder, target_shape("llama"))


@pytest.mark.parametrize(
    ("changes", "needle"),
    [
        ({"layer_types": [SLIDING] * 3 + [FULL]}, "no layer of the model keeps keys of that kind"),
        ({"global_head_dim": 32}, "heads hold 16 numbers, and the model's 32"),
        ({"head_dim": 16}, "heads hold 8 numbers, and the model's 16"),
        ({"num_key_value_heads": 3}, "its 4 heads cannot share the 3"),
        ({"sliding_window": 8}, "its window is 16 tokens, and the model's 8"),
    ],
)
def test_target_whose_keys_do_not_fit_is_told_why(folder, changes, needle):
    with pytest.raises(DrafterError, match=needle):
        spec_of(folder, target_shape(**changes))


@pytest.mark.parametrize("kinds", [True, 5, "full_attention", {"full_attention": 1}, None])
def test_target_whose_kinds_of_layers_are_no_list_has_no_donors(folder, kinds):
    with pytest.raises(DrafterError, match="keys and values of a Gemma 4"):
        spec_of(folder, target_shape(layer_types=kinds))


@pytest.mark.parametrize("changes", [{"num_kv_shared_layers": "2"}, {"head_dim": None}, {"attention_k_eq_v": "no"}])
def test_field_of_the_target_that_is_wrong_is_named(folder, changes):
    (name,) = changes
    with pytest.raises(DrafterError, match=rf"{name} is .* in the model's config\.json"):
        spec_of(folder, target_shape(**changes))


def test_target_that_shares_no_keys_fits(folder):
    assert spec_of(folder, target_shape(num_kv_shared_layers=0)).tap_layers == (4,)
