"""Prefill: chunks that last about a quarter second, beside rows that run."""

from __future__ import annotations

import pytest

from engine.messages import Delta, Event, Progress
from engine.prefill import FIRST_CHUNK, MAX_CHUNK, MIN_CHUNK, chunk_length
from tests.engine.harness import submit


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
