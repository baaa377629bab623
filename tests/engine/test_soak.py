"""Rows that come, go, are stopped and are accepted at random: each one's text is its text alone, and memory is flat.

SLIPSTREAM_SOAK_ROUNDS makes it longer (`make soak`).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine.messages import Cancel, Finished
from tests.engine.families import FAMILIES
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_folder

ROUNDS = int(os.environ.get("SLIPSTREAM_SOAK_ROUNDS", "1000"))
SOAKED = ("gemma3_text", "llama", "qwen3_next")  # windows, full attention, recurrent state
NUM_ROWS = 8
LONGEST = 50
TEXTS = [("one two three " * count)[: 3 + 7 * count] for count in range(1, 10)]


class Crowd:
    """At most eight random requests at a time, and what each of them should have written."""

    def __init__(self, engine: Harness, family: Path, truths: list[list[int]], drafters: list[str]) -> None:
        self.engine = engine
        self.texts: dict[int, int] = {}  # request to the index of its text
        self._family, self._truths, self._drafters = family, truths, drafters
        self._chance = random.Random(len(truths[0]))

    def live(self) -> list[int]:
        ended = {event.request_id for event in self.engine.events if isinstance(event, Finished)}
        return [request_id for request_id in self.texts if request_id not in ended]

    def move(self) -> None:
        """Now and then add a request or stop one, then step."""
        live = self.live()
        if len(live) < NUM_ROWS and self._chance.random() < 0.4:
            self._add()
        if live and self._chance.random() < 0.04:
            self.engine.send(Cancel(self._chance.choice(live)))
        self.engine.step()

    def _add(self) -> None:
        request_id, text = len(self.texts) + 1, self._chance.randrange(len(TEXTS))
        drafter = self._chance.choice(["none", "ngram", "suffix", f"model:{self._family}", self._drafters[text]])
        limit = self._chance.randint(1, LONGEST)
        self.texts[request_id] = text
        self.engine.send(submit(request_id, self._family, TEXTS[text], drafter=drafter, max_tokens=limit, **rule(text)))

    def assert_texts_are_as_alone(self) -> None:
        for request_id, text in self.texts.items():
            ids = self.engine.ids_of(request_id)
            assert ids == self._truths[text][: len(ids)], f"request {request_id} of text {text}"
            assert self.engine.reason_of(request_id) in {"length", "stop", "cancelled"}


def rule(text: int) -> dict[str, float]:
    """Every third text is sampled."""
    return {"temperature": 0.7, "seed": text} if text % 3 == 2 else {}


def settled_memory(engine: Harness) -> int:
    engine.run()
    mx.clear_cache()
    return mx.get_active_memory()


@pytest.mark.parametrize("name", SOAKED)
def test_random_rows_each_write_what_they_write_alone(
    name: str, data_dir: Path, tmp_path: Path, script: Callable[..., str]
) -> None:
    family = tiny_folder(tmp_path / name, name, **FAMILIES[name])
    plain = Harness(data_dir)
    for text in range(len(TEXTS)):
        plain.send(submit(text, family, TEXTS[text], max_tokens=LONGEST, **rule(text)))
        plain.run()
    truths = [plain.ids_of(text) for text in range(len(TEXTS))]
    drafters = [script(f"scripted-{i}", truth, [i % 7, 6, 0, 2]) for i, truth in enumerate(truths)]
    crowd = Crowd(Harness(data_dir), family, truths, drafters)
    for _ in range(ROUNDS // 2):
        crowd.move()
    before = settled_memory(crowd.engine)
    for _ in range(ROUNDS // 2):
        crowd.move()
    assert settled_memory(crowd.engine) <= before + 1024
    crowd.assert_texts_are_as_alone()
    assert len(crowd.texts) > ROUNDS // 8
