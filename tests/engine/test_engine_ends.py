"""Ends that nobody asked for: a full context, a request that cannot be opened, an engine that failed as a whole."""

from __future__ import annotations

import mlx.core as mx

from engine.engine import STEPS_BETWEEN_CLEARS
from engine.messages import Failed, LoadModel, Notice, Shutdown
from engine.row_opening import open_row
from tests.engine.harness import TEXT, submit


def test_reply_ends_where_the_context_is_full_and_says_so(engine, target):
    engine.send(submit(1, target, "word " * 40, max_tokens=2000))
    engine.run()
    statistics = engine.statistics_of(1)
    assert statistics.num_prompt + statistics.num_tokens <= 512
    if engine.reason_of(1) == "length":
        assert statistics.num_prompt + statistics.num_tokens == 512
        assert [event.code for event in engine.events_of(1) if isinstance(event, Notice)] == ["context"]


def test_request_that_cannot_become_a_row_fails_alone(engine, plain, target, monkeypatch, caplog):
    def open_or_fail(request, *options):
        return open_row(request, *options) if request.request_id == 1 else 1 / 0

    monkeypatch.setattr("engine.requests.open_row", open_or_fail)
    engine.send(submit(1, target, TEXT), submit(2, target, TEXT))
    engine.run()
    assert isinstance(engine.end_of(2), Failed)
    assert engine.ids_of(1) == plain.ids_of(1)
    caplog.clear()


def test_engine_that_failed_as_a_whole_fails_every_request_once_and_works_again(engine, plain, target):
    engine.send(submit(1, target, TEXT), submit(2, target, TEXT))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    engine.send(submit(3, target, TEXT))
    engine.step()
    engine.engine.fail("It failed.")
    engine.run()
    assert [type(engine.end_of(request_id)) for request_id in (1, 2, 3)] == [Failed] * 3
    engine.send(submit(4, target, TEXT))
    engine.run()
    assert engine.ids_of(4) == plain.ids_of(1)


def test_buffers_are_cleared_now_and_then_and_not_every_step(engine, monkeypatch):
    clears = []
    monkeypatch.setattr(mx, "clear_cache", lambda: clears.append(1))
    engine.step(2 * STEPS_BETWEEN_CLEARS + 1)
    assert len(clears) == 2


def test_request_behind_a_shutdown_is_cancelled(engine, target):
    engine.send(submit(1, target, TEXT), Shutdown(), submit(2, target, TEXT), LoadModel(3, str(target)))
    engine.run()
    assert [engine.reason_of(index) for index in (1, 2, 3)] == ["cancelled"] * 3
