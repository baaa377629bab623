"""Memory that rows hold of the prompt cache until they are read on from there: it cannot go for others."""

from __future__ import annotations

import gc

import mlx.core as mx

from engine.memory import Memory
from engine.prompt_cache.report import CacheSettings
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.prompt_cache.chats import Cached, text

A = text(1, 1000)


def test_state_that_a_row_holds_is_room_for_that_row_alone():
    cached = Cached(settings=CacheSettings(ram_bytes=1 << 30, budget_bytes=1 << 30))
    memory = Memory(lambda: cached.cache, lambda: 0, lambda: 0, lambda held: 1 << 40)
    cached.put("a", A)
    (held,) = cached.find("a", A).states
    assert held is not None
    others, own = memory.room_bytes(), memory.room_bytes([held])
    assert own - others == cached.cache.held_bytes() == cached.cache.ram_bytes > 0
    assert not memory.take(own)
    assert memory.take(own, [held])
    del held
    assert cached.cache.held_bytes() == 0


def test_rows_that_wait_let_go_of_what_they_hold_where_the_first_would_never_start(data_dir, tmp_path, target):
    limits = [1 << 60]
    engine = Harness(data_dir, cache_dir=tmp_path / "cache", memory_limit=lambda held: limits[0])
    for number, chat in enumerate("bc", 1):
        engine.send(submit(number, target, chat + TEXT * 20, chat=chat, max_tokens=2))
        engine.run()
    size = engine.engine.target(str(target)).row_size
    engine.send(submit(3, target, TEXT, max_tokens=60))
    engine.step_until(lambda: bool(engine.ids_of(3)))
    gc.collect()
    limits[0] = mx.get_active_memory() + size.working_bytes - 40_000  # room for one, once the other's part is gone
    engine.send(*(submit(10 + n, target, chat + TEXT * 20, chat=chat, max_tokens=90) for n, chat in enumerate("bc")))
    engine.run()
    assert [engine.reason_of(number) for number in (3, 10, 11)] == ["length"] * 3
    engine.close()
