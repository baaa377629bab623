"""What the user asked to measure; a wrong option is told before anything is loaded."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from pathlib import Path

from engine.command_line import BadInputError, check_json_file, check_least, read_drafters, split_names

MAX_BATCH = 8  # rows that the engine runs in one forward


@dataclass(frozen=True, slots=True)
class Plan:
    model: str
    prompts: str
    limit: int | None
    max_tokens: int
    batch_sizes: tuple[int, ...]
    drafters: tuple[str, ...]
    repeats: int
    seed: int | None
    json: Path | None

    @property
    def command(self) -> str:
        """The command line that asks for this, defaults written out."""
        options = {
            "--model": self.model,
            "--prompts": self.prompts,
            "--limit": self.limit,
            "--seed": self.seed,
            "--max-tokens": self.max_tokens,
            "--batch": ",".join(map(str, self.batch_sizes)),
            "--drafters": ",".join(self.drafters),
            "--repeats": self.repeats,
        }
        words = [word for name, value in options.items() if value is not None for word in (name, str(value))]
        return shlex.join(["slipstream-engine", "bench", *words])


def read_plan(options: argparse.Namespace) -> Plan:
    """The options of a command line; raises BadInputError."""
    check_least(options, 1, "limit", "max_tokens", "repeats")
    check_json_file(options.json)
    return Plan(
        options.model,
        options.prompts,
        options.limit,
        options.max_tokens,
        read_batch_sizes(options.batch),
        read_drafters(options.drafters),
        options.repeats,
        options.seed,
        options.json,
    )


def read_batch_sizes(text: str) -> tuple[int, ...]:
    """Numbers from 1 to the most rows of a batch, each once; raises BadInputError."""
    names = split_names(text)
    if not names or not all(name.isdecimal() and 1 <= int(name) <= MAX_BATCH for name in names):
        raise BadInputError(f"--batch is {text!r}; give numbers from 1 to {MAX_BATCH} with commas between, as in 1,4")
    return tuple(dict.fromkeys(int(name) for name in names))
