"""What a row takes by its config is what its arrays take, for every family of layers."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest

from engine.kv.rows import open_rows
from engine.messages import KvScheme
from engine.models.architecture import language_config
from engine.models.memory import RowSize
from engine.models.state_size import layer_kinds, state_size
from engine.models.working_memory import working_memory
from tests.engine.families import FAMILIES
from tests.engine.tiny import tiny_config, tiny_model

FP32 = 4
UNTOLD = {"falcon_h1": 288, "lfm2": 64, "mamba2": 800, "rwkv7": 640}  # numbers of recurrent layers that are not counted
NUM_TOKENS = 512  # a multiple of the step in which rows grow


def read(model: Any, num_tokens: int, scheme: KvScheme, width: int = 128) -> Any:
    """The state of one row of so many tokens."""
    rows = open_rows(model, 1, scheme)
    rows.prepare_append([None]).commit()
    for _ in range(0, num_tokens, width):
        rows.begin(width, keeps_all=True)
        model(mx.zeros((1, width), dtype=mx.int32), cache=rows.layers)
        rows.evaluate()
        rows.commit([width])
    return rows


def size_of(model_type: str, **changes: Any) -> RowSize:
    config = language_config(tiny_config(model_type, **changes))
    return RowSize(state_size(config), FP32, working_memory(config, FP32))


@pytest.mark.parametrize("model_type", FAMILIES)
def test_row_takes_what_its_config_says(model_type):
    changes = {key: value for key, value in FAMILIES[model_type].items() if key != "seed"}
    rows = read(tiny_model(model_type, **changes), NUM_TOKENS, KvScheme())
    untold = FP32 * UNTOLD.get(model_type, 0)
    assert size_of(model_type, **changes).at(NUM_TOKENS) == rows.num_bytes - untold


@pytest.mark.parametrize("scheme", [KvScheme(8, 32), KvScheme(4, 32), KvScheme(4, 32, 256)])
def test_quantised_row_takes_what_its_scheme_says(scheme):
    shape = {"head_dim": 64, "num_attention_heads": 2}
    rows = read(tiny_model("llama", **shape), NUM_TOKENS, scheme)
    assert size_of("llama", **shape).at(NUM_TOKENS, scheme) >= rows.num_bytes * 0.9


@pytest.mark.parametrize(
    ("config", "kinds"),
    [
        ({"model_type": "gemma3_text", "sliding_window": 8, "sliding_window_pattern": 3}, "SSFS"),
        ({"model_type": "exaone4", "sliding_window": 8, "sliding_window_pattern": "LLG"}, "SSFS"),
        ({"model_type": "gpt_oss", "sliding_window": 8}, "SFSF"),
        ({"model_type": "qwen2", "sliding_window": 8, "layer_types": ["sliding_attention"] * 4}, "FFFF"),
        ({"model_type": "qwen3_next", "full_attention_interval": 2}, "LFLF"),
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "M-*E"}, "NNFN"),
        ({"model_type": "jamba", "attn_layer_period": 4, "attn_layer_offset": 2}, "NNFN"),
        ({"model_type": "gemma4_text", "num_kv_shared_layers": 2}, "FF"),
        ({"model_type": "rwkv7"}, "NNNN"),
    ],
)
def test_kinds_of_layers_are_found_however_the_config_tells_them(config, kinds):
    assert "".join(kind[0].upper() for kind in layer_kinds({"num_hidden_layers": 4, **config})) == kinds


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3, "hidden_size": 576}, 11520),
        ({"n_layer": 2, "n_head": 4, "n_embd": 32}, 2 * 2 * 32),
        ({"num_hidden_layers": 4, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "hidden_size": 64}, 4 * 24),
        (
            {
                "layer_types": ["linear_attention", "full_attention"],
                "num_attention_heads": 2,
                "head_dim": 8,
                "hidden_size": 16,
            },
            2 * 2 * 8,
        ),
    ],
)
def test_what_a_token_adds(config, expected):
    assert state_size(config).per_new_token == expected


@pytest.mark.parametrize("before", [0, 1024])
def test_working_memory_covers_a_forward_and_is_near_it(before):
    shape = {"hidden_size": 256, "intermediate_size": 1024, "num_attention_heads": 8, "head_dim": 64}
    shape |= {"max_position_embeddings": before + 512}
    model = tiny_model("llama", **shape)
    rows = read(model, before, KvScheme())
    mx.clear_cache()
    held, kept = mx.get_active_memory(), rows.num_bytes
    mx.reset_peak_memory()
    rows.begin(512, keeps_all=True)
    model(mx.zeros((1, 512), dtype=mx.int32), cache=rows.layers)
    rows.evaluate()
    rows.commit([512])
    needed = mx.get_peak_memory() - held - (rows.num_bytes - kept)
    assert needed <= size_of("llama", **shape).working_bytes <= 2 * needed
