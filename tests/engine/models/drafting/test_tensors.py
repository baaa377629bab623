"""A drafter's headers are read and held against what its kind needs; what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.models.drafting.files import DrafterFiles, Packing, read_files
from engine.models.drafting.tensors import check_tensors, num_bytes_of, quantisation_of
from engine.models.errors import DrafterError
from tests.engine.tiny import write_json

EXPECTED = {"fc.weight": (8, 64), "head.weight": (32, 64), "norm.weight": (64,)}


def written(folder: Path, config: dict[str, object] | None = None, **changes: mx.array | None) -> DrafterFiles:
    """A folder with the expected tensors in bf16; a change of None leaves one out."""
    folder.mkdir(exist_ok=True)
    write_json(folder / "config.json", config or {})
    arrays = {name: mx.zeros(shape, dtype=mx.bfloat16) for name, shape in EXPECTED.items()}
    arrays |= {name.replace("__", "."): array for name, array in changes.items()}
    mx.save_safetensors(
        str(folder / "drafter.safetensors"), {name: array for name, array in arrays.items() if array is not None}
    )
    return read_files(folder)


def zeros(*shape: int, dtype: mx.Dtype = mx.bfloat16) -> mx.array:
    return mx.zeros(shape, dtype=dtype)


def packed(bits: int, group_size: int) -> dict[str, mx.array]:
    parts = mx.quantize(mx.random.normal((32, 64)), group_size, bits)
    return dict(zip(("head__weight", "head__scales", "head__biases"), parts, strict=True))


def test_whole_checkpoint_is_taken(tmp_path):
    files = written(tmp_path)
    check_tensors(files, EXPECTED)
    assert quantisation_of(files, EXPECTED) == "bf16"
    assert num_bytes_of(files, ["fc.weight", "norm.weight"]) == 2 * (8 * 64 + 64)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fc__weight": None}, ["'fc.weight'", r"\[8, 64\]", "missing"]),
        ({"extra__weight": zeros(3, 3)}, ["nothing is known", "'extra.weight'"]),
        ({"fc__weight": zeros(64, 8)}, ["'fc.weight'", r"\[64, 8\]", "transposed"]),
        ({"fc__weight": zeros(8, 32)}, ["'fc.weight'", "half of it"]),
        ({"norm__weight": zeros(32)}, ["'norm.weight'", r"must be \[64\]"]),
        ({"fc__weight": zeros(8, 64, dtype=mx.float16)}, ["'head.weight'", "BF16", "'fc.weight'", "F16"]),
        ({"fc__weight": zeros(8, 64, dtype=mx.int32)}, ["'fc.weight'", "I32"]),
        ({"norm__weight": zeros(64, dtype=mx.int32)}, ["'norm.weight'", "holds I32 and must hold BF16"]),
        ({"norm__weight": zeros(64, dtype=mx.uint8)}, ["'norm.weight'", "holds U8"]),
    ],
)
def test_wrong_tensor_is_named(tmp_path, changes, words):
    files = written(tmp_path, **changes)
    with pytest.raises(DrafterError, match=".*".join(words)):
        check_tensors(files, EXPECTED)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.bool_])
def test_ids_must_be_whole_numbers(tmp_path, dtype):
    check_tensors(written(tmp_path / "good", d2t=zeros(5, dtype=mx.int64)), {**EXPECTED, "d2t": (5,)})
    with pytest.raises(DrafterError, match=r"'d2t' holds .* and must hold I16, I32, I64"):
        check_tensors(written(tmp_path / "bad", d2t=zeros(5, dtype=dtype)), {**EXPECTED, "d2t": (5,)})


def test_whole_files_of_an_unknown_format_are_not_called_damaged(tmp_path):
    config = {"quantization_config": {"quant_method": "compressed-tensors", "bits": 4}}
    files = written(tmp_path, config, fc__weight=None, fc__weight_packed=zeros(8, 8), fc__weight_scale=zeros(8, 1))
    with pytest.raises(DrafterError) as refusal:
        check_tensors(files, EXPECTED)
    for words in ("'fc.weight_packed' [8, 8]", "'fc.weight' [8, 64] is missing", "packed by 'compressed-tensors'"):
        assert words in str(refusal.value)
    assert "download" not in str(refusal.value)
    assert "damaged" not in str(refusal.value)


def test_ignored_tensors_may_be_there(tmp_path):
    check_tensors(written(tmp_path, extra__weight=zeros(3, 3)), EXPECTED, ignored=[r"extra\..*"])


@pytest.mark.parametrize(("bits", "group_size"), [(4, 64), (8, 32)])
def test_packed_matrix_stands_for_a_plain_one(tmp_path, bits, group_size):
    files = written(tmp_path, {"quantization": {"bits": bits, "group_size": group_size}}, **packed(bits, group_size))
    check_tensors(files, EXPECTED)
    assert files.packing("head") == Packing(group_size, bits)
    assert quantisation_of(files, ["head.weight"]) == f"{bits}-bit"


def test_packing_may_be_a_modules_own(tmp_path):
    config = {"quantization": {"bits": 4, "group_size": 64, "head": {"bits": 8, "group_size": 32}}}
    check_tensors(written(tmp_path, config, **packed(8, 32)), EXPECTED)


def test_packed_matrix_of_other_bits_than_the_config_says_is_named(tmp_path):
    files = written(tmp_path, {"quantization": {"bits": 4, "group_size": 32}}, **packed(8, 32))
    with pytest.raises(DrafterError, match=r"'head\.weight' is \[32, 16\] and must be \[32, 8\] for 4 bits"):
        check_tensors(files, EXPECTED)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bits": "4"}, "bits is '4'"),
        ({"bits": 7}, "bits is 7 .* one of: 4, 2, 3, 5, 6, 8"),
        ({"group_size": 16}, "group_size is 16 .* one of: 64, 32, 128"),
        ({"group_size": 10**400}, "group_size is 1000"),
        ({"mode": "foo"}, "mode is 'foo' .* 'affine' or 'mxfp4'"),
        ({"mode": "mxfp4", "bits": 8, "group_size": 32}, "bits is 8 .* one of: 4"),
        ({"head": "yes"}, "head is 'yes' .* an object"),
        ("yes", "quantization is 'yes' .* an object"),
    ],
)
def test_packing_that_mlx_has_not_is_refused(tmp_path, settings, words):
    config = {"quantization": {"bits": 4, "group_size": 64} | settings if isinstance(settings, dict) else settings}
    with pytest.raises(DrafterError, match=words):
        check_tensors(written(tmp_path, config, **packed(4, 64)), EXPECTED)


@pytest.mark.parametrize("part", ["head__weight", "head__scales", "head__biases"])
def test_part_of_a_packed_matrix_with_another_type_is_named(tmp_path, part):
    parts = packed(4, 64)
    parts[part] = mx.zeros(parts[part].shape, dtype=mx.int32)
    files = written(tmp_path, {"quantization": {"bits": 4, "group_size": 64}}, **parts)
    with pytest.raises(DrafterError, match=rf"'{part.replace('__', '.')}' holds I32 and must hold"):
        check_tensors(files, EXPECTED)


def test_matrix_in_a_mode_of_its_own_sizes_is_taken(tmp_path):
    weight, scales = mx.quantize(mx.random.normal((32, 64)), mode="mxfp4")
    files = written(tmp_path, {"quantization": {"mode": "mxfp4"}}, head__weight=weight, head__scales=scales)
    check_tensors(files, EXPECTED)
    assert files.packing("head") == Packing(32, 4, "mxfp4")


def test_packed_matrix_without_its_biases_is_named(tmp_path):
    parts = {**packed(4, 32), "head__biases": None}
    files = written(tmp_path, {"quantization": {"bits": 4, "group_size": 32}}, **parts)
    with pytest.raises(DrafterError, match=r"'head\.biases' .* is missing"):
        check_tensors(files, EXPECTED)


def test_config_that_asks_for_code_is_read_and_no_code_is_run(tmp_path):
    assert written(tmp_path, {"auto_map": {"AutoModel": "evil.Model"}}).config["auto_map"]


def test_folder_without_weights_or_config_is_refused(tmp_path):
    write_json(tmp_path / "config.json", {})
    with pytest.raises(DrafterError, match="no weights found"):
        read_files(tmp_path)
    with pytest.raises(DrafterError, match=r"config\.json .* is missing"):
        read_files(tmp_path / "nowhere")


def test_tensor_in_two_files_of_a_model_is_refused_and_another_file_s_copy_is_not_read(tmp_path):
    written(tmp_path)
    mx.save_safetensors(str(tmp_path / "model-1.safetensors"), {"fc.weight": zeros(8, 64), "more": zeros(3, 3)})
    files = read_files(tmp_path)
    assert (files.where["fc.weight"].name, files.where["norm.weight"].name) == (
        "model-1.safetensors",
        "drafter.safetensors",
    )
    mx.save_safetensors(str(tmp_path / "model-2.safetensors"), {"more": zeros(3, 3)})
    with pytest.raises(DrafterError, match=r"'more' is both in model-1\.safetensors and in model-2\.safetensors"):
        read_files(tmp_path)


def test_copies_of_other_tools_beside_the_weights_are_not_read(tmp_path):
    written(tmp_path)
    (tmp_path / "drafter.safetensors").rename(tmp_path / "model.safetensors")
    mx.save_safetensors(str(tmp_path / "consolidated.safetensors"), {"fc.weight": zeros(8, 64)})
    (tmp_path / "._model.safetensors").write_bytes(b"\x00\x05\x16\x07 not tensors")
    check_tensors(read_files(tmp_path), EXPECTED)


def test_drafter_in_a_cache_is_named_by_its_repository(tmp_path):
    folder = tmp_path / "hub" / "models--z-lab--draft" / "snapshots" / "2d874ef7"
    folder.parent.mkdir(parents=True)
    assert written(folder).name == "z-lab/draft"


def test_weights_in_another_format_are_named(tmp_path):
    write_json(tmp_path / "config.json", {})
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(DrafterError, match=r"found pytorch_model\.bin, which is not read.*safetensors"):
        read_files(tmp_path)
