"""Every published form of a head's tensors gives the same head."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.drafters.mtp.model import MtpModel
from engine.drafters.mtp.weights import fill_head, from_blocks
from engine.messages import Progress
from engine.models.drafting.files import read_files
from engine.models.drafting.mtp import read_spec, recognises
from engine.models.errors import DrafterError
from engine.models.safetensors_file import write_arrays
from tests.engine.drafters.mtp.goldens import Golden, open_head, read_golden
from tests.engine.drafters.mtp.sidecars import SIDECARS, sidecar
from tests.engine.tiny import write_json

GROUP_SIZE = 32


def output_of(folder: Path, golden: Golden) -> mx.array:
    return open_head(folder)(golden.embeddings[:, :-1], golden.hidden)


def difference(actual: mx.array, expected: mx.array) -> float:
    return mx.abs(actual - expected).max().item()


@pytest.mark.parametrize("model_type", sorted(SIDECARS))
def test_folder_of_the_head_alone_gives_the_published_head(model_type, tmp_path):
    golden = sidecar(read_golden(model_type))
    files = read_files(golden.write(tmp_path))
    spec = read_spec(files, None)
    assert recognises(files)
    assert (spec.block_size, spec.model_type, spec.is_zero_centred) == (3, model_type, False)
    assert difference(output_of(tmp_path, golden), golden.output) < 1e-4


def packed(golden: Golden, bits: int) -> tuple[Golden, Golden]:
    """A golden with every matrix packed that can be, and one with what the packed ones stand for."""
    whole, plain = dict(golden.tensors), dict(golden.tensors)
    for name, array in golden.tensors.items():
        if array.ndim < 2 or array.shape[-1] % GROUP_SIZE or name.endswith("mlp.gate.weight"):
            continue
        module = name.removesuffix(".weight")
        parts = mx.quantize(array, GROUP_SIZE, bits)
        whole |= dict(zip((name, f"{module}.scales", f"{module}.biases"), parts, strict=True))
        plain[name] = mx.dequantize(*parts, GROUP_SIZE, bits)
    config = golden.config | {"quantization": {"group_size": GROUP_SIZE, "bits": bits}}
    return replace(golden, tensors=whole, config=config), replace(golden, tensors=plain)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("model_type", ["qwen3_5_moe", "glm_moe_dsa", "glm4_moe_lite"])
def test_packed_matrices_stay_packed_and_give_what_they_stand_for(model_type, bits, tmp_path):
    whole, plain = packed(sidecar(read_golden(model_type)), bits)
    whole.write(tmp_path / "packed")
    assert "scales" in open_head(tmp_path / "packed").eh_proj
    expected = output_of(plain.write(tmp_path / "plain"), plain)
    assert difference(output_of(tmp_path / "packed", whole), expected) < 1e-4


def test_packed_projection_of_latents_is_split_into_plain_parts(tmp_path):
    golden = read_golden("deepseek_v3")
    name = next(name for name in golden.tensors if name.endswith("kv_b_proj.weight"))
    other = next(name for name in golden.tensors if name.endswith("kv_a_proj_with_mqa.weight"))
    norm = other.replace("proj_with_mqa", "layernorm")
    wide = {name: mx.random.normal((80, 32)), other: mx.random.normal((40, 32)), norm: mx.ones((32,))}
    golden = replace(golden, config=golden.config | {"kv_lora_rank": 32}, tensors=golden.tensors | wide)
    whole, plain = packed(golden, 8)
    assert whole.tensors[name].dtype == mx.uint32
    expected = output_of(plain.write(tmp_path / "plain"), plain)
    assert difference(output_of(whole.write(tmp_path / "packed"), whole), expected) < 1e-4


def test_eight_bit_floats_are_multiplied_by_the_factor_of_their_block():
    packed, scales = mx.to_fp8(mx.random.normal((130, 200))), mx.array([[1.0, 2.0], [4.0, 8.0]])
    plain, numbers = from_blocks(packed, scales, mx.float32), mx.from_fp8(packed, dtype=mx.float32)
    for rows, columns, factor in ((slice(128), slice(128), 1), (slice(128, 130), slice(128, 200), 8)):
        assert mx.array_equal(plain[rows, columns], factor * numbers[rows, columns])


def write_fp8(golden: Golden, folder: Path, scale_shape: tuple[int, ...] = (1, 1)) -> Golden:
    """A folder whose matrices are 8-bit floats with a factor a block; returns what they stand for."""
    tensors, types, plain = {}, {}, {}
    for name, array in golden.tensors.items():
        is_packed = array.ndim == 2 and "gate.weight" not in name and "eh_proj" not in name
        tensors[name], types[name] = np.array(mx.to_fp8(4 * array) if is_packed else array), "F32"
        plain[name] = array
        if is_packed:
            types[name], types[f"{name}_scale_inv"] = "F8_E4M3", "F32"
            tensors[f"{name}_scale_inv"] = np.full(scale_shape, 0.25, dtype=np.float32)
            plain[name] = 0.25 * mx.from_fp8(mx.array(tensors[name]), dtype=mx.float32)
    folder.mkdir()
    write_json(folder / "config.json", golden.config | {"quantization_config": {"quant_method": "fp8"}})
    list(write_arrays(folder / "model.safetensors", tensors, types))
    return replace(golden, tensors=plain)


@pytest.mark.parametrize("model_type", ["deepseek_v3", "glm4_moe"])
def test_checkpoint_of_eight_bit_floats_gives_what_they_stand_for(model_type, tmp_path):
    plain = write_fp8(read_golden(model_type), tmp_path / "fp8")
    assert read_spec(read_files(tmp_path / "fp8"), None).quantisation == "fp8"
    expected = output_of(plain.write(tmp_path / "plain"), plain)
    assert difference(output_of(tmp_path / "fp8", plain), expected) < 1e-4


def test_factors_of_another_shape_are_refused(tmp_path):
    write_fp8(read_golden("glm4_moe"), tmp_path / "fp8", (2, 1))
    with pytest.raises(DrafterError, match=r"_scale_inv' is \[2, 1\] and must be \[1, 1\], one factor for 128 × 128"):
        read_spec(read_files(tmp_path / "fp8"), None)


def test_head_in_sixteen_bits_chooses_experts_in_fp32(tmp_path):
    head = open_head(read_golden("deepseek_v3").write(tmp_path), mx.bfloat16)
    gate = head.layers[0].mlp.gate
    assert (gate.e_score_correction_bias.dtype, gate.weight.dtype) == (mx.float32, mx.bfloat16)


def test_loading_tells_how_far_it_is_and_refuses_tensors_of_another_kind(tmp_path):
    files = read_files(read_golden("glm4_moe").write(tmp_path))
    spec = read_spec(files, None)
    assert isinstance(next(iter(fill_head(MtpModel(spec), spec, files, mx.float32))), Progress)
    with pytest.raises(DrafterError, match="does not have the tensors of its kind"):
        list(fill_head(MtpModel(replace(spec, has_experts=False)), spec, files, mx.float32))


def test_config_that_describes_no_layer_is_refused(tmp_path):
    golden = read_golden("glm4_moe")
    config = {name: value for name, value in golden.config.items() if name != "rope_theta"}
    spec = read_spec(read_files(replace(golden, config=config).write(tmp_path)), None)
    with pytest.raises(DrafterError, match=r"does not describe a layer of the type 'glm4_moe': .*rope_theta"):
        MtpModel(spec)
