"""Prefill: chunks that last about a quarter second, beside rows that run."""

from __future__ import annotations

from typing import cast

import mlx.core as mx
import pytest

from engine.drafters.none import NoDrafter
from engine.messages import Delta, Event, Progress, Sampling
from engine.models.facts import read_facts
from engine.prefill import (
    ATTENTION_CELLS,
    COHORT_TOKENS,
    FIRST_CHUNK,
    MAX_CHUNK,
    MIN_CHUNK,
    Cohort,
    chunk_length,
    chunk_width,
)
from engine.row import Row
from engine.statistics import ReplyCounter
from engine.target import Target
from engine.text.reply_text import ReplyText
from tests.engine.harness import submit
from tests.engine.tiny import tiny_model


@pytest.mark.parametrize(
    ("tokens_per_second", "previous", "expected"),
    [
        (0.0, 64, FIRST_CHUNK),
        (400.0, 64, 100),
        (4.0, 64, MIN_CHUNK),
        (1e6, 64, 256),
        (1e6, 1024, MAX_CHUNK),
    ],
)
def test_chunk_length_follows_the_measured_speed(tokens_per_second, previous, expected):
    assert chunk_length(tokens_per_second, previous) == expected


def is_step_of_either(event: Event) -> bool:
    is_reading = isinstance(event, Progress) and event.phase == "reading" and event.request_id == 2
    return is_reading or (isinstance(event, Delta) and event.request_id == 1)


def test_running_row_gets_tokens_between_the_chunks_of_a_long_prompt(engine, target):
    engine.send(submit(1, target, "short", max_tokens=400))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    engine.send(submit(2, target, "long " * 80, max_tokens=2))
    engine.run()
    order = "".join("d" if isinstance(event, Delta) else "r" for event in engine.events if is_step_of_either(event))
    assert order.count("r") >= 2
    assert "rr" not in order


def test_progress_counts_up_to_the_whole_prompt(engine, target):
    engine.send(submit(1, target, "word " * 40, max_tokens=1))
    engine.run()
    progress = [event for event in engine.events_of(1) if isinstance(event, Progress) and event.phase == "reading"]
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    assert progress[-1].done == progress[-1].total == engine.statistics_of(1).num_prompt


def test_chunk_takes_real_tokens_of_every_row_only():
    assert chunk_width(300, [200, 7, 90], num_read=0) == 7
    assert chunk_width(300, [200, 300, 900], num_read=0) == 100
    assert chunk_width(8, [200, 300, 900], num_read=0) == MIN_CHUNK


def test_chunk_shrinks_at_long_contexts_so_that_attention_stays_bounded():
    width = chunk_width(MAX_CHUNK, [100_000], num_read=78_000)
    assert MIN_CHUNK < width < MAX_CHUNK
    assert width * (78_000 + width) <= ATTENTION_CELLS


def test_prompt_is_read_but_for_its_last_token(engine, target):
    engine.send(submit(1, target, "word " * 20, max_tokens=6))
    engine.run()
    assert engine.statistics_of(1).num_rounds == engine.statistics_of(1).num_tokens == 6


def test_first_token_is_delivered_by_the_first_round(engine, target):
    engine.send(submit(1, target, "word " * 20, max_tokens=6))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    assert len(engine.deltas_of(1)) == engine.deltas_of(1)[0].statistics.num_rounds == 1


def test_prefill_computes_no_logits(target):
    model = Target(tiny_model("llama", vocab_size=50_000), read_facts("", target))
    rows = model.open_rows()
    rows.prepare_append([None]).commit()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    model.prefill(rows, [[1] * 400])
    assert mx.get_peak_memory() - before < 400 * 50_000 * 4 / 8


def row_of(length: int) -> Row:
    return Row(1, [1] * length, Sampling(), (), NoDrafter(), cast(ReplyText, None), ReplyCounter(0.0))


def test_cohort_admits_within_its_token_budget(target, data_dir):
    cohort = Cohort(Target(tiny_model("llama", vocab_size=259), read_facts("", target)))
    rows = [row_of(length) for length in (COHORT_TOKENS + 5, 10)]
    assert cohort.can_admit(rows[0])
    cohort.admit(rows[0])
    assert not cohort.can_admit(rows[1])
    cohort.remove(rows[0])
    cohort.admit(rows[1])
    assert cohort.can_admit(row_of(COHORT_TOKENS - 10))
    assert not cohort.can_admit(row_of(COHORT_TOKENS - 9))


def test_speed_that_decides_on_the_disk_is_that_of_chunks_which_launches_do_not_bind(engine, target):
    engine.send(submit(1, target, "x" * 60, max_tokens=1))
    engine.run()
    reader = engine.engine.target(str(target))
    assert reader.prefill_tokens_per_second > 0 == reader.long_prefill_tokens_per_second
    engine.send(submit(2, target, "x" * 400, max_tokens=1))
    engine.run()
    assert reader.long_prefill_tokens_per_second > 0
