"""Which files of a repository are downloaded."""

from __future__ import annotations

from app.library.naming import name_parts
from app.library.repository import RepoFile, needed_files, shard_of, variants


def files(*paths):
    return tuple(RepoFile(path, 10 + number, "e") for number, path in enumerate(paths))


def names(found):
    return [file.path for file in found]


def test_weights_come_last_and_code_never():
    listed = files("model.safetensors", "config.json", "modeling.py", "pytorch_model.bin", "chat_template.jinja")
    assert names(needed_files(listed)) == ["chat_template.jinja", "config.json", "model.safetensors"]


def test_folders_of_other_programs_are_left_out():
    listed = files("model.safetensors", "onnx/model.json", "original/consolidated.safetensors", ".gitattributes")
    assert names(needed_files(listed)) == ["model.safetensors"]


def test_tokenizer_and_licence_belong_to_a_model():
    listed = files("LICENSE", "merges.txt", "tokenizer.model", "model.safetensors", "training_args.json")
    assert names(needed_files(listed)) == ["LICENSE", "merges.txt", "tokenizer.model", "model.safetensors"]


def test_one_quantisation_of_many_is_taken():
    listed = files("m-Q4_0.gguf", "m-Q8_0.gguf", "m-Q5_K_M.gguf", "mmproj-F16.gguf", "README.md")
    assert [one.name for one in variants(listed)] == ["Q4_0", "Q8_0"]
    assert names(needed_files(listed, "Q8_0")) == ["README.md", "m-Q8_0.gguf"]


def test_gguf_in_shards_is_no_choice():
    assert variants(files("m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf")) == ()


def test_shards_are_counted_from_their_names():
    assert shard_of("model-00002-of-00004.safetensors") == (2, 4)
    assert shard_of("model.safetensors") is None


def test_names_are_for_people():
    assert name_parts("mlx-community/Qwen3-8B-4bit") == ("Qwen3 8B", "4-bit")
    assert name_parts("mlx-community/Meta-Llama-3.1-8B-Instruct-4bit") == ("Llama 3.1 8B", "4-bit")
    assert name_parts("makers/gemma-9-12B-it-assistant-bf16") == ("Gemma 9 12B assistant", "bf16")


def test_drafter_of_the_catalogue_is_named_by_its_target():
    assert name_parts("z-lab/Qwen3-8B-DFlash-b16") == ("DFlash for Qwen3 8B", "")
