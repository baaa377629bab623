"""What layers hold, for whoever attends to them beside the model: committed tokens of each row, and no other."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.donors import find_donors, read_donors
from engine.kv.rows import open_rows
from engine.kv.state import HeldTokens
from engine.messages import UNQUANTISED, KvScheme
from engine.structure import Structure
from tests.engine.tiny import tiny_model

WINDOW = 16
TEXTS = ([3, 1, 4, 1, 5, 9, 2, 6] * 4, [2, 7, 1, 8, 2])


def by_position(held: HeldTokens, row: int) -> dict[int, mx.array]:
    """Keys and values side by side of every position that a row holds."""
    both = mx.concatenate([held.keys[row], held.values[row]], axis=-1)
    return {position: both[:, column] for column, position in enumerate(held.positions[row].tolist()) if position >= 0}


def filled(model_type: str, texts: list[list[int]], kv: KvScheme = UNQUANTISED, **changes: object):
    """Rows that read their texts in forwards of 3 tokens, of which the last is rejected each time."""
    model = tiny_model(model_type, **changes)
    rows = open_rows(model, 4, kv)
    rows.prepare_append([None] * len(texts)).commit()
    done = [0] * len(texts)
    while any(count < len(text) for count, text in zip(done, texts, strict=True)):
        windows = [[*text[count : count + 2], 60, 60, 60][:3] for count, text in zip(done, texts, strict=True)]
        rows.begin(3)
        model(mx.array(windows), cache=rows.layers)
        kept = [min(2, len(text) - count) for count, text in zip(done, texts, strict=True)]
        rows.commit(kept)
        done = [count + more for count, more in zip(done, kept, strict=True)]
    return model, rows


@pytest.mark.parametrize("layer", [0, 1], ids=["window", "full"])
def test_ragged_rows_hold_what_each_holds_alone(layer):
    texts = [list(text) for text in TEXTS]
    _, rows = filled("gemma3_text", texts)
    for row, text in enumerate(texts):
        _, alone = filled("gemma3_text", [text])
        found, wanted = by_position(rows.layers[layer].held(), row), by_position(alone.layers[layer].held(), 0)
        first = max(0, len(text) - WINDOW) if layer == 0 else 0
        assert sorted(found) == sorted(wanted) == list(range(first, len(text)))
        assert all(mx.allclose(found[position], wanted[position], atol=1e-4) for position in found)


def test_rows_that_have_read_nothing_hold_nothing():
    model = tiny_model("gemma3_text")
    rows = open_rows(model, 4)
    rows.prepare_append([None]).commit()
    assert [layer.held() for layer in rows.layers] == [None, None]


def test_row_beside_one_that_was_never_read_holds_its_own():
    _, rows = filled("gemma3_text", [list(TEXTS[0])])
    rows.prepare_append([None]).commit()
    for layer in rows.layers:
        held = layer.held()
        assert held.keys.shape[0] == held.positions.shape[0] == 2
        assert max(held.positions[1].tolist()) < 0


@pytest.mark.parametrize("start", [0, 10, 100])
def test_quantised_keys_are_held_unpacked_and_exact_before_the_start(start):
    text = [list(TEXTS[0])]
    _, exact = filled("llama", text, head_dim=32)
    _, quantised = filled("llama", text, KvScheme(8, 32, start=start), head_dim=32)
    wanted, found = (by_position(rows.layers[0].held(), 0) for rows in (exact, quantised))
    assert sorted(found) == sorted(wanted)
    errors = [mx.abs(found[position] - wanted[position]).max().item() for position in sorted(found)]
    assert max(errors) < 0.1
    if start == 100:
        assert max(errors) == 0.0
    if start == 10:
        assert max(errors[:start]) == 0.0 or quantised.layers[0].held().keys.dtype == mx.float32


def test_donors_are_the_last_layers_with_keys_of_their_own():
    model, rows = filled("gemma4_text", [list(text) for text in TEXTS])
    layers = find_donors(Structure(model, "gemma4_text"))
    assert layers == {"sliding_attention": (0, WINDOW), "full_attention": (1, None)}
    donors = read_donors(layers, rows)
    assert donors["full_attention"].positions.max(axis=1).tolist() == [len(text) - 1 for text in TEXTS]
    assert donors["sliding_attention"].window == WINDOW


def test_target_without_shared_layers_has_no_donors():
    for name in ("llama", "gemma3_text", "gpt_oss", "qwen3_5"):
        assert find_donors(Structure(tiny_model(name), name)) == {}
