"""Pairs: which model may draft for which, told from their files alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.models.errors import DrafterError
from engine.models.facts import read_facts
from engine.models.pairing import check_pair, vocabulary_difference
from tests.engine.tiny import tiny_folder

WORDS = {f"word {index}": index for index in range(20)}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("pairs") / "target")


def change_tokenizer(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    settings = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    change(settings)
    (folder / "tokenizer.json").write_text(json.dumps(settings), "utf-8")


def swap_ten(folder: Path) -> None:
    """Let ten tokens of a tokenizer trade their ids in pairs."""

    def swap(settings: dict[str, Any]) -> None:
        vocabulary = settings["model"]["vocab"]
        names = sorted(vocabulary)[:10]
        for left, right in zip(names[::2], names[1::2], strict=True):
            vocabulary[left], vocabulary[right] = vocabulary[right], vocabulary[left]

    change_tokenizer(folder, swap)


def test_copy_of_the_tokenizer_fits(pair, tmp_path):
    check_pair(read_facts("", pair), read_facts("", tiny_folder(tmp_path / "drafter", seed=4)))


def test_o20_vocabulary_of_the_same_size_with_ten_ids_swapped_is_refused(pair, tmp_path):
    drafter = tiny_folder(tmp_path / "drafter", seed=4)
    swap_ten(drafter)
    with pytest.raises(DrafterError, match="10 of their token ids differ"):
        check_pair(read_facts("", pair), read_facts("", drafter))


def test_large_numbers_of_a_refusal_have_separators():
    ours, theirs = ({f"{side}{token_id}": token_id for token_id in range(5000, 7000)} for side in "ab")
    sentence = "2,000 of their token ids differ, 5,000 for one is 'a5000' in the model and 'b5000' in the drafter"
    assert vocabulary_difference(ours, theirs) == sentence


def test_o20_rows_that_pad_the_embedding_are_no_difference(pair, tmp_path):
    facts = read_facts("", tiny_folder(tmp_path / "drafter", seed=4))
    check_pair(read_facts("", pair), replace(facts, vocab_size=facts.vocab_size + 61))


def test_entries_that_pad_the_vocabulary_are_no_difference():
    padding = {"[PAD20]": 20, "<unused7>": 21, "<|reserved_special_token_3|>": 22, "<|extra_12|>": 23}
    assert vocabulary_difference(WORDS, WORDS | padding) == vocabulary_difference(WORDS | padding, WORDS) == ""


def test_word_that_only_one_vocabulary_has_is_a_difference():
    assert "20 for one" in vocabulary_difference(WORDS, WORDS | {"<think>": 20})
    assert "1 of their token ids" in vocabulary_difference(WORDS | {"<think>": 20}, WORDS)


def test_token_that_is_special_in_one_tokenizer_only_is_a_difference(pair, tmp_path):
    drafter = tiny_folder(tmp_path / "drafter")
    change_tokenizer(drafter, lambda settings: settings["added_tokens"][0].update(special=False))
    with pytest.raises(DrafterError, match="special token in one of them only"):
        check_pair(read_facts("", pair), read_facts("", drafter))


def test_other_end_token_is_a_difference(pair, tmp_path):
    drafter = tiny_folder(tmp_path / "drafter")
    config = json.loads((drafter / "tokenizer_config.json").read_text("utf-8"))
    (drafter / "tokenizer_config.json").write_text(json.dumps(config | {"eos_token": "<|endoftext|>"}), "utf-8")
    with pytest.raises(DrafterError, match="eos_token"):
        check_pair(read_facts("", pair), read_facts("", drafter))


@pytest.mark.parametrize(
    ("target_refusal", "drafter_refusal"), [("Its state is lost.", ""), ("", "Its state is lost.")]
)
def test_model_that_cannot_be_rewound_is_refused_with_the_reason(pair, target_refusal, drafter_refusal):
    facts = read_facts("", pair)
    with pytest.raises(DrafterError, match=r"its state is lost; choose"):
        check_pair(replace(facts, batch_refusal=target_refusal), replace(facts, batch_refusal=drafter_refusal))
