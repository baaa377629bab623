"""The prompts that drafters are measured with."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from engine.messages import Turn

Prompt = tuple[Turn, ...]
NUM_BATCHES = 3  # of replies at once


@cache
def prompts() -> tuple[Prompt, ...]:
    """A question, code to write and a text to repeat with changes, twice."""
    text = (files("resources") / "prompts" / "speed.jsonl").read_text(encoding="utf-8")
    return tuple((Turn("user", json.loads(line)["turns"][0]),) for line in text.splitlines())


def batches(num_replies: int) -> tuple[tuple[Prompt, ...], ...]:
    """Prompts to be answered at once, each batch with some of every kind."""
    known = prompts()
    starts = range(0, 2 * NUM_BATCHES, 2)
    return tuple(tuple(known[(start + place) % len(known)] for place in range(num_replies)) for start in starts)
