"""Memory reports: weights, rows and the prompt cache, whatever the engine does at the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.messages import DescribeMemory, MemoryReport
from engine.models.device import memory_limit
from tests.engine.harness import TEXT, Harness, submit


def ask(engine: Harness, request_id: int) -> MemoryReport:
    """The answer that the next step gives."""
    engine.send(DescribeMemory(request_id))
    engine.step()
    report = engine.answer_to(request_id)
    assert isinstance(report, MemoryReport)
    return report


def test_an_engine_that_holds_nothing_tells_its_limit(engine: Harness) -> None:
    report = ask(engine, 1)
    assert report.limit_bytes > 0
    assert report == MemoryReport(limit_bytes=report.limit_bytes, device=report.device)
    assert report.device.partition(",")[0] in ("CPU", "Metal", "CUDA")


def test_weights_and_rows_are_told_while_a_reply_runs(engine: Harness, target: Path, drafters: dict[str, str]) -> None:
    engine.send(submit(1, target, TEXT, drafter=drafters["other model"]))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    report = ask(engine, 2)
    assert report.num_rows == 1
    assert report.weight_bytes == report.drafter_bytes == engine.engine.target(str(target)).weight_bytes > 0
    assert min(report.kv_bytes, report.drafter_kv_bytes) > 0
    assert report.cache_bytes == 0
    engine.run()


def test_rows_that_left_take_nothing_and_weights_stay(data_dir: Path, target: Path, tmp_path: Path) -> None:
    engine = Harness(data_dir, cache_dir=tmp_path / "cache")
    engine.send(submit(1, target, TEXT))
    engine.run()
    report = ask(engine, 2)
    assert (report.num_rows, report.kv_bytes, report.drafter_bytes, report.drafter_kv_bytes) == (0, 0, 0, 0)
    assert min(report.weight_bytes, report.cache_bytes) > 0
    engine.close()


def test_rows_are_told_while_prompts_are_read(engine: Harness, target: Path) -> None:
    engine.send(submit(1, target, TEXT * 20), submit(2, target, TEXT))
    engine.step_until(lambda: ask(engine, len(engine.events) + 1000).num_rows > 0)
    assert not engine.deltas_of(1)
    engine.run()


@pytest.mark.parametrize("held_bytes", [0, 1 << 30])
def test_the_limit_is_no_less_than_what_is_held(held_bytes: int) -> None:
    assert memory_limit(held_bytes) >= held_bytes
