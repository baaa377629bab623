"""Counts say what the prompt cache holds of a prompt, and change nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.messages import CountTokens, KvScheme, TokenCount, Turn
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.restarts import LONG, Chat


def count(engine: Harness, target: Path, *turns: Turn, request_id: int = 7) -> TokenCount:
    engine.send(CountTokens(request_id, str(target), turns))
    engine.step()
    answer = engine.answer_to(request_id)
    assert isinstance(answer, TokenCount)
    return answer


@pytest.fixture
def cached(data_dir: Path, tmp_path: Path) -> Harness:
    return Harness(data_dir, cache_dir=tmp_path / "cache")


def test_of_a_target_that_is_not_loaded_nothing_is_known(cached: Harness, target: Path) -> None:
    assert count(cached, target, Turn("user", TEXT)).num_cached is None


def test_without_a_cache_nothing_is_held(engine: Harness, target: Path) -> None:
    engine.send(submit(1, target, TEXT, max_tokens=2))
    engine.run()
    assert count(engine, target, Turn("user", TEXT)).num_cached == 0


@pytest.mark.parametrize("kv", [KvScheme(), KvScheme(8, 32)], ids=["unquantised", "8 bits"])
def test_a_count_tells_what_the_reply_will_not_read(data_dir: Path, tmp_path: Path, target: Path, kv: KvScheme) -> None:
    chat = Chat(target, data_dir, tmp_path / "cache", kv=kv)
    engine = chat.start()
    engine.send(chat.request(LONG, max_tokens=12))
    engine.run()
    chat.take(LONG, engine)
    counted = count(engine, target, *chat.turns, Turn("user", "and?"))
    engine.send(submit(2, target, "and?", earlier=chat.turns, kv=kv, chat=chat.name, max_tokens=1))
    engine.run()
    statistics = engine.statistics_of(2)
    assert (counted.num_tokens, counted.num_cached) == (statistics.num_prompt, statistics.num_cached)
    assert counted.num_cached > len(LONG)
    engine.close()


def test_what_is_on_disk_alone_counts_and_stays_there(data_dir: Path, tmp_path: Path, target: Path) -> None:
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask(LONG)
    engine = chat.start()
    engine.send(submit(1, target, "x", max_tokens=1, chat="other"))
    engine.run()
    before = engine.cache_bytes(8)
    assert count(engine, target, *chat.turns, Turn("user", "x")).num_cached > len(LONG)
    assert engine.cache_bytes(9) == before
    engine.close()


def test_a_count_is_answered_between_two_steps_of_a_reply(cached: Harness, target: Path) -> None:
    cached.send(submit(1, target, TEXT, max_tokens=60))
    cached.step_until(lambda: len(cached.deltas_of(1)) == 3)
    assert count(cached, target, Turn("user", TEXT)).num_cached is not None
    assert len(cached.deltas_of(1)) <= 5
    cached.run()
    cached.close()
