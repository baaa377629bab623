"""Requests, loads, unloads and stops in any order, with memory that comes and goes: all are answered once.

SLIPSTREAM_SOAK_ROUNDS makes it longer (`make soak`).
"""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine.messages import (
    UNQUANTISED,
    Cancel,
    Command,
    Failed,
    Finished,
    KvScheme,
    LoadModel,
    ModelLoaded,
    ModelUnloaded,
    Shutdown,
    Turn,
    UnloadModel,
)
from tests.engine.families import FAMILIES
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.tiny import tiny_folder

NUM_ORDERS = int(os.environ.get("SLIPSTREAM_SOAK_ROUNDS", "1000")) // 200
NUM_MOVES = 35
FAULT = "It failed."
LEFT = (0, 200_000, 1_000_000, 8_000_000, 1 << 40)  # bytes


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("several")
    families = ["llama", "gemma3_text", "qwen3_next"]
    return [tiny_folder(folder / name, name, **FAMILIES[name]) for name in families]


class Orders:
    """Random commands, and which of the requests among them were made."""

    def __init__(self, data_dir: Path, models: list[Path], seed: int) -> None:
        self._models, self._chance = models, random.Random(seed)
        self.engine = Harness(data_dir, cache_dir=data_dir / "cache", memory_limit=lambda held: self.limit_bytes)
        self.are_loads: list[bool] = []  # of the requests 1, 2, …
        self.unloads: list[UnloadModel] = []
        self.standing: list[UnloadModel] = []  # of these, those that no LoadModel may have taken back
        self.limit_bytes = 1 << 60

    def move(self) -> None:
        """Send one command and step now and then."""
        moves: list[Callable[[], Command | None]] = [self._submit, self._load, self._unload, self._cancel, self._limit]
        (move,) = self._chance.choices(moves, [6, 2, 2, 3, 1])
        if (command := move()) is not None:
            self.engine.send(command)
        self.engine.step(self._chance.choice([0, 1, 1, 2, 5]))

    def assert_each_ends_once_and_last(self) -> None:
        for request_id, is_load in enumerate(self.are_loads, 1):
            kinds = (Finished, Failed, ModelLoaded) if is_load else (Finished, Failed)
            events = self.engine.events_of(request_id)
            assert [event for event in events if isinstance(event, kinds)] == events[-1:], request_id

    def assert_each_leave_is_told_unless_it_is_taken_back(self) -> None:
        for unload in self.unloads:
            num_told = self.engine.events.count(ModelUnloaded(unload.target))
            assert self.standing.count(unload) <= num_told <= self.unloads.count(unload)

    def _new(self, *, is_load: bool) -> int:
        self.are_loads.append(is_load)
        return len(self.are_loads)

    def _submit(self) -> Command:
        choose = self._chance.choice
        return submit(
            self._new(is_load=False),
            choose(self._models),
            TEXT * choose([1, 1, 3, 16]),
            drafter=choose(["none", "ngram", "suffix", *(f"model:{model}" for model in self._models)]),
            kv=choose([UNQUANTISED, UNQUANTISED, KvScheme(8, 32), KvScheme(4, 32, 16)]),
            later=choose([(), (), (Turn("assistant", "and then"),)]),
            chat=choose("abc"),
            max_tokens=choose([1, 5, 30, 60]),
        )

    def _load(self) -> Command:
        load = LoadModel(self._new(is_load=True), str(self._chance.choice(self._models)))
        self.standing = [one for one in self.standing if one.target != load.target]
        return load

    def _unload(self) -> Command:
        unload = UnloadModel(str(self._chance.choice(self._models)))
        self.unloads.append(unload)
        self.standing.append(unload)
        return unload

    def _cancel(self) -> Command:
        return Cancel(self._chance.randint(1, len(self.are_loads) + 1))

    def _limit(self) -> None:
        self.limit_bytes = mx.get_active_memory() + self._chance.choice(LEFT)


def finish(engine: Harness, ending: str) -> None:
    """Let all end by itself, be ended, or fail."""
    if ending == "shut down":
        engine.send(Shutdown())
    if ending == "fail":
        engine.step()
        engine.engine.fail(FAULT)
    else:
        engine.run()


@pytest.mark.parametrize("seed", range(NUM_ORDERS))
def test_whatever_the_order_all_is_answered_once_and_memory_returns(seed, data_dir, models):
    before = mx.get_active_memory()
    orders = Orders(data_dir, models, seed)
    engine = orders.engine
    for _ in range(NUM_MOVES):
        orders.move()
    finish(engine, ("run", "shut down", "fail")[seed % 3])
    orders.assert_each_ends_once_and_last()
    orders.assert_each_leave_is_told_unless_it_is_taken_back()
    faults = [event.text for event in engine.events if isinstance(event, Failed) and event.code == "engine"]
    assert set(faults) <= {FAULT}
    engine.close()
    del engine, orders
    gc.collect()
    assert mx.get_active_memory() - before <= 4096
