"""Facts from files alone, and what each kind of broken model folder is refused with."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine.models.errors import ModelError
from engine.models.facts import read_facts
from tests.engine.models.cache_entry import write_cache_entry
from tests.engine.tiny import tiny_folder, write_json


def change_config(folder, name="config.json", **changes):
    config = json.loads((folder / name).read_text())
    write_json(folder / name, config | changes)


def split_weights(folder, shards):
    """Name the only weight file as the first shard of an index."""
    (folder / "model.safetensors").rename(folder / shards[0])
    write_json(folder / "model.safetensors.index.json", {"weight_map": {str(n): s for n, s in enumerate(shards)}})


def test_facts_of_a_tiny_folder(folder):
    facts = read_facts("asked", folder)
    assert (facts.target, facts.folder, facts.name) == ("asked", str(folder), "tiny")
    assert (facts.model_type, facts.num_layers, facts.vocab_size, facts.context_length) == ("llama", 2, 259, 512)
    assert (facts.quantisation, facts.kv_bytes_per_token) == ("fp32", 2 * 2 * 2 * 8 * 4)
    assert facts.has_template
    assert facts.batch_refusal == ""
    assert facts.weight_bytes < (folder / "model.safetensors").stat().st_size


def test_reading_facts_loads_no_mlx(folder):
    code = (
        "import sys; from pathlib import Path; import engine.models.facts as f, engine.models.memory as m; "
        "facts = f.read_facts('', Path(sys.argv[1])); m.estimate_memory(facts, None, 9, 1); "
        "print('mlx.core' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_o49_path_with_other_letters_is_shown_as_it_is(tmp_path):
    folder = tiny_folder(tmp_path / "模型 é" / "мо дель")
    facts = read_facts(str(folder), folder)
    assert facts.name == "мо дель"
    assert facts.folder.endswith("模型 é/мо дель")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name.replace("model.safe", "no weights found.*safe")):
        read_facts("", folder)


def test_missing_template_is_no_error(folder):
    change_config(folder, "tokenizer_config.json", chat_template=None)
    assert not read_facts("", folder).has_template
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    assert read_facts("", folder).has_template


def test_o50_cache_snapshot_of_links_is_read(folder, tmp_path):
    snapshot = write_cache_entry(folder, tmp_path / "hub") / "snapshots" / "abc"
    assert read_facts("", snapshot).name == "org/tiny"


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"])
def test_o50_broken_link_is_named(folder, tmp_path, name):
    snapshot = write_cache_entry(folder, tmp_path / "hub") / "snapshots" / "abc"
    (snapshot / name).resolve().unlink()
    with pytest.raises(ModelError, match=f"{name}.* is a link to a file that is not there"):
        read_facts("", snapshot)


def test_o50_shard_that_the_index_names_is_missed(folder):
    split_weights(folder, ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"])
    with pytest.raises(ModelError, match=r"model-00002-of-00002\.safetensors is missing"):
        read_facts("", folder)


def test_shard_is_missed_without_an_index(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00003.safetensors")
    with pytest.raises(ModelError, match=r"model-00002-of-00003\.safetensors is missing"):
        read_facts("", folder)


def test_index_whose_shards_are_there_is_read(folder):
    split_weights(folder, ["model-00001-of-00001.safetensors"])
    assert read_facts("", folder).weight_bytes > 0


@pytest.mark.parametrize(
    ("kept", "message"), [(0, "is empty"), (5, "not a safetensors"), (90, "incomplete"), (-4, "incom")]
)
def test_truncated_weights_are_refused(folder, kept, message):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ModelError, match=message):
        read_facts("", folder)


def test_other_kinds_of_weights_are_named(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"found pytorch_model\.bin"):
        read_facts("", folder)


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00", "[" * 100_000])
def test_config_that_is_no_object_is_refused(folder, text):
    (folder / "config.json").write_text(text)
    with pytest.raises(ModelError, match=r"config\.json"):
        read_facts("", folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_o52_code_of_the_model_is_refused_and_never_run(folder, tmp_path, name):
    marker = tmp_path / "marker"
    (folder / "own.py").write_text(f"open({str(marker)!r}, 'w')")
    change_config(folder, name, auto_map={"AutoModelForCausalLM": "own.Model"})
    with pytest.raises(ModelError, match=f"{name}.*own Python code.*auto_map"):
        read_facts("", folder)
    assert not marker.exists()


def test_o52_model_file_is_refused_and_never_run(folder, tmp_path):
    marker = tmp_path / "marker"
    (folder / "own.py").write_text(f"open({str(marker)!r}, 'w')")
    change_config(folder, model_file="own.py")
    with pytest.raises(ModelError, match=r"own Python code.*model_file = 'own.py'"):
        read_facts("", folder)
    assert not marker.exists()


@pytest.mark.parametrize("model_type", ["bert", "base", "cache", "../llama", "llama.x", "", None, 3])
def test_unknown_architecture_is_refused(folder, model_type):
    change_config(folder, model_type=model_type)
    with pytest.raises(ModelError, match=r"model.type"):
        read_facts("", folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"rope_scaling": "linear"},
        {"rope_scaling": {"type": "yarn", "factor": "many"}},
        {"layer_types": 3},
        {"quantization": [4], "text_config": None},
        {"num_attention_heads": -1, "hidden_size": "wide"},
    ],
)
def test_odd_values_in_a_config_do_no_harm(folder, changes):
    change_config(folder, **changes)
    assert read_facts("", folder).model_type == "llama"


def test_remapped_architecture_is_known(folder):
    change_config(folder, model_type="mistral")
    assert read_facts("", folder).batch_refusal == ""


def test_unproven_model_says_why_it_runs_alone(folder):
    change_config(folder, model_type="gemma3n")
    assert "gemma3n" in read_facts("", folder).batch_refusal


def test_copy_of_a_folder_has_the_same_tokenizer(folder, tmp_path):
    other = tiny_folder(tmp_path / "other", seed=5)
    assert read_facts("", folder).tokenizer_id == read_facts("", other).tokenizer_id
    (other / "added_tokens.json").write_text("{}")
    assert read_facts("", folder).tokenizer_id != read_facts("", other).tokenizer_id
