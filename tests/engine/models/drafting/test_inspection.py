"""Inspection: what drafts from a folder, for which target, and what it takes, told without loading anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.amounts import write_size
from engine.messages import DrafterFacts
from engine.models.drafting.inspection import (
    ITSELF,
    NO_MTP,
    NO_THINKING,
    describe_drafter,
    inspect_drafter,
    read_model,
)
from engine.models.errors import ModelError
from engine.models.facts import read_facts
from tests.engine.goldens import read_golden, write_golden
from tests.engine.models.drafting.published import write_published
from tests.engine.tiny import tiny_config, tiny_folder, write_json, write_tiny_tokenizer

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789A"  # with three control tokens as many as the goldens' heads know

# Kind; hidden size, layers and tokens of the target; tokens it proposes; layers it reads; its weights and what it keeps
# of a token.
PUBLISHED: dict[str, tuple[Any, ...]] = {
    "gemma-4-12B-it-assistant": ("assistant", 3840, 0, 262144, 3, (), "846 MB", 0),
    "Qwen3-4B-DFlash-b16": ("dflash", 2560, 36, 151936, 15, (1, 9, 17, 25, 33), "1.1 GB", 20480),
    "Qwen3.5-4B-DFlash": ("dflash", 2560, 32, 248320, 15, (1, 5, 9, 13, 17, 21, 25, 29), "1.3 GB", 4096),
    "dflash_qwen3_4b_block7": ("dflash", 2560, 36, 151936, 7, (1, 9, 17, 25, 33), "2.6 GB", 20480),
    "dspark_qwen3_4b_block7": ("dspark", 2560, 36, 151936, 7, (1, 9, 17, 25, 33), "2.8 GB", 20480),
    "dspark_gemma4_12b_block7": ("dspark", 3840, 48, 262144, 7, (1, 12, 23, 34, 45), "6.9 GB", 10240),
    "eagle3_qwen3_4b_ttt7": ("eagle3", 2560, 36, 151936, 7, (1, 9, 17, 25, 33), "1.9 GB", 4096),
    "Qwen3-8B-speculator.eagle3": ("eagle3", 4096, 0, 151936, 3, (1, 17, 32), "2.0 GB", 4096),
    "Qwen3-8B-speculator.dflash": ("dflash", 4096, 0, 151936, 7, (1, 9, 17, 25, 33), "3.6 GB", 20480),
    "gemma-4-E2B-it-assistant": ("assistant", 1536, 0, 262144, 3, (), "158 MB", 0),
    "gpt-oss-20b-DFlash": ("dflash", 2880, 24, 201088, 7, (1, 6, 11, 16, 21), "1.6 GB", 16384),
    "LFM2-8B-A1B-DSpark": ("dspark", 2048, 30, 128000, 9, (2, 9, 17, 21, 27), "655 MB", 10240),
    "Qwen3.8-27B-DSpark": ("dspark", 5120, 64, 248320, 7, (4, 16, 28, 40, 52), "2.7 GB", 20480),
    "eagle3_gemma4_12b_ttt7": ("eagle3", 3840, 48, 262144, 7, (1, 12, 23, 34, 45), "4.7 GB", 2048),
    "EAGLE3-gpt-oss-20b": ("eagle3", 2880, 0, 201088, 4, (), "449 MB", 2048),
    "GLM-4.7-Flash-MTP-4bit": ("mtp", 2048, 47, 154880, 4, (47,), "362 MB", 1152),
    "Qwen3.5-4B": ("mtp", 2560, 32, 248320, 4, (32,), "241 MB", 4096),
    "Qwen3.5-4B-MTP-4bit": ("mtp", 2560, 32, 248320, 4, (32,), "68 MB", 4096),
    "GLM-4.5-Air": ("mtp", 4096, 46, 151552, 4, (46,), "4.8 GB", 4096),
    "GLM-5.2": ("mtp", 6144, 78, 154880, 4, (78,), "20 GB", 1664),
}
QUANTISED = dict.fromkeys(("Qwen3.5-4B-MTP-4bit", "GLM-4.7-Flash-MTP-4bit"), "4-bit")


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target that the goldens' heads fit."""
    folder = tmp_path_factory.mktemp("models") / "target"
    return tiny_folder(folder, letters=LETTERS, hidden_size=16, num_hidden_layers=8)


def inspect(folder: Path, target: Path | None = None) -> DrafterFacts:
    return inspect_drafter(str(folder), folder, read_facts(str(target), target) if target else None)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_drafter_is_told_by_its_headers(tmp_path, name):
    folder = write_published(name, tmp_path)
    facts = inspect(folder)
    kind, hidden_size, num_layers, vocab_size, depth, taps, weights, kv_bytes = PUBLISHED[name]
    assert (facts.kind, facts.drafter, facts.refusal) == (kind, f"{kind}:{folder}", "")
    assert (facts.hidden_size, facts.num_target_layers, facts.vocab_size) == (hidden_size, num_layers, vocab_size)
    assert (facts.depth, facts.tap_layers, facts.quantisation) == (depth, taps, QUANTISED.get(name, "bf16"))
    assert (write_size(facts.weight_bytes), facts.kv_bytes_per_token) == (weights, kv_bytes)


def test_head_that_was_trained_without_thinking_says_so(tmp_path):
    facts = inspect(write_published("eagle3_qwen3_4b_ttt7", tmp_path))
    assert (facts.thinks, facts.made_for, facts.notes) == (False, "Qwen/Qwen3-4B", (NO_THINKING,))


def test_model_with_an_mtp_head_is_told_from_one_that_declares_it_only(tmp_path):
    whole, quantised = (write_published(name, tmp_path) for name in ("Qwen3.5-4B", "Qwen3.5-4B-4bit"))
    for folder in (whole, quantised):
        write_tiny_tokenizer(folder)
    head, model = inspect(whole), inspect(quantised)
    assert (head.kind, head.is_model, head.has_mtp) == ("mtp", True, True)
    assert (model.kind, model.is_model, model.has_mtp, model.notes) == ("model", True, False, (NO_MTP,))
    assert (model.drafter, model.quantisation) == (f"model:{quantised}", "4-bit")


def test_model_whose_mtp_head_is_for_itself_drafts_as_a_whole_for_another(tmp_path, target):
    folder = write_published("Qwen3.5-4B", tmp_path)
    write_tiny_tokenizer(folder, LETTERS)
    facts = inspect(folder, target)
    assert (facts.kind, facts.drafter, facts.refusal) == ("model", f"model:{folder}", "")
    assert (facts.has_mtp, facts.notes) == (True, ())
    write_tiny_tokenizer(folder, LETTERS[::-1])
    facts = inspect(folder, target)
    assert facts.kind == "mtp"
    assert "it is the head of a 'qwen3_5' model, and this one is 'llama'" in facts.refusal


def test_model_without_a_head_does_not_draft_for_itself(target):
    facts = inspect(target, target)
    assert (facts.kind, facts.refusal) == ("model", ITSELF)


def test_drafter_that_is_given_as_a_model_is_called_one(tmp_path):
    folder = write_published("Qwen3-4B-DFlash-b16", tmp_path)
    with pytest.raises(ModelError, match="holds a drafter, not a model; choose it as a drafter"):
        read_model(str(folder), folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"config\.json .* is missing"):
        read_model("", tmp_path / "empty")


def test_drafter_that_the_target_has_nothing_for_is_described_all_the_same(tmp_path, target):
    facts = inspect(write_published("gemma-4-12B-it-assistant", tmp_path), target)
    assert (facts.kind, facts.hidden_size) == ("assistant", 3840)
    assert "which a 'llama' model does not give" in facts.refusal


@pytest.mark.parametrize("name", ["speculators", "midlayer", "deepspec_qwen3"])
def test_pair_that_fits_is_told(tmp_path, target, name):
    facts = inspect(write_golden(tmp_path, read_golden(f"eagle3_{name}")), target)
    assert (facts.kind, facts.refusal) == ("eagle3", "")


MISFITS: dict[str, tuple[dict[str, Any], str]] = {
    "layers": ({"num_target_layers": 9}, "It was trained for a target of 9 layers, and this model has 8"),
    "last layer": ({"target_layer_ids": [0, 2, 4, 5, 7]}, r"it reads the last layer \(7\)"),
    "no such layer": (
        {"target_layer_ids": [0, 2, 4, 5, 20], "num_target_layers": None},
        "it reads layer 20, and this model has 8",
    ),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_pair_that_does_not_fit_is_told_why(tmp_path, target, misfit):
    golden, (change, reason) = read_golden("eagle3_deepspec_qwen3"), MISFITS[misfit]
    golden.config.update(change)
    facts = inspect(write_golden(tmp_path, golden), target)
    assert facts.kind == "eagle3"
    assert re.search(reason, facts.refusal, re.IGNORECASE)
    assert facts.refusal.endswith(".")


def test_target_of_another_shape_is_told(tmp_path, target):
    head = write_golden(tmp_path / "head", read_golden("eagle3_speculators"))
    wide = tiny_folder(tmp_path / "wide", letters=LETTERS, num_hidden_layers=8)
    large = tiny_folder(tmp_path / "large", hidden_size=16, num_hidden_layers=8)
    assert "it reads a hidden size of 16, and this model's is 32" in inspect(head, wide).refusal
    assert "it knows 40 tokens, and this model has 259" in inspect(head, large).refusal


def test_tokenizer_beside_a_drafter_is_compared_token_by_token(tmp_path, target):
    head = write_golden(tmp_path, read_golden("eagle3_speculators"))
    write_tiny_tokenizer(head, LETTERS)
    assert inspect(head, target).refusal == ""
    write_tiny_tokenizer(head, LETTERS[::-1])
    assert "of their token ids differ" in inspect(head, target).refusal


def test_drafter_with_a_tensor_missing_is_known_and_refused(tmp_path):
    golden = read_golden("eagle3_speculators")
    del golden.weights["norm.weight"]
    facts = inspect(write_golden(tmp_path, golden))
    assert (facts.kind, facts.weight_bytes) == ("eagle3", 0)
    assert "the tensor 'norm.weight' [16] is missing" in facts.refusal


def test_whole_model_is_compared_by_its_tokenizer(tmp_path, target):
    like, unlike = (tiny_folder(tmp_path / name, letters=name) for name in (LETTERS, LETTERS[::-1]))
    assert (inspect(like, target).kind, inspect(like, target).refusal) == ("model", "")
    assert "cannot draft for 'target'" in inspect(unlike, target).refusal


def test_folder_that_drafts_nothing_says_why(tmp_path, target):
    shutil.copy(target / "model.safetensors", tmp_path)
    write_json(tmp_path / "config.json", {"model_type": "unheard_of"})
    write_tiny_tokenizer(tmp_path, LETTERS)
    facts = inspect(tmp_path, target)
    assert (facts.kind, facts.drafter) == ("unknown", "")
    assert "they are no whole model: model type 'unheard_of' is not known" in facts.refusal


@pytest.mark.parametrize("algorithm", ["peagle", "mtp", "dflash2", 5, ["eagle3"]])
@pytest.mark.parametrize("named_by", ["speculators_model_type", "algorithm"])
def test_kind_of_speculators_that_is_not_known_is_refused_by_its_name(tmp_path, target, algorithm, named_by):
    golden = read_golden("eagle3_speculators")
    golden.config.update(speculators_model_type=None, speculators_config={"algorithm": algorithm})
    golden.config[named_by] = algorithm
    facts = inspect(write_golden(tmp_path, golden), target)
    assert (facts.kind, facts.drafter) == ("unknown", "")
    reason = f"{named_by} is {algorithm!r} in the drafter's config.json; it must be 'eagle3' or 'dflash' or 'dspark'"
    assert reason.lower() in facts.refusal.lower()
    assert facts == describe_drafter("", tmp_path, read_facts("", target), as_model=False)


def test_model_that_is_not_proven_says_so_in_one_sentence(tmp_path):
    folder = tiny_folder(tmp_path / "model")
    write_json(folder / "config.json", tiny_config("llama") | {"rope_scaling": {"type": "dynamic", "factor": 2.0}})
    assert inspect(folder).refusal == (
        "It cannot draft: replies of a 'llama' model run one at a time and without a drafter: its dynamic rope scaling "
        "takes one position for all rows."
    )


def test_folder_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(ModelError, match=r"config\.json"):
        inspect(tmp_path)
    write_json(tmp_path / "config.json", {})
    with pytest.raises(ModelError, match="no weights found"):
        inspect(tmp_path)


def test_memory_is_that_of_the_type_that_the_target_computes_in(tmp_path, target):
    golden = read_golden("eagle3_speculators")
    halves = {name: array.astype(mx.bfloat16) for name, array in golden.weights.items() if array.dtype == mx.float32}
    head = write_golden(tmp_path, replace(golden, weights=golden.weights | halves))
    alone, beside = inspect(head), describe_drafter("", head, read_facts("", target), as_model=False)
    assert alone.weight_bytes == sum(array.nbytes for array in halves.values())
    assert (beside.weight_bytes, beside.kv_bytes_per_token) == (2 * alone.weight_bytes, 2 * alone.kv_bytes_per_token)


def test_inspection_loads_no_mlx(tmp_path, target):
    head = write_golden(tmp_path, read_golden("eagle3_speculators"))
    code = (
        "import sys; from engine.messages import InspectDrafter; from engine.text.desk import TextDesk; "
        "from pathlib import Path; answer = TextDesk(Path(sys.argv[1])).answer(InspectDrafter(1, *sys.argv[2:])); "
        "assert answer.value.refusal == '', answer; assert not [name for name in sys.modules if 'mlx' in name]"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path), str(head), str(target)], check=True)
