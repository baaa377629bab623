"""Model folders as they come: odd paths, links, read-only files, and those that are refused with a reason."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.messages import Failed, Inspect, LoadModel, ModelFacts, ModelLoaded, Notice, Progress, Submit
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.models.cache_entry import write_cache_entry
from tests.engine.restarts import Chat
from tests.engine.tiny import tiny_folder, write_json


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_folder(tmp_path / "models" / "tiny")


def change(folder: Path, name: str = "config.json", **changes: Any) -> None:
    write_json(folder / name, json.loads((folder / name).read_text()) | changes)


def loaded(engine: Harness, target: Path) -> ModelFacts | Failed:
    """What a load ends with; a refused one has read no weights."""
    before = mx.get_active_memory()
    engine.send(LoadModel(9, str(target)))
    engine.run()
    [end] = [event for event in engine.events_of(9) if not isinstance(event, Progress)]
    if isinstance(end, ModelLoaded):
        return end.facts
    assert isinstance(end, Failed)
    assert end.code == "model"
    assert mx.get_active_memory() <= before
    assert engine.engine.target(str(target)) is None
    return end


def refused(engine: Harness, target: Path) -> str:
    """The sentence, which is the same when the folder is only looked at."""
    failed = loaded(engine, target)
    assert isinstance(failed, Failed)
    engine.send(Inspect(8, str(target)))
    engine.run()
    assert [event.text for event in engine.events_of(8)] == [failed.text]
    return failed.text


def listing(folder: Path) -> list[tuple[str, int, int]]:
    paths = [folder, *sorted(folder.rglob("*"))]
    return [(str(path), path.stat().st_mtime_ns, path.stat().st_mode) for path in paths]


def dated(target: Path, request_id: int, began_at: float) -> Submit:
    return replace(submit(request_id, target, "Hi", max_tokens=2), began_at=began_at)


def test_o10_template_with_a_date_renders_and_a_fixed_clock_fixes_it(engine, folder):
    template = "{{ strftime_now('%d %b %Y') }}|{{ messages[0].content }}"
    change(folder, "tokenizer_config.json", chat_template=template)
    noon = datetime(2026, 1, 2, 12).timestamp()
    engine.send(dated(folder, 1, noon), dated(folder, 2, 0.0))
    engine.run()
    assert engine.statistics_of(1).num_prompt == len("02 Jan 2026|Hi") == engine.statistics_of(2).num_prompt
    assert not [event for event in engine.events if isinstance(event, Notice)]


def test_o11_model_without_a_template_answers_and_says_so(engine, folder):
    change(folder, "tokenizer_config.json", chat_template=None)
    engine.send(submit(1, folder, TEXT, max_tokens=3))
    engine.run()
    assert engine.reason_of(1) == "length"
    [notice] = [event for event in engine.events_of(1) if isinstance(event, Notice)]
    assert notice.code == "template"
    assert notice.text == "This model has no chat template. A plain one was used, so answers may be worse."


def test_o49_path_with_other_letters_loads_caches_and_is_shown(data_dir, tmp_path):
    folder = tiny_folder(tmp_path / "模型 é" / "мо дель")
    chat = Chat(folder, data_dir, tmp_path / "кэш 模")
    first = chat.ask(TEXT)
    second = chat.ask("and?")
    assert second.statistics_of(1).num_cached >= first.statistics_of(1).num_prompt
    facts = loaded(Harness(data_dir), folder)
    assert isinstance(facts, ModelFacts)
    assert (facts.name, facts.folder) == ("мо дель", str(folder))


def test_o50_cache_entry_of_links_loads_and_one_that_is_broken_is_refused_with_its_file(engine, folder, tmp_path):
    entry = write_cache_entry(folder, tmp_path / "hub")
    facts = loaded(engine, entry)
    assert isinstance(facts, ModelFacts)
    assert facts.name == "org/tiny"
    (entry / "snapshots" / "abc" / "model.safetensors").resolve().unlink()
    assert "model.safetensors" in refused(Harness(engine.data_dir), entry)


def test_o50_index_that_names_an_absent_shard_is_refused_with_its_name(engine, folder):
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    (folder / "model.safetensors").rename(folder / shards[0])
    write_json(folder / "model.safetensors.index.json", {"weight_map": dict(enumerate(shards))})
    assert shards[1] in refused(engine, folder)


def test_o51_read_only_folder_is_left_as_it_was_and_all_is_written_elsewhere(data_dir, tmp_path, folder):
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    before = listing(folder.parent)
    chat = Chat(folder, data_dir, data_dir / "cache", drafter="ngram")
    chat.ask(TEXT)
    assert chat.ask("and?").reason_of(1) == "length"
    assert listing(folder.parent) == before
    assert list(data_dir.rglob("*.safetensors"))
    folder.chmod(0o755)


@pytest.mark.parametrize("name", ["model_file", "auto_map"])
def test_o52_model_that_brings_its_own_code_is_refused_and_never_run(engine, folder, tmp_path, name):
    marker = tmp_path / "marker"
    (folder / "own.py").write_text(f"open({str(marker)!r}, 'w')")
    change(folder, **{name: "own.py" if name == "model_file" else {"AutoModelForCausalLM": "own.Model"}})
    assert "asks to run the model's own Python code" in refused(engine, folder)
    engine.send(submit(1, folder, TEXT))
    engine.run()
    assert isinstance(engine.end_of(1), Failed)
    assert not marker.exists()
