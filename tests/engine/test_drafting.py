"""Drafters in the engine: who is refused, what loading one takes, and what it brings to a batch."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.model import ModelRows
from engine.drafters.table import DRAFTERS, DrafterKind
from engine.messages import (
    Answer,
    Cancel,
    EstimateMemory,
    Failed,
    ForgetConversation,
    LoadModel,
    MemoryEstimate,
    Notice,
    Progress,
    RememberReplies,
)
from engine.prove.scripted import ScriptedDrafter
from tests.engine.harness import Harness, submit
from tests.engine.models.test_pairing import swap_ten
from tests.engine.tiny import tiny_folder

TEXTS = ("The quick brown fox", "one two three", "x", "aaaa bbbb aaaa bbbb")


def failure(engine: Harness, request_id: int) -> Failed:
    end = engine.end_of(request_id)
    assert isinstance(end, Failed)
    return end


def notices(engine: Harness, request_id: int) -> list[str]:
    return [event.text for event in engine.events_of(request_id) if isinstance(event, Notice)]


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_model_equal_to_the_target_is_always_right_whoever_joins_and_leaves(engine, target, temperature):
    limits = (37, 12, 48, 25)
    for request_id, (text, limit) in enumerate(zip(TEXTS, limits, strict=True)):
        rules = {"temperature": temperature, "seed": 7 + request_id, "max_tokens": limit}
        engine.send(submit(request_id, target, text, drafter=f"model:{target}", **rules))
        engine.step(3)
    engine.run()
    assert max(map(engine.most_rows_of, range(4))) >= 3
    for request_id, limit in enumerate(limits):
        statistics = engine.statistics_of(request_id)
        assert engine.reason_of(request_id) == "length"
        assert statistics.accepted_by_position == statistics.proposed_by_position
        assert statistics.num_rounds == -(-limit // 5)  # every round but the last gives four and the target's own


def test_o21_target_that_cannot_step_back_writes_its_plain_text_with_a_draft_model(engine, drafters, alone, tmp_path):
    recurrent = tiny_folder(tmp_path / "target", "qwen3_next", seed=1)
    engine.send(submit(1, recurrent, TEXTS[0], drafter=drafters["other model"]))
    engine.send(submit(2, recurrent, TEXTS[1], drafter=drafters["recurrent model"]))
    engine.run()
    assert [engine.ids_of(index) for index in (1, 2)] == [alone(text, on=recurrent) for text in TEXTS[:2]]
    assert engine.statistics_of(1).num_proposed > engine.statistics_of(1).num_accepted
    assert engine.statistics_of(2).num_accepted > 0


def test_o24_default_sampling_drafts(engine, target, drafters):
    engine.send(submit(1, target, TEXTS[0], drafter=drafters["other model"]))
    engine.run()
    assert engine.statistics_of(1).num_proposed > 0


def test_o20_model_with_other_ids_is_refused_before_its_weights_are_read(engine, target, tmp_path):
    other = tiny_folder(tmp_path / "swapped", seed=5)
    swap_ten(other)
    engine.send(submit(1, target, TEXTS[0], drafter=f"model:{other}"), submit(2, target, TEXTS[0]))
    engine.run()
    assert failure(engine, 1).code == "drafter"
    assert "10 of their token ids differ" in failure(engine, 1).text
    assert engine.reason_of(2) == "length"


@pytest.mark.parametrize("padded", ["target", "drafter"])
@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_o20_model_whose_rows_are_padded_drafts(engine, data_dir, target, tmp_path, padded, temperature):
    wide = padded_copy(target, tmp_path / "wide")
    pair = (wide, target) if padded == "target" else (target, wide)
    rules = {"temperature": temperature, "seed": 3}
    engine.send(submit(1, pair[0], TEXTS[0], drafter=f"model:{pair[1]}", **rules))
    engine.run()
    plain = Harness(data_dir)
    plain.send(submit(1, pair[0], TEXTS[0], **rules))
    plain.run()
    assert engine.ids_of(1) == plain.ids_of(1)
    assert engine.statistics_of(1).num_accepted == (engine.statistics_of(1).num_proposed if padded == "drafter" else 32)


def padded_copy(model: Path, folder: Path, num_rows: int = 13) -> Path:
    """The same model with more rows in its embedding and its head, which are never chosen."""
    tiny_folder(folder)
    weights = mx.load(str(model / "model.safetensors"))
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        weights[name] = mx.pad(weights[name], [(0, num_rows), (0, 0)])
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["vocab_size"] += num_rows
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def test_o27_model_with_a_shorter_context_stops_with_a_notice_and_the_text_goes_on(engine, target, alone, tmp_path):
    short = tiny_folder(tmp_path / "short", max_position_embeddings=96)
    names = [f"model:{short}", f"model:{short}"]
    engine.send(*(submit(index, target, TEXTS[index], drafter=names[index], max_tokens=200) for index in range(2)))
    engine.send(submit(2, target, "word " * 40, drafter=names[0]))
    engine.run()
    assert [engine.ids_of(index) for index in range(2)] == [alone(text, max_tokens=200) for text in TEXTS[:2]]
    assert engine.ids_of(2) == alone("word " * 40)
    assert all(len(notices(engine, index)) == 1 and "96 tokens" in notices(engine, index)[0] for index in range(3))
    assert engine.statistics_of(0).num_accepted > 10
    assert engine.statistics_of(2).num_proposed == 0


def test_model_that_cannot_be_batched_or_found_does_not_draft(engine, target, tmp_path):
    lone = tiny_folder(tmp_path / "lone", rope_scaling={"rope_type": "dynamic", "factor": 2.0})
    for request_id, path in enumerate((lone, tmp_path / "nowhere")):
        engine.send(submit(request_id, target, TEXTS[0], drafter=f"model:{path}"))
    engine.run()
    assert [failure(engine, request_id).code for request_id in range(2)] == ["drafter", "drafter"]
    assert "cannot draft" in failure(engine, 0).text
    assert "nowhere" in failure(engine, 1).text


@pytest.mark.parametrize("name", ["tea-leaves", "model", "model:", "ngram:/some/path", ""])
def test_unknown_drafter_is_told_the_choices(engine, target, name):
    engine.send(submit(1, target, TEXTS[0], drafter=name))
    engine.run()
    assert "choose one of: none, ngram, suffix, auto:PATH, model:PATH, assistant:PATH" in failure(engine, 1).text


def test_drafter_that_reads_what_the_target_does_not_give_is_refused(engine, target, monkeypatch):
    drafter = ScriptedDrafter([], [0], needs=frozenset(("donors",)))
    monkeypatch.setitem(DRAFTERS, "needy", DrafterKind(lambda source: iter([drafter])))
    engine.send(submit(1, target, TEXTS[0], drafter="needy"))
    engine.run()
    assert failure(engine, 1).code == "drafter"
    assert "'donors'" in failure(engine, 1).text


def test_loading_a_model_to_draft_reports_progress(engine, target, drafters):
    engine.send(LoadModel(1, str(target)))
    engine.run()
    engine.events.clear()
    engine.send(submit(2, target, TEXTS[0], drafter=drafters["other model"]))
    engine.run()
    assert "loading" in {event.phase for event in engine.events_of(2) if isinstance(event, Progress)}


def test_drafter_without_weights_waits_for_no_other_load(engine, target, drafters):
    engine.send(LoadModel(1, str(target)))
    engine.run()
    engine.send(submit(2, target, TEXTS[0], drafter=drafters["other model"], max_tokens=5))
    engine.send(submit(3, target, TEXTS[0], drafter="suffix", max_tokens=5))
    engine.run()
    ends = [event.request_id for event in engine.events if type(event).__name__ == "Finished"]
    assert set(ends) == {2, 3}


@pytest.mark.parametrize("steps", range(6))
def test_cancel_while_a_drafter_loads_or_runs_ends_the_request(engine, target, drafters, steps):
    engine.send(submit(1, target, "word " * 40, drafter=drafters["other model"], max_tokens=300))
    engine.step(steps)
    engine.send(Cancel(1))
    engine.run()
    assert engine.reason_of(1) == "cancelled"


def test_request_whose_load_failed_has_ended(engine, target, tmp_path):
    engine.send(submit(1, tmp_path / "nowhere", TEXTS[0]))
    engine.run()
    engine.engine.fail("the engine failed")
    assert failure(engine, 1).code == "model"


def test_two_models_that_draft_do_not_share_a_batch(engine, target, drafters):
    names = [drafters["other model"], drafters["model like the target"]]
    engine.send(*(submit(index, target, TEXTS[0], drafter=name) for index, name in enumerate(names)))
    engine.run()
    assert [engine.most_rows_of(index) for index in range(2)] == [1, 1]
    assert engine.ids_of(0) == engine.ids_of(1)


def test_row_whose_drafter_state_finds_no_memory_does_not_join(engine, target, alone, drafters, monkeypatch, caplog):
    name = drafters["other model"]
    engine.send(submit(1, target, TEXTS[0], drafter=name), submit(2, target, TEXTS[1]))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    prepare_append = ModelRows.prepare_append

    def prepare_or_fail(rows, states):
        if states != [None]:
            raise MemoryError("no memory for the drafter's row")
        return prepare_append(rows, states)

    monkeypatch.setattr(ModelRows, "prepare_append", prepare_or_fail)
    engine.send(submit(3, target, "late", drafter=name))
    engine.run()
    assert "no memory for the drafter" in failure(engine, 3).text
    monkeypatch.undo()
    engine.send(submit(4, target, TEXTS[1], drafter=name))
    engine.run()
    assert [engine.ids_of(index) for index in (1, 2, 4)] == [alone(TEXTS[0]), alone(TEXTS[1]), alone(TEXTS[1])]
    caplog.clear()


def test_row_whose_drafter_state_cannot_be_opened_leaves_no_trace(engine, target, alone, drafters, monkeypatch, caplog):
    name = drafters["other model"]
    prepare_append, opened = ModelRows.prepare_append, []

    def prepare_or_fail(rows, states):
        opened.append(states)
        if len(opened) == 2:  # the second row of the cohort
            raise MemoryError("no memory for the drafter's row")
        return prepare_append(rows, states)

    monkeypatch.setattr(ModelRows, "prepare_append", prepare_or_fail)
    engine.send(*(submit(index, target, f"{TEXTS[0]} {index}", drafter=name) for index in range(3)))
    engine.run()
    assert "no memory for the drafter" in failure(engine, 1).text
    assert [engine.ids_of(index) for index in (0, 2)] == [alone(f"{TEXTS[0]} {index}") for index in (0, 2)]
    assert min(engine.most_rows_of(index) for index in (0, 2)) == 2
    caplog.clear()


def test_memory_returns_when_another_drafter_takes_the_place(engine, target, tmp_path):
    names = [f"model:{tiny_folder(tmp_path / name, seed=seed)}" for name, seed in (("one", 5), ("two", 6))]
    used = []
    for request_id in range(6):
        engine.send(submit(request_id, target, TEXTS[0], drafter=names[request_id % 2], max_tokens=12))
        engine.run()
        mx.clear_cache()
        used.append(mx.get_active_memory())
    assert max(used[1:]) <= used[0] + 1024


def test_estimate_counts_the_drafter(engine, target):
    for index, drafter in enumerate(("suffix", f"model:{target}")):
        engine.send(EstimateMemory(index, str(target), drafter, 100, 2))
    engine.run()
    values = [event.value for event in engine.events if isinstance(event, Answer)]
    none, model = [value for value in values if isinstance(value, MemoryEstimate)]
    assert none.drafter_bytes == 0
    assert model.drafter_bytes == model.weight_bytes + model.kv_bytes


def replies_of(engine: Harness, target: Path, request_id: int, text: str) -> int:
    """Tokens that were accepted of what the suffix drafter proposed for one more reply."""
    engine.send(submit(request_id, target, text, drafter="suffix"))
    engine.run()
    return engine.statistics_of(request_id).num_accepted


def test_suffix_follows_the_reply_of_another_conversation(engine, target):
    assert replies_of(engine, target, 1, TEXTS[0]) < 5
    assert replies_of(engine, target, 2, TEXTS[0]) > 20


def test_forgotten_conversation_is_followed_no_more(engine, target):
    request = submit(1, target, TEXTS[0])
    engine.send(request)
    engine.run()
    engine.send(ForgetConversation(request.conversation_id))
    assert replies_of(engine, target, 2, TEXTS[0]) < 5


def test_conversation_that_is_forgotten_while_it_runs_is_not_remembered(engine, target):
    request = submit(1, target, TEXTS[0])
    engine.send(request)
    engine.step_until(lambda: bool(engine.ids_of(1)))
    engine.send(ForgetConversation(request.conversation_id))
    engine.run()
    assert replies_of(engine, target, 2, TEXTS[0]) < 5


def test_replies_of_earlier_sessions_are_followed_once_they_are_sent(engine, target, alone):
    engine.send(LoadModel(1, str(target)))
    engine.run()
    engine.send(RememberReplies(str(target), (("chat", tuple(alone(TEXTS[0]))),)))
    engine.send(RememberReplies("/not/loaded", (("chat", (1, 2, 3, 4)),)))
    assert replies_of(engine, target, 2, TEXTS[0]) > 20
