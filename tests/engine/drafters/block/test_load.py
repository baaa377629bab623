"""Block drafters from their files: packed ones too, and pairs that cannot work are refused before they are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.messages import Failed
from tests.engine.drafters.block.pairs import HIDDEN
from tests.engine.drafters.tiny_block import tiny_dflash, tiny_dspark
from tests.engine.families import FAMILIES
from tests.engine.goldens import Golden, read_golden, write_golden
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_folder


def refusal(engine: Harness, target: Path, drafter: Path) -> str:
    engine.send(submit(1, target, "x", drafter=f"dflash:{drafter}"))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "drafter"
    return end.text


MISFITS: dict[str, dict[str, Any]] = {
    "trained for a target of 36 layers, and this model has 2": {"num_target_layers": 36},
    "it knows 300 tokens, and this model has 259": {"vocab_size": 300},
    "it reads a hidden size of 64, and this model's is 32": {"hidden_size": 64},
    "it reads the last layer (1)": {"dflash_config": {"target_layer_ids": [0, 1], "mask_token_id": 0, "block_size": 5}},
    "'selector_rank'": {"selector_rank": 8},
}


@pytest.mark.parametrize("words", MISFITS)
def test_pair_that_cannot_work_is_refused_with_the_reason(engine, target, tmp_path, words):
    drafter = tiny_dflash(tmp_path / "drafter", target, **MISFITS[words])
    assert words.replace("'", "") in refusal(engine, target, drafter).replace("'", "")


def test_map_that_leads_outside_of_the_vocabulary_is_refused(engine, tmp_path):
    golden = read_golden("block_speculators_dspark")
    weights = golden.weights | {"d2t": golden.weights["d2t"] + 20}
    drafter = write_golden(tmp_path / "drafter", Golden(golden.config, weights, {}))
    target = tiny_folder(tmp_path / "target", letters="abcdefghijklmnopqrstu", hidden_size=16, num_hidden_layers=6)
    assert "'d2t'" in refusal(engine, target, drafter)


def test_map_of_all_tokens_must_not_lead_to_others(engine, target, tmp_path):
    drafter = tiny_dflash(tmp_path, target)
    weights = mx.load(str(drafter / "model.safetensors"))
    mx.save_safetensors(str(drafter / "model.safetensors"), {**weights, "d2t": mx.ones(259, mx.int64)})
    assert "it drafts all tokens, and its tensor 'd2t' leads to others" in refusal(engine, target, drafter)


def test_drafter_with_the_names_of_a_whole_model_and_a_map_to_the_same_tokens_drafts(engine, folders, tmp_path):
    weights = mx.load(str(folders / "dspark" / "model.safetensors"))
    named = {f"model.{name}": array for name, array in weights.items() if not name.startswith("lm_head")}
    named |= {"lm_head.weight": weights["lm_head.weight"]}
    named["d2t"] = mx.zeros(len(weights["lm_head.weight"]), mx.int64)
    mx.save_safetensors(str(tmp_path / "model.safetensors"), named)
    (tmp_path / "config.json").write_bytes((folders / "dspark" / "config.json").read_bytes())
    engine.send(submit(1, folders / "target", "abc", drafter=f"dspark:{tmp_path}"))
    engine.run()
    assert engine.statistics_of(1).num_accepted == 33


@pytest.mark.parametrize("bits", [4, 8])
def test_packed_drafter_is_right_as_often(engine, folders, tmp_path, bits):
    weights = mx.load(str(folders / "dspark" / "model.safetensors"))
    config = (folders / "dspark" / "config.json").read_text(encoding="utf-8")
    packed: dict[str, mx.array] = {}
    for name, array in weights.items():
        if array.ndim == 2 and array.shape[1] == HIDDEN:
            parts = mx.quantize(array, 32, bits)
            packed |= {name.replace("weight", part): value for part, value in zip(PARTS, parts, strict=True)}
    mx.save_safetensors(str(tmp_path / "model.safetensors"), {**weights, **packed})
    quantised = config.replace("{", f'{{"quantization": {{"bits": {bits}, "group_size": 32}}, ', 1)
    (tmp_path / "config.json").write_text(quantised, encoding="utf-8")
    engine.send(submit(1, folders / "target", "abc", drafter=f"dspark:{tmp_path}"))
    engine.run()
    assert engine.statistics_of(1).num_accepted == 33


PARTS = ("weight", "scales", "biases")


@pytest.mark.parametrize("family", ["gemma3_text", "qwen3_next"])
def test_drafters_with_targets_of_other_states_change_no_token(engine, alone, tmp_path, family):
    target = tiny_folder(tmp_path / "target", family, **FAMILIES[family])
    names = [f"dflash:{tiny_dflash(tmp_path / 'dflash', target)}"]
    names += [f"dspark:{tiny_dspark(tmp_path / 'dspark', target, markov_head_type='rnn')}"]
    options = {"temperature": 0.8, "seed": 3, "max_tokens": 20}
    for index, name in enumerate(names):
        engine.send(submit(index, target, "one two three", drafter=name, **options))
    engine.run()
    for index in range(len(names)):
        assert engine.statistics_of(index).num_proposed > 20
        assert engine.ids_of(index) == alone("one two three", target, **options)
