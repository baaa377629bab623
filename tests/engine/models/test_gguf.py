"""GGUF files: what is imported, once, and what is refused before MLX reads it."""

from __future__ import annotations

import json
import os
import shutil

import mlx.core as mx
import pytest
from mlx_lm.utils import load_model
from tokenizers import Tokenizer

from engine.models.errors import ModelError
from engine.models.facts import read_facts
from engine.models.gguf import import_gguf
from engine.models.locate import STARTER_FILE, GgufFile, find_starter, resolve_target
from tests.engine.models.tiny_gguf import tiny_tokens, write_tiny_gguf
from tests.engine.tiny import tiny_model


@pytest.fixture
def tiny_gguf(tmp_path):
    return write_tiny_gguf(tmp_path / "tiny.gguf")


def imported(path, data_dir):
    list(import_gguf(path, data_dir))
    return resolve_target(str(path), data_dir)


def test_import_gives_the_logits_of_the_model_that_was_written(tiny_gguf, data_dir):
    model, _ = load_model(imported(tiny_gguf, data_dir))
    ids = mx.array([[3, 1, 4, 100, 258]])
    expected = tiny_model("llama", vocab_size=len(tiny_tokens()))(ids)
    assert mx.allclose(model(ids), expected, atol=1e-4).item()


def test_o49_path_with_other_letters_is_imported(tmp_path, data_dir):
    path = write_tiny_gguf(tmp_path / "模型 é" / "мо дель [1].gguf")
    folder = imported(path, data_dir / "é 模")
    assert read_facts(str(path), folder).name == "мо дель [1]"


def test_progress_grows_to_its_total(tiny_gguf, data_dir):
    steps = list(import_gguf(tiny_gguf, data_dir))
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1][0] == steps[-1][1] == 2 * tiny_gguf.stat().st_size


def test_second_import_finds_the_first(tiny_gguf, data_dir):
    folder = imported(tiny_gguf, data_dir)
    written = (folder / "model.safetensors").stat().st_mtime_ns
    assert imported(tiny_gguf, data_dir) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == written


def test_a_file_that_was_touched_is_found_again_by_its_content(tiny_gguf, data_dir):
    folder = imported(tiny_gguf, data_dir)
    os.utime(tiny_gguf, (1, 1))
    assert isinstance(resolve_target(str(tiny_gguf), data_dir), GgufFile)
    assert imported(tiny_gguf, data_dir) == folder


def test_import_that_is_given_up_leaves_nothing(tiny_gguf, data_dir):
    steps = import_gguf(tiny_gguf, data_dir)
    for _ in range(3):
        next(steps)
    assert len(list((data_dir / "models").iterdir())) == 1
    steps.close()
    assert list((data_dir / "models").iterdir()) == []


def test_folders_of_crashed_imports_are_swept(tiny_gguf, data_dir):
    leftover = data_dir / "models" / ".importing-99999999-abc"
    leftover.mkdir(parents=True)
    folder = imported(tiny_gguf, data_dir)
    assert list((data_dir / "models").iterdir()) == [folder]


def test_tokenizer_merges_splits_digits_and_knows_control_tokens(tiny_gguf, data_dir):
    tokenizer = Tokenizer.from_file(str(imported(tiny_gguf, data_dir) / "tokenizer.json"))
    assert tokenizer.encode("<|im_start|>he12").tokens == ["<|im_start|>", "he", "1", "2"]
    assert tokenizer.decode(tokenizer.encode(" é 模\n").ids) == " é 模\n"


def test_end_ids_and_template_are_written(tiny_gguf, data_dir):
    folder = imported(tiny_gguf, data_dir)
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"] == [1]
    facts = read_facts(str(tiny_gguf), folder)
    assert (facts.name, facts.has_template, facts.context_length) == ("tiny", True, 512)


@pytest.mark.parametrize("kept", [0, 3, 20, 900, -7])
def test_truncated_file_is_refused(tiny_gguf, data_dir, kept):
    tiny_gguf.write_bytes(tiny_gguf.read_bytes()[:kept])
    with pytest.raises(ModelError, match="again"):
        list(import_gguf(tiny_gguf, data_dir))
    assert not (data_dir / "models").exists()


def test_foreign_file_is_refused(tmp_path, data_dir):
    path = tmp_path / "page.gguf"
    path.write_text("<html>404</html>")
    with pytest.raises(ModelError, match=r"page\.gguf is not a GGUF file"):
        list(import_gguf(path, data_dir))


def test_missing_file_is_refused(tmp_path, data_dir):
    with pytest.raises(ModelError, match=r"gone\.gguf could not be imported"):
        list(import_gguf(tmp_path / "gone.gguf", data_dir))


@pytest.mark.parametrize("position", [4, 8, 12, 16, 24, 40, 60])
def test_damaged_header_is_refused(tiny_gguf, data_dir, position):
    content = bytearray(tiny_gguf.read_bytes())
    content[position : position + 8] = b"\xff" * 8
    tiny_gguf.write_bytes(content)
    with pytest.raises(ModelError):
        list(import_gguf(tiny_gguf, data_dir))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"general__architecture": "gemma3"}, "architecture 'gemma3'"),
        ({"tokenizer__ggml__pre": "tekken"}, "'tekken', which is not known here"),
        ({"tokenizer__ggml__model": "llama"}, "tokenizer of kind 'llama'"),
        ({"llama__block_count": None}, "None for 'llama.block_count'"),
        ({"llama__rope__scaling__type": "yarn"}, "scaling 'yarn'"),
    ],
)
def test_file_that_cannot_be_imported_exactly_is_refused(tmp_path, data_dir, changes, message):
    path = write_tiny_gguf(tmp_path / "other.gguf", **changes)
    with pytest.raises(ModelError, match=message):
        list(import_gguf(path, data_dir))


def test_tensor_types_that_need_requantising_are_named(tiny_gguf, data_dir):
    content = tiny_gguf.read_bytes()
    name = b"blk.0.attn_norm.weight"
    at = content.index(name) + len(name) + 4 + 8  # past the number of dimensions and the one length
    tiny_gguf.write_bytes(content[:at] + (12).to_bytes(4, "little") + content[at + 4 :])
    with pytest.raises(ModelError, match="Q4_K"):
        list(import_gguf(tiny_gguf, data_dir))


def test_starter_with_another_sha256_is_refused(tmp_path, data_dir):
    path = shutil.copy(find_starter(), tmp_path / STARTER_FILE)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ModelError, match="sha256"):
        list(import_gguf(path, data_dir))
