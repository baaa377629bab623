"""What a request meets on its way: loading, refusals, ends, Stop at every phase, and neighbours that notice nothing."""

from __future__ import annotations

import shutil

import pytest

from engine.messages import (
    Answer,
    CacheReport,
    Cancel,
    ClearCache,
    ConversationDeleted,
    CountTokens,
    DeleteConversation,
    Delta,
    DescribeCache,
    Failed,
    Finished,
    KeepConversations,
    LoadModel,
    ModelLoaded,
    Notice,
    Progress,
    Shutdown,
    TokenCount,
    Turn,
)
from engine.models.gguf import import_gguf
from engine.text.reply_text import ReplyText
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.models.tiny_gguf import write_tiny_gguf
from tests.engine.tiny import tiny_folder


def test_loading_reports_progress_and_then_the_facts(engine, target):
    engine.send(LoadModel(1, str(target)))
    engine.run()
    assert {event.phase for event in engine.events if isinstance(event, Progress)} == {"loading"}
    (loaded,) = [event for event in engine.events if isinstance(event, ModelLoaded)]
    assert (loaded.facts.model_type, loaded.facts.num_layers) == ("llama", 2)


def test_gguf_file_is_imported_on_the_way(engine, tmp_path):
    engine.send(submit(1, write_tiny_gguf(tmp_path / "tiny.gguf"), TEXT, max_tokens=3))
    engine.run()
    assert "importing" in {event.phase for event in engine.events if isinstance(event, Progress)}
    assert len(engine.ids_of(1)) == 3


def test_model_that_cannot_be_loaded_fails_those_who_wait_and_no_other(engine, target, tmp_path):
    broken = shutil.copytree(target, tmp_path / "broken")
    (broken / "model.safetensors").unlink()
    engine.send(submit(1, target, TEXT), submit(2, broken, TEXT), LoadModel(3, str(broken)))
    engine.run()
    assert engine.reason_of(1) == "length"
    for request_id in (2, 3):
        end = engine.end_of(request_id)
        assert isinstance(end, Failed)
        assert end.code == "model"
        assert "safetensors" in end.text


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("", {}, "request"),
        (" \n\u200b", {}, "request"),
        ("word " * 200, {}, "context"),
        (TEXT, {"drafter": "crystal-ball"}, "request"),
        (TEXT, {"temperature": -1.0}, "request"),
        (TEXT, {"max_tokens": 0}, "request"),
        (TEXT, {"seed": -1}, "request"),
    ],
)
def test_bad_request_fails_with_a_sentence_and_its_neighbour_goes_on(engine, plain, target, text, options, code):
    engine.send(submit(1, target, TEXT), submit(2, target, text, **options))
    engine.run()
    end = engine.end_of(2)
    assert isinstance(end, Failed)
    assert end.code == code
    assert end.text.endswith(".")
    assert engine.ids_of(1) == plain.ids_of(1)


@pytest.mark.parametrize("steps", range(6))
def test_cancel_ends_a_request_at_any_phase(engine, target, steps):
    engine.send(submit(1, target, "word " * 40, max_tokens=400))
    engine.step(steps)
    engine.send(Cancel(1))
    engine.run()
    assert engine.reason_of(1) == "cancelled"


def test_cancel_keeps_what_was_delivered(engine, plain, target):
    engine.send(submit(1, target, TEXT))
    engine.step_until(lambda: len(engine.ids_of(1)) == 10)
    engine.send(Cancel(1))
    engine.run()
    assert engine.ids_of(1) == plain.ids_of(1)[:10]
    assert engine.statistics_of(1).num_tokens == 10


def test_cancel_between_the_tokens_of_a_burst_keeps_those_before_it(data_dir, target, plain, script, monkeypatch):
    engine = Harness(data_dir)
    push = ReplyText.push

    def push_and_cancel(text, token_id, is_accepted):
        if token_id == plain.ids_of(1)[9]:
            engine.send(Cancel(1))
        return push(text, token_id, is_accepted)

    monkeypatch.setattr(ReplyText, "push", push_and_cancel)
    name = script("agreeing", plain.ids_of(1), [8], depth=8)
    engine.send(submit(1, target, TEXT, drafter=name))
    engine.run()
    assert engine.ids_of(1) == plain.ids_of(1)[:10]
    assert engine.reason_of(1) == "cancelled"


def test_o30_row_that_ends_inside_a_burst_stores_what_it_showed(engine, target, plain, script):
    name = script("agreeing", plain.ids_of(1), [6])
    engine.send(submit(1, target, TEXT, drafter=name, max_tokens=9))
    engine.run()
    assert engine.ids_of(1) == plain.ids_of(1)[:9]
    (loaded,) = [event for event in engine.events if isinstance(event, ModelLoaded)]
    shown = Turn("assistant", engine.text_of(1), tuple(engine.ids_of(1)), loaded.facts.tokenizer_id)
    earlier = (Turn("user", TEXT), shown)
    engine.send(submit(2, target, "and then?", drafter=name, earlier=earlier))
    engine.run()
    cold = Harness(engine.data_dir)
    cold.send(submit(1, target, "and then?", earlier=earlier))
    cold.run()
    assert engine.ids_of(2) == cold.ids_of(1)


def test_cancel_of_an_unknown_or_ended_request_does_nothing(engine, plain, target):
    engine.send(Cancel(7), submit(1, target, TEXT))
    engine.run()
    engine.send(Cancel(1))
    engine.run()
    assert engine.ids_of(1) == plain.ids_of(1)
    assert isinstance(engine.events[-1], Finished)


def test_load_that_nobody_waits_for_any_more_is_dropped(engine, target):
    engine.send(LoadModel(1, str(target)))
    engine.step()
    engine.send(Cancel(1))
    engine.run()
    assert engine.reason_of(1) == "cancelled"
    assert not [event for event in engine.events if isinstance(event, ModelLoaded)]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 9])
def test_o16_limit_inside_an_accepted_burst_is_exact(engine, plain, target, script, limit):
    name = script("agreeing", plain.ids_of(1), [8], depth=8)
    engine.send(submit(1, target, TEXT, drafter=name, max_tokens=limit))
    engine.run()
    assert engine.ids_of(1) == plain.ids_of(1)[:limit]
    assert engine.reason_of(1) == "length"


@pytest.mark.parametrize("drafted", [True, False])
def test_o14_stop_string_across_tokens_ends_the_reply_before_it(engine, plain, target, script, drafted):
    text = plain.text_of(1)
    stop = text[7:11]
    name = script("agreeing", plain.ids_of(1), [4], depth=4)
    engine.send(submit(1, target, TEXT, drafter=name if drafted else "none", stops=(stop,)))
    engine.run()
    assert engine.text_of(1) == text[: text.index(stop)]
    assert engine.reason_of(1) == "stop"


def test_end_id_inside_a_burst_is_not_delivered(engine, target, plain, script, tmp_path):
    ids = plain.ids_of(1)
    end_id = ids[5]
    folder = tiny_folder(tmp_path / "ending")
    (folder / "generation_config.json").write_text(f'{{"eos_token_id": [{end_id}]}}')
    name = script("agreeing", ids, [6])
    engine.send(submit(1, folder, TEXT, drafter=name))
    engine.run()
    assert engine.ids_of(1) == ids[: ids.index(end_id)]
    assert engine.reason_of(1) == "stop"


@pytest.mark.parametrize("drafter", ["none", "ngram"])
@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_continued_reply_equals_the_uninterrupted_one(engine, target, drafter, temperature):
    options = {"drafter": drafter, "temperature": temperature, "seed": 11}
    engine.send(submit(1, target, TEXT, **options))
    engine.run()
    engine.send(submit(2, target, TEXT, max_tokens=13, **options))
    engine.run()
    (loaded,) = [event for event in engine.events if isinstance(event, ModelLoaded)]
    half = Turn("assistant", engine.text_of(2), tuple(engine.ids_of(2)), loaded.facts.tokenizer_id)
    engine.send(submit(3, target, TEXT, later=(half,), max_tokens=27, **options))
    engine.run()
    assert engine.ids_of(2) + engine.ids_of(3) == engine.ids_of(1)
    assert engine.text_of(2) + engine.text_of(3) == engine.text_of(1)


def test_more_requests_than_the_batch_holds_wait_and_are_all_answered(engine, plain, target):
    engine.send(*(submit(request_id, target, TEXT) for request_id in range(1, 12)))
    engine.run()
    assert all(engine.ids_of(request_id) == plain.ids_of(1) for request_id in range(1, 12))
    assert max(engine.statistics_of(request_id).num_rows for request_id in range(1, 12)) <= 8
    assert "waiting" in {event.phase for event in engine.events_of(11) if isinstance(event, Progress)}
    assert list(dict.fromkeys(event.request_id for event in engine.events if isinstance(event, Delta))) == [
        *range(1, 12)
    ]


def test_model_that_cannot_be_batched_runs_alone_and_says_that_the_drafter_is_off(engine, tmp_path):
    lone = tiny_folder(tmp_path / "lone", rope_scaling={"rope_type": "dynamic", "factor": 2.0})
    engine.send(*(submit(request_id, lone, TEXT, drafter="ngram", max_tokens=30) for request_id in (1, 2)))
    engine.run()
    assert engine.ids_of(1) == engine.ids_of(2)
    assert len(engine.ids_of(1)) == 30
    assert [event.code for event in engine.events_of(1) if isinstance(event, Notice)] == ["drafter_off"]
    assert engine.statistics_of(1).num_proposed == 0


def test_failing_step_fails_its_rows_and_the_engine_goes_on(engine, plain, target, script, monkeypatch, caplog):
    name = script("breaking", [], [0])
    monkeypatch.setattr("engine.prove.scripted.ScriptedRows.propose", lambda *_: 1 / 0)
    engine.send(submit(1, target, TEXT, drafter=name))
    engine.run()
    assert isinstance(engine.end_of(1), Failed)
    assert "a step failed" in caplog.text
    caplog.clear()
    engine.send(submit(2, target, TEXT))
    engine.run()
    assert engine.ids_of(2) == plain.ids_of(1)


def test_question_is_answered_while_nothing_is_loaded(engine, target):
    engine.send(CountTokens(5, str(target), (Turn("user", TEXT),)))
    engine.run()
    (answer,) = engine.events
    assert isinstance(answer, Answer)
    assert isinstance(answer.value, TokenCount)
    assert answer.value.num_tokens > len(TEXT)


def test_deletion_and_questions_about_the_cache_are_answered(engine):
    engine.send(KeepConversations(("c",)), DeleteConversation("c"), DescribeCache(3), ClearCache(4))
    engine.run()
    assert engine.events == [ConversationDeleted("c"), Answer(3, CacheReport()), Answer(4, CacheReport())]


def test_shutdown_ends_every_request_as_cancelled(engine, target, tmp_path):
    other = tiny_folder(tmp_path / "other", seed=1)
    engine.send(submit(1, target, TEXT, max_tokens=400), submit(2, target, "word " * 50))
    engine.step(4)
    engine.send(submit(3, other, TEXT), Shutdown())
    engine.run()
    assert [engine.reason_of(request_id) for request_id in (1, 2, 3)] == ["cancelled"] * 3


def test_statistics_add_up(engine, looping_target):
    engine.send(submit(1, looping_target, TEXT, drafter="ngram", max_tokens=120))
    engine.run()
    statistics, deltas = engine.statistics_of(1), engine.deltas_of(1)
    assert statistics.num_proposed == sum(statistics.proposed_by_position) > 0
    assert statistics.num_accepted == sum(statistics.accepted_by_position) == sum(d.num_accepted for d in deltas) > 0
    assert statistics.num_tokens == len(engine.ids_of(1)) <= statistics.num_rounds + statistics.num_accepted
    assert statistics.tokens_per_forward == statistics.num_tokens / statistics.num_rounds


def test_import_of_a_gguf_file_that_was_cancelled_starts_anew(engine, data_dir, tmp_path):
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    import_gguf(path, data_dir).close()
    engine.send(LoadModel(1, str(path)))
    engine.run()
    assert [event for event in engine.events if isinstance(event, ModelLoaded)]
