"""What a proof asks for: every prompt, greedy and with each seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from engine.messages import Sampling

TEMPERATURE = 0.8
PROMPTS = (
    "Write the alphabet three times.",
    "Repeat this function, but rename `total` to `amount`:\n\n"
    "def add_up(prices, discount):\n"
    "    total = 0\n"
    "    for price in prices:\n"
    "        total = total + price\n"
    "    if discount:\n"
    "        total = total - total * discount\n"
    "    return total\n",
    "Why?",
    "Say «good morning, my friend» in French, Spanish and 日本語, one line each, and explain every word of it in one "
    "short sentence.",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One reply that every way of making it has to agree on; `index` counts the cases of a proof from 0."""

    index: int
    prompt: str
    sampling: Sampling
    label: str


def make_cases(prompts: Sequence[str], num_seeds: int, max_tokens: int) -> list[Case]:
    """Each prompt with each way of sampling, prompts first, so that cases that follow each other differ in length."""
    samplings = product(_samplings(num_seeds, max_tokens), enumerate(prompts, start=1))
    return [
        Case(index, prompt, sampling, f"prompt {number}, {name}")
        for index, ((name, sampling), (number, prompt)) in enumerate(samplings)
    ]


def _samplings(num_seeds: int, max_tokens: int) -> Iterator[tuple[str, Sampling]]:
    yield "greedy", Sampling(max_tokens=max_tokens)
    for seed in range(1, num_seeds + 1):
        yield f"seed {seed}", Sampling(temperature=TEMPERATURE, seed=seed, max_tokens=max_tokens)
