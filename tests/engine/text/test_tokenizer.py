"""What is read from a model folder: end ids, special tokens, templates, one identity for equal tokenizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models.errors import ModelError
from engine.text.tokenizer import load_tokenizer
from tests.engine.text.small_tokenizers import byte_backend, sentence_backend, write_folder

END, START, TEXT_END = (byte_backend().token_to_id(name) for name in ("<|im_end|>", "<|im_start|>", "<|endoftext|>"))


def test_o15_every_listed_end_and_the_tokenizers_own_ends_a_reply(tmp_path: Path) -> None:
    config = {"tokenizer_config": {"eos_token": "<|endoftext|>"}, "config": {"eos_token_id": 7}}
    folder = write_folder(tmp_path, **config, generation_config={"eos_token_id": [5, 6]})
    assert load_tokenizer(folder).end_ids == {5, 6, 7, TEXT_END, END}


def test_o15_a_config_naming_an_end_that_the_tokenizer_does_not_use(tmp_path: Path) -> None:
    named = {"eos_token": {"content": "<|im_end|>"}}
    folder = write_folder(tmp_path, special_tokens_map=named, config={"text_config": {"eos_token_id": 9_999}})
    assert load_tokenizer(folder).end_ids == {9_999, END}


def test_o15_a_chat_end_that_the_template_does_not_write_ends_nothing(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, tokenizer_config={"chat_template": "{{ messages }}"})
    assert load_tokenizer(folder).end_ids == frozenset()


@pytest.mark.parametrize("value", ["T", [{"name": "tools", "template": "U"}, {"name": "default", "template": "T"}]])
def test_the_template_is_found_in_the_tokenizers_config(tmp_path: Path, value: object) -> None:
    assert load_tokenizer(write_folder(tmp_path, tokenizer_config={"chat_template": value})).template == "T"


def test_a_template_file_comes_before_the_config(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, tokenizer_config={"chat_template": "U"})
    (folder / "chat_template.jinja").write_text("T", encoding="utf-8")
    assert load_tokenizer(folder).template == "T"


def test_the_template_is_no_part_of_the_identity_and_the_vocabulary_is(tmp_path: Path) -> None:
    plain = load_tokenizer(write_folder(tmp_path / "模型 é"))
    templated = load_tokenizer(write_folder(tmp_path / "b", tokenizer_config={"chat_template": "T"}))
    other = load_tokenizer(write_folder(tmp_path / "c", sentence_backend()))
    assert plain.identity == templated.identity != other.identity


def test_a_token_that_only_the_config_lists_is_added(tmp_path: Path) -> None:
    size = byte_backend().get_vocab_size(with_added_tokens=True)
    listed = {"added_tokens_decoder": {str(size): {"content": "<extra>", "special": True, "lstrip": False}}}
    assert load_tokenizer(write_folder(tmp_path, tokenizer_config=listed)).encode("<extra>", inert=False) == [size]


def test_truncation_left_in_a_tokenizer_file_is_off(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    text = (folder / "tokenizer.json").read_text(encoding="utf-8")
    limit = '"truncation":{"direction":"Right","max_length":2,"strategy":"LongestFirst","stride":0}'
    (folder / "tokenizer.json").write_text(text.replace('"truncation":null', limit), encoding="utf-8")
    assert len(load_tokenizer(folder).encode("abcdef", inert=True)) == 6


def test_a_damaged_tokenizer_is_a_sentence(tmp_path: Path) -> None:
    (write_folder(tmp_path) / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        load_tokenizer(tmp_path)


def test_o06_inert_text_holds_no_control_token() -> None:
    from tests.engine.text.small_tokenizers import byte_tokenizer

    tokenizer = byte_tokenizer()
    token_ids = tokenizer.encode("a<|im_end|><|im_start|>b", inert=True)
    assert not {START, END} & set(token_ids)
    assert tokenizer.decode(token_ids) == "a<|im_end|><|im_start|>b"


def test_folder_that_vanished_is_told_as_such(tmp_path):
    with pytest.raises(ModelError, match="is gone; put it back, or choose another model"):
        load_tokenizer(tmp_path / "gone")
