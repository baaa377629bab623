"""Where a row's state is saved and from where it goes on: edits, new answers, branches, failures, changed models."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kv.rows import BatchedRows
from engine.messages import (
    Answer,
    CacheReport,
    Cancel,
    ConversationDeleted,
    DeleteConversation,
    DescribeCache,
    Failed,
    KvScheme,
    LoadModel,
)
from tests.engine.families import FAMILIES
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.restarts import LONG, TEMPLATE_TAIL, Chat
from tests.engine.tiny import tiny_folder

KINDS = ("llama", "gemma3_text", "qwen3_next", "mamba2", "falcon_h1")  # growing, window, recurrent, no more, nested


@pytest.fixture(params=KINDS)
def chat(request: pytest.FixtureRequest, data_dir: Path, tmp_path: Path) -> Chat:
    """A chat of two exchanges with a target of each kind of state."""
    folder = tiny_folder(tmp_path / request.param, request.param, **FAMILIES[request.param])
    chat = Chat(folder, data_dir, tmp_path / "cache")
    chat.ask("The first question is longer than the other one.")
    chat.ask("Why?")
    return chat


def recomputed(chat: Chat, text: str) -> list[int]:
    return Chat(chat.folder, chat.data_dir, None, turns=list(chat.turns)).ask(text).ids_of(1)


def test_edited_last_message_reads_itself_alone(chat):
    chat.turns = chat.turns[:-2]
    expected = recomputed(chat, "How so?")
    edited = chat.ask("How so?")
    statistics = edited.statistics_of(1)
    assert statistics.num_prompt - statistics.num_cached <= len("How so?") + TEMPLATE_TAIL
    assert statistics.num_reread == 0
    assert edited.ids_of(1) == expected


def test_o38_second_answer_to_the_same_message_reads_one_token(chat):
    chat.turns = chat.turns[:-2]
    expected = recomputed(chat, "Why?")
    again = chat.ask("Why?")
    statistics = again.statistics_of(1)
    assert statistics.num_prompt - statistics.num_cached == 1
    assert again.ids_of(1) == expected


def test_another_chat_with_the_same_beginning_goes_on_from_it(chat):
    other = Chat(chat.folder, chat.data_dir, chat.cache_dir, turns=list(chat.turns))
    expected = recomputed(chat, "And?")
    engine = chat.start()
    engine.send(submit(1, chat.folder, "And?", earlier=other.turns, chat="another", max_tokens=24))
    engine.run()
    assert engine.statistics_of(1).num_cached > len("The first question is longer than the other one.")
    assert engine.ids_of(1) == expected


def test_prompt_that_is_cached_as_a_whole_needs_no_forward_before_the_first_round(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    first = chat.ask(TEXT)
    chat.turns = []
    again = chat.ask(TEXT)
    statistics = again.statistics_of(1)
    assert statistics.num_prompt - statistics.num_cached == 1
    assert again.ids_of(1) == first.ids_of(1)


def test_o39_weights_replaced_in_place_are_never_met_with_the_old_state(target, data_dir, tmp_path):
    folder = tiny_folder(tmp_path / "model")
    chat = Chat(folder, data_dir, tmp_path / "cache")
    chat.ask("The quick brown fox jumps.")
    (folder / "model.safetensors").write_bytes((tiny_folder(tmp_path / "n", seed=5) / "model.safetensors").read_bytes())
    expected = recomputed(chat, "And?")
    statistics = (engine := chat.ask("And?")).statistics_of(1)
    assert engine.ids_of(1) == expected
    assert statistics.num_cached == 0
    assert statistics.num_reread > len("The quick brown fox jumps.")
    assert "files changed" in statistics.reread_reason


def test_other_kv_precision_reads_again_and_says_so(data_dir, tmp_path):
    folder = tiny_folder(tmp_path / "wide", head_dim=32)
    chat = Chat(folder, data_dir, tmp_path / "cache")
    chat.ask("The quick brown fox jumps.")
    chat.kv = KvScheme(8, 32)
    statistics = chat.ask("And?").statistics_of(1)
    assert statistics.num_cached == 0
    assert "another precision" in statistics.reread_reason


def test_change_of_the_drafter_keeps_what_the_target_read(target, drafters, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache", drafters["other model"])
    chat.ask("The quick brown fox jumps.")
    for name in ("none", "window model", "other model", "ngram"):
        chat.drafter = drafters[name]
        expected = recomputed(chat, "And?")
        engine = chat.ask("And?")
        assert engine.statistics_of(1).num_prompt - engine.statistics_of(1).num_cached <= len("And?") + TEMPLATE_TAIL
        assert engine.ids_of(1) == expected


def test_state_that_cannot_be_saved_is_said_to_be_so(data_dir, tmp_path):
    folder = tiny_folder(tmp_path / "lone", rope_scaling={"rope_type": "dynamic", "factor": 2.0})
    chat = Chat(folder, data_dir, tmp_path / "cache")
    chat.ask("The quick brown fox jumps.")
    statistics = chat.ask("And?").statistics_of(1)
    assert statistics.num_cached == 0
    assert statistics.num_reread > len("The quick brown fox jumps.")
    assert "cannot be saved" in statistics.reread_reason


def test_failed_reply_saves_nothing(target, data_dir, tmp_path, monkeypatch, caplog):
    chat = Chat(target, data_dir, tmp_path / "cache")
    engine = chat.start()
    with monkeypatch.context() as broken:
        broken.setattr(BatchedRows, "begin", lambda rows, width, keeps_all=False: 1 / 0)
        engine.send(chat.request(TEXT))
        engine.run()
    assert isinstance(engine.end_of(1), Failed)
    assert bytes_held(engine) == 0
    caplog.clear()


@pytest.mark.parametrize("model_type", ["llama", "gemma3_text"])
def test_state_that_is_not_numbers_is_never_saved(data_dir, tmp_path, model_type, caplog):
    folder = tiny_folder(tmp_path / model_type, model_type, **FAMILIES[model_type])
    chat = Chat(folder, data_dir, tmp_path / "cache")
    expected = recomputed(chat, LONG * 5)
    engine = chat.start()
    engine.send(LoadModel(9, str(folder)))
    engine.run()
    embedding = engine.engine.target(str(folder)).model.model.embed_tokens
    sound = embedding.weight
    embedding.weight = sound * float("nan")  # a passing fault of the device, as every layer sees it
    engine.send(submit(2, folder, LONG * 5, chat="chat"))
    engine.run()
    assert isinstance(engine.end_of(2), Failed)
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    embedding.weight = sound
    engine.send(chat.request(LONG * 5, max_tokens=24))
    engine.run()
    assert engine.ids_of(1) == expected
    engine.close()
    caplog.clear()


def test_state_that_cannot_be_taken_costs_the_reply_nothing(target, data_dir, tmp_path, monkeypatch, alone, caplog):
    chat = Chat(target, data_dir, tmp_path / "cache")
    engine = chat.start()

    def extract(rows: BatchedRows, row: int, start: int = 0) -> None:
        raise RuntimeError("no memory for a copy")

    engine.send(chat.request(TEXT))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    with monkeypatch.context() as broken:
        broken.setattr(BatchedRows, "extract", extract)
        engine.run()
    assert engine.ids_of(1) == alone(TEXT)
    assert engine.reason_of(1) == "length"
    caplog.clear()


def test_deleted_chat_leaves_nothing_in_memory_or_on_the_disk(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask("The quick brown fox jumps.")
    engine = chat.start()
    engine.send(chat.request("And?"))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    assert bytes_held(engine) > 0
    engine.send(DeleteConversation("chat"), Cancel(1))
    engine.run()
    assert ConversationDeleted("chat") in engine.events
    assert bytes_held(engine) == 0
    assert not list((tmp_path / "cache").rglob("*.safetensors"))


def cut(path: Path, length: int) -> None:
    os.truncate(path, length)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": lambda path: cut(path, 0),
    "seven bytes": lambda path: cut(path, 7),
    "half": lambda path: cut(path, path.stat().st_size // 2),
    "all but one byte": lambda path: cut(path, path.stat().st_size - 1),
    "one byte flipped": flip,
    "a folder": replace_by_folder,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("model_type", ["llama", "qwen3_next"])
def test_o35_damaged_files_are_read_again_and_named_as_the_reason(data_dir, tmp_path, damage, model_type, caplog):
    folder = tiny_folder(tmp_path / model_type, model_type, **FAMILIES[model_type])
    chat = Chat(folder, data_dir, tmp_path / "cache")
    chat.ask("The quick brown fox jumps.")
    for path in (tmp_path / "cache").rglob("*.safetensors"):
        DAMAGES[damage](path)
    expected = recomputed(chat, "And?")
    engine = chat.ask("And?")
    assert engine.statistics_of(1).num_cached == 0
    assert "damaged" in engine.statistics_of(1).reread_reason
    assert engine.ids_of(1) == expected
    assert chat.ask("Why?").statistics_of(1).num_cached > 0
    caplog.clear()


def test_o36_chats_that_begin_alike_and_alternate_with_restarts_equal_cold_runs(target, data_dir, tmp_path):
    shared = "The quick brown fox jumps over the lazy dog. " * 2
    chats = [Chat(target, data_dir, tmp_path / "cache", name=name) for name in ("one", "other")]
    for turn in range(10):
        chat = chats[turn % 2]
        text = f"{shared if turn < 2 else ''}{chat.name} {turn}"
        expected = recomputed(chat, text)
        engine = chat.ask(text, max_tokens=8)
        assert engine.ids_of(1) == expected[:8]
        assert (engine.statistics_of(1).num_cached > 0) == (turn > 0)
        assert engine.statistics_of(1).num_reread == 0


def test_killed_program_has_saved_its_long_reply_but_for_a_page_and_says_so(data_dir, tmp_path):
    folder = tiny_folder(tmp_path / "long", max_position_embeddings=2048, seed=1)
    chat = Chat(folder, data_dir, tmp_path / "cache")
    killed = chat.start()
    killed.send(chat.request(TEXT, max_tokens=700))
    killed.step_until(lambda: len(killed.ids_of(1)) >= 600)
    half = chat.reply(killed)
    killed.engine.close_cache(0.0)  # as if it had been killed: the row has not left
    again = chat.start()
    again.send(chat.request(TEXT, later=(half,), max_tokens=5))
    again.run()
    statistics = again.statistics_of(1)
    assert statistics.num_cached >= 512
    assert statistics.num_cached + statistics.num_reread == statistics.num_prompt - 1
    assert "had not been saved when the program ended" in statistics.reread_reason


def test_cache_that_another_program_held_is_written_once_that_has_ended(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    other, engine = chat.start(), chat.start()

    def num_cached() -> int:
        engine.events.clear()
        engine.send(chat.request("The quick brown fox jumps."))
        engine.run()
        return engine.statistics_of(1).num_cached

    assert num_cached() == 0
    assert num_cached() > 0  # of its own memory
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    other.close()
    assert num_cached() == 0
    engine.close()
    assert list((tmp_path / "cache").rglob("*.safetensors"))


def bytes_held(engine: Harness) -> int:
    engine.send(DescribeCache(99))
    engine.run()
    (answer,) = [event for event in engine.events_of(99) if isinstance(event, Answer)]
    engine.events.remove(answer)
    assert isinstance(answer.value, CacheReport)
    return answer.value.memory_bytes + answer.value.disk_bytes
