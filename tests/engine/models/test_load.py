"""Loading in slices: the weights that mlx-lm reads, in the type that is asked for."""

from __future__ import annotations

import json
import os

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model, quantize_model, save_model

from engine.models.errors import ModelError
from engine.models.facts import read_facts
from engine.models.load import choose_fp32, load_steps
from tests.engine.drafters.tiny_mtp import FILE, tiny_mtp
from tests.engine.tiny import tiny_config, tiny_folder, tiny_model, write_json

IDS = mx.array([[3, 1, 4, 100, 258]])


def load(folder, as_fp32=False):
    steps = load_steps(read_facts(str(folder), folder), as_fp32=as_fp32)
    seen = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return end.value, seen


def quantise(folder, model_type="llama", dtype=mx.bfloat16):
    """Replace the weights of a tiny folder by 4-bit ones with scales of 16 bits."""
    changes = {"hidden_size": 64, "intermediate_size": 64, "moe_intermediate_size": 64}
    tiny_folder(folder, model_type, **changes)
    model = tiny_model(model_type, vocab_size=259, **changes)
    model.set_dtype(dtype)
    model, config = quantize_model(model, tiny_config(model_type, 259, **changes), 32, 4)
    (folder / "model.safetensors").unlink()
    save_model(folder, model)
    write_json(folder / "config.json", config)
    return folder


def test_plain_model_is_loaded_as_written(folder):
    loaded, seen = load(folder)
    assert mx.array_equal(loaded.model(IDS), tiny_model("llama", vocab_size=259)(IDS)).item()
    total = loaded.facts.weight_bytes
    assert (seen[0], seen[-1]) == ((0, total), (total, total))


@pytest.mark.parametrize("model_type", ["llama", "qwen3_moe"])
def test_fp32_form_of_a_quantised_model_gives_its_logits(tmp_path, model_type):
    folder = quantise(tmp_path / "q", model_type)
    kept, dense = load(folder)[0], load(folder, as_fp32=True)[0]
    assert not any(hasattr(module, "bits") for _, module in dense.model.named_modules())
    assert {array.dtype for _, array in tree_flatten(dense.model.parameters())} == {mx.float32}
    assert mx.allclose(dense.model(IDS), kept.model(IDS), rtol=1e-3, atol=1e-3).item()


def test_quantised_model_on_the_cpu_keeps_its_bits_and_computes_in_fp32(tmp_path):
    loaded, _ = load(quantise(tmp_path / "q"))
    layer = loaded.model.model.layers[0].self_attn.q_proj
    assert isinstance(layer, nn.QuantizedLinear)
    assert loaded.model(IDS).dtype == mx.float32
    assert loaded.facts.kv_bytes_per_token == read_facts("", tmp_path / "q").kv_bytes_per_token
    assert loaded.facts.quantisation == "4-bit"


def test_every_weight_is_in_memory_after_loading(folder):
    loaded, _ = load(folder)
    expected = tiny_model("llama", vocab_size=259)(IDS)
    (folder / "model.safetensors").write_bytes(b"")
    assert mx.array_equal(loaded.model(IDS), expected).item()


def test_o49_path_with_other_letters_and_pattern_characters_loads(tmp_path):
    loaded, _ = load(tiny_folder(tmp_path / "模型 é [1]*" / "мо дель"))
    assert loaded.facts.name == "мо дель"


def test_o51_read_only_folder_loads_and_is_left_as_it_was(folder):
    before = sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir())
    for path in [*folder.iterdir(), folder]:
        path.chmod(0o555)
    load(folder, as_fp32=True)
    assert sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir()) == before
    folder.chmod(0o755)


def test_weights_that_do_not_fit_the_config_are_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    facts = read_facts("", folder)
    write_json(folder / "config.json", config | {"num_hidden_layers": 3})
    with pytest.raises(ModelError, match="mlx-lm cannot load"):
        list(load_steps(facts, as_fp32=False))


def test_weights_that_are_replaced_while_they_are_loaded_are_refused_with_the_folder_s_name(folder, tmp_path):
    other = tiny_folder(tmp_path / "other", seed=5)
    facts = read_facts(str(folder), folder)
    steps = load_steps(facts, as_fp32=False)
    while next(steps) != (facts.weight_bytes, facts.weight_bytes):
        pass
    os.replace(other / "model.safetensors", folder / "model.safetensors")
    with pytest.raises(ModelError, match=f"{folder.name}' changed while it was loaded; load it again"):
        next(steps)


def test_choice_of_fp32_can_be_made_for_any_folder(folder):
    assert choose_fp32(read_facts("", folder)) in (True, False)


def test_o52_model_file_is_not_run_where_facts_were_read_before_it_came(folder, tmp_path):
    facts = read_facts("", folder)
    marker = tmp_path / "marker"
    (folder / "own.py").write_text(f"open({str(marker)!r}, 'w')")
    config = json.loads((folder / "config.json").read_text())
    write_json(folder / "config.json", config | {"model_file": "own.py"})
    with pytest.raises(ModelError, match="custom module"):
        list(load_steps(facts, as_fp32=False))
    assert not marker.exists()


def test_quantised_folder_loads_with_mlx_lm_too(tmp_path):
    model, _ = load_model(quantise(tmp_path / "q", dtype=mx.float32))
    assert mx.allclose(model(IDS), load(tmp_path / "q")[0].model(IDS), atol=1e-4).item()


@pytest.mark.parametrize("model_type", ["qwen3_next", "qwen3_5", "glm4_moe", "deepseek_v3"])
def test_model_that_carries_an_mtp_head_loads_without_it(tmp_path, model_type):
    folder = tiny_folder(tmp_path / "model", model_type)
    before, _ = load(folder)
    head = mx.load(str(tiny_mtp(tmp_path / "head", folder) / FILE))
    own = mx.load(str(folder / "model.safetensors"))
    mx.save_safetensors(str(folder / "model.safetensors"), own | head, {"format": "mlx"})
    after, _ = load(folder)
    assert type(after.model) is type(before.model)
    assert mx.array_equal(after.model(IDS), before.model(IDS))
