"""Native MTP heads are found by headers, in the folder of their model or their own, and what is wrong is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.models.drafting.files import read_files
from engine.models.drafting.mtp import DEPTH, MtpSpec, read_spec, recognises
from engine.models.drafting.spec import EMBEDDING, HEAD, HIDDEN
from engine.models.errors import DrafterError
from engine.models.safetensors_file import write_arrays
from tests.engine.drafters.mtp.goldens import MODEL_TYPES, read_golden
from tests.engine.drafters.mtp.sidecars import sidecar
from tests.engine.tiny import tiny_folder

NEXT, QWEN = "model.layers.2.", "mtp."


def spec_of(folder: Path, model_type: str, tensors: dict[str, mx.array | None] | None = None, **fields: Any) -> MtpSpec:
    """The spec of a golden's folder in which some tensors or fields are others; None leaves a tensor out."""
    golden = read_golden(model_type)
    changed = {**golden.tensors, **(tensors or {})}
    kept = {name: array for name, array in changed.items() if array is not None}
    return read_spec(read_files(replace(golden, tensors=kept).write(folder, **fields)), None)


def zeros(*shape: int, dtype: mx.Dtype = mx.float32) -> mx.array:
    return mx.zeros(shape, dtype=dtype)


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_head_in_the_folder_of_its_model_is_known_by_its_headers(model_type, tmp_path):
    files = read_files(read_golden(model_type).write(tmp_path))
    spec = read_spec(files, None)
    layers = 4 if "qwen" in model_type else 2
    assert recognises(files)
    assert (spec.model_type, spec.hidden_size, spec.vocab_size, spec.num_target_layers) == (model_type, 32, 40, layers)
    assert (spec.tap_layers, spec.depth, spec.quantisation) == ((layers,), DEPTH, "fp32")
    assert spec.needs == {HIDDEN, EMBEDDING, HEAD}
    assert spec.weight_bytes == sum(info.num_bytes for info in files.tensors.values())
    assert spec.is_zero_centred == ("qwen" in model_type)


@pytest.mark.parametrize(
    ("model_type", "elements"), [("glm4_moe", 2 * 2 * 8), ("deepseek_v3", 16 + 8), ("glm_moe_dsa", 16 + 8 + 2 * 16)]
)
def test_memory_of_a_token_is_that_of_one_layer(model_type, elements, tmp_path):
    assert spec_of(tmp_path, model_type).kv_elements_per_token == elements


def test_the_rest_of_the_model_and_copies_of_its_own_are_left_alone(tmp_path):
    others = {
        "model.layers.0.self_attn.q_proj.weight": zeros(3, 3),
        "model.embed_tokens.weight": zeros(40, 32),
        f"{NEXT}embed_tokens.weight": zeros(40, 32),
        f"{NEXT}shared_head.head.weight": zeros(40, 32),
        f"{NEXT}self_attn.rotary_emb.inv_freq": zeros(4),
    }
    assert spec_of(tmp_path / "some", "glm4_moe", others).names == spec_of(tmp_path / "none", "glm4_moe").names


@pytest.mark.parametrize(
    ("form", "shape", "is_raw"),
    [
        ("pt", (8, 1, 4), True),
        ("pt", (8, 4, 1), True),  # an original file beside a converted model
        ("mlx", (8, 4, 1), False),
        ("", (8, 1, 4), True),
        ("", (8, 4, 1), False),
    ],
)
def test_norms_are_shifted_already_where_mlx_wrote_them(form, shape, is_raw, tmp_path):
    convolution = {"model.layers.0.linear_attn.conv1d.weight": zeros(*shape)}
    assert spec_of(tmp_path, "qwen3_5", convolution, form=form).is_zero_centred == is_raw


@pytest.mark.parametrize("settings", [{"bits": 4, "group_size": 32}, {"mode": "mxfp4"}])
@pytest.mark.parametrize("place", ["embed_tokens", "lm_head"])
def test_packed_copies_of_the_targets_own_are_left_alone(settings, place, tmp_path):
    plain = sidecar(read_golden("glm4_moe_lite"))
    parts = mx.quantize(zeros(40, 32), 32, 4, settings.get("mode", "affine"))
    copies = {
        f"model.{place}.{part}": array for part, array in zip(("weight", "scales", "biases"), parts, strict=False)
    }
    folder = replace(plain, tensors=plain.tensors | copies).write(tmp_path / "packed", quantization=settings)
    spec = read_spec(read_files(folder), None)
    assert spec.names == read_spec(read_files(plain.write(tmp_path / "plain")), None).names


@pytest.mark.parametrize("model_type", ["glm4_moe", "qwen3_5"])
def test_head_that_is_declared_and_not_there_is_refused(model_type, tmp_path):
    golden = read_golden(model_type)
    files = read_files(replace(golden, tensors={"model.norm.weight": zeros(32)}).write(tmp_path))
    assert not recognises(files)
    name = rf"{NEXT}eh_proj" if model_type == "glm4_moe" else rf"{QWEN}fc"
    with pytest.raises(DrafterError, match=rf"tells of 1 such layer, and the tensor '{name}\.weight' is not in its"):
        read_spec(files, None)


def test_model_of_a_type_without_heads_is_refused(tmp_path):
    files = read_files(tiny_folder(tmp_path / "tiny"))
    assert not recognises(files)
    with pytest.raises(DrafterError, match="model type 'llama' of 'tiny' is none that has native MTP here"):
        read_spec(files, None)


@pytest.mark.parametrize(
    ("model_type", "tensors", "words"),
    [
        ("glm4_moe", {f"{NEXT}enorm.weight": None}, [r"'model\.layers\.2\.enorm\.weight' \[32\] is missing"]),
        ("glm4_moe", {f"{NEXT}eh_proj.weight": zeros(64, 32)}, ["eh_proj", "transposed"]),
        ("glm4_moe", {f"{NEXT}eh_proj.weight": zeros(32, 32)}, ["eh_proj", "half of it"]),
        ("glm4_moe", {f"{NEXT}mlp.experts.3.up_proj.weight": None}, [r"experts\.3\.up_proj", "missing"]),
        ("glm4_moe", {f"{NEXT}mlp.extra.weight": zeros(3)}, ["nothing is known", r"mlp\.extra"]),
        ("glm_moe_dsa", {f"{NEXT}self_attn.indexer.wk.weight": None}, [r"indexer\.wk", "missing"]),
        ("deepseek_v3", {f"{NEXT}self_attn.kv_b_proj.weight": zeros(64, 16)}, ["kv_b_proj", r"must be \[80, 16\]"]),
        ("qwen3_5", {f"{QWEN}fc.weight": zeros(32, 64, dtype=mx.float16)}, ["F32", r"mtp\.fc\.weight", "F16"]),
        ("qwen3_5", {f"{QWEN}norm.weight": zeros(64)}, [r"mtp\.norm", r"must be \[32\]"]),
        ("qwen3_5_moe", {f"{QWEN}layers.0.mlp.experts.down_proj": None}, [r"experts\.down_proj", "missing"]),
    ],
)
def test_wrong_tensor_is_named(model_type, tensors, words, tmp_path):
    with pytest.raises(DrafterError, match=".*".join(words)):
        spec_of(tmp_path, model_type, tensors)


@pytest.mark.parametrize(
    ("model_type", "fields", "words"),
    [
        ("glm4_moe", {"hidden_size": None}, "hidden_size is None"),
        ("glm4_moe", {"moe_intermediate_size": 0}, "moe_intermediate_size is 0"),
        ("glm4_moe", {"num_nextn_predict_layers": 2}, r"has 2 MTP layers \(num_nextn_predict_layers\)"),
        ("deepseek_v3", {"kv_lora_rank": "16"}, "kv_lora_rank is '16'"),
        ("glm4_moe", {"num_hidden_layers": 3}, r"'model\.layers\.3\.eh_proj\.weight' is not in its files"),
        ("qwen3_5", {"mtp_num_hidden_layers": 4000}, r"is 4000, and no tensor begins with 'mtp\.layers\.1\.'"),
        ("qwen3_5", {"mtp_num_hidden_layers": 10**20}, "mtp_num_hidden_layers is 1000"),
        ("glm4_moe", {"n_routed_experts": 10**9}, "n_routed_experts is 1000000000"),
        ("glm4_moe", {"num_hidden_layers": "2"}, r"model\.layers\.0\.eh_proj"),
        ("glm4_moe", {"attention_bias": "false"}, "attention_bias is 'false'"),
        ("glm4_moe", {"rms_norm_eps": float("nan")}, "rms_norm_eps is nan"),
        ("glm4_moe", {"rope_parameters": {"rope_theta": -1.0}}, r"rope_theta is -1\.0"),
        ("glm4_moe", {"head_dim": "8"}, "head_dim is '8'"),
        ("glm4_moe", {"partial_rotary_factor": 2}, "partial_rotary_factor is 2"),
        ("qwen3_5", {"head_dim": 0}, "head_dim is 0"),
        ("glm4_moe", {"hidden_act": "gelu"}, "hidden_act is 'gelu' .* must be 'silu'"),
        ("deepseek_v3", {"topk_method": "greedy"}, "topk_method is 'greedy' .* must be 'noaux_tc'"),
        ("deepseek_v3", {"scoring_func": "softmax"}, "scoring_func is 'softmax'"),
        ("glm4_moe", {"num_experts_per_tok": 99}, "num_experts_per_tok is 99"),
        ("deepseek_v3", {"n_group": 3}, r"n_group is 3 .* a divisor of \d+ experts"),
        ("deepseek_v3", {"n_group": 1, "topk_group": 2}, "topk_group is 2"),
        ("glm4_moe", {"routed_scaling_factor": float("inf")}, "routed_scaling_factor is inf"),
        ("glm_moe_dsa", {"rope_parameters": {"rope_type": "x", "rope_theta": 1e4}}, "rope_type is 'x'"),
        ("glm_moe_dsa", {"index_topk": "x"}, "index_topk is 'x'"),
        ("qwen3_5", {"head_dim": 16}, r"q_proj\.weight' is \[64, 32\] and must be \[128, 32\]"),
    ],
)
def test_wrong_field_is_named(model_type, fields, words, tmp_path):
    with pytest.raises(DrafterError, match=words):
        spec_of(tmp_path, model_type, **fields)


@pytest.mark.parametrize("model_type", [[], {}, 5, True, None])
def test_model_type_that_is_no_text_is_none_of_a_head(model_type, tmp_path):
    assert not recognises(read_files(read_golden("glm4_moe").write(tmp_path, model_type=model_type)))


@pytest.mark.parametrize("shape", [(32,), (2, 4, 4)])
def test_eight_bit_floats_that_are_no_matrix_are_named(shape, tmp_path):
    name = f"{NEXT}mlp.experts.0.up_proj.weight"
    golden = read_golden("glm4_moe")
    tensors = {key: np.array(array) for key, array in golden.tensors.items()} | {name: np.zeros(shape, np.uint8)}
    types = dict.fromkeys(tensors, "F32") | {name: "F8_E4M3"}
    folder = golden.write(tmp_path)
    list(write_arrays(folder / "model.safetensors", tensors, types))
    with pytest.raises(DrafterError, match=r"experts\.0\.up_proj\.weight' is .*, and 8-bit floats must be a matrix"):
        read_spec(read_files(folder), None)


def test_router_and_indexer_may_be_kept_in_a_finer_type_than_the_rest(tmp_path):
    golden = read_golden("glm_moe_dsa")
    halved = {name: array.astype(mx.bfloat16) for name, array in golden.tensors.items() if array.ndim > 1}
    fine = {f"{NEXT}{name}.weight" for name in ("mlp.gate", "self_attn.indexer.weights_proj")}
    spec = spec_of(tmp_path, "glm_moe_dsa", {name: array for name, array in halved.items() if name not in fine})
    assert spec.quantisation == "bf16"
