"""Acceptance of drafters by category and by position: `python -m tests.benchmarks.acceptance --help`.

Replies are greedy, every proposal is verified, and every first turn of a file's prompts is one reply. The acceptance
length is all tokens over all rounds, the target's own token of each round included; replies that loop count apart too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.blas import preload_blas
from engine.command_line import read_json_lines
from engine.models.file_limit import import_mlx_lm

DEPTH = 7  # tokens that are proposed at most
LOOP_LENGTH, LOOP_SPAN, LOOP_DISTINCT = 100, 64, 16


@dataclass
class Tally:
    """Rounds and tokens of some replies."""

    replies: int = 0
    tokens: int = 0
    rounds: int = 0
    reached: list[int] = field(default_factory=lambda: [0] * DEPTH)
    accepted: list[int] = field(default_factory=lambda: [0] * DEPTH)

    def add(self, statistics: Any) -> None:
        self.replies += 1
        self.tokens += statistics.num_tokens
        self.rounds += statistics.num_rounds
        for place, (reached, accepted) in enumerate(
            zip(statistics.reached_by_position[:DEPTH], statistics.accepted_by_position[:DEPTH], strict=True)
        ):
            self.reached[place] += reached
            self.accepted[place] += accepted

    def describe(self) -> dict[str, Any]:
        by_position = [round(done / most, 3) for done, most in zip(self.accepted, self.reached, strict=True) if most]
        length = round(self.tokens / max(self.rounds, 1), 3)
        return {"replies": self.replies, "tokens": self.tokens, "length": length, "by_position": by_position}


def loops(token_ids: Sequence[int]) -> bool:
    """Whether a reply has come to say the same over and over."""
    return len(token_ids) >= LOOP_LENGTH and len(set(token_ids[-LOOP_SPAN:])) < LOOP_DISTINCT


def measure(target: Any, drafter: str, prompts: Sequence[tuple[str, str]], max_tokens: int) -> dict[str, Any]:
    """Figures by category; prompts are (category, text)."""
    from engine.depth import FullDepth
    from engine.engine import Engine
    from engine.messages import Delta, Failed, Finished, Sampling, Submit, Turn
    from engine.text.thread import InlineText

    ids: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, Any] = {}

    def take(event: object) -> None:
        if isinstance(event, Delta):
            ids[event.request_id] += event.token_ids
        elif isinstance(event, Finished | Failed):
            ends[event.request_id] = event

    class SevenDeep(FullDepth):
        """No more than DEPTH tokens of any proposal."""

        def decide(self, rows: Any, known: Any, where: Any) -> Any:
            return super().decide([_shallow(row) for row in rows], known, where)

    with TemporaryDirectory() as folder:
        engine = Engine(take, InlineText(Path(folder)), Path(folder), depth=SevenDeep())
        engine.adopt(target)
        sampling = Sampling(max_tokens=max_tokens)
        for number, (_, text) in enumerate(prompts):
            turns = (Turn("user", text),)
            engine.send(Submit(number, f"chat-{number}", target.facts.target, drafter, turns, sampling))
        engine.run()
    tallies: dict[str, Tally] = defaultdict(Tally)
    for number, (category, _) in enumerate(prompts):
        end = ends[number]
        if isinstance(end, Failed):
            print(f"{drafter}: {end.text}", file=sys.stderr)
            continue
        for name in (category, "all", "all, loops" if loops(ids[number]) else "all but loops"):
            tallies[name].add(end.statistics)
    return {name: tally.describe() for name, tally in sorted(tallies.items())}


def _shallow(candidate: Any) -> Any:
    from dataclasses import replace

    return replace(candidate, room=min(candidate.room, DEPTH))


def read(paths: Iterable[Path], limit: int | None) -> Iterator[tuple[str, str]]:
    for path in paths:
        for _, value in list(read_json_lines(path))[:limit]:
            text = value["turns"][0] if "turns" in value else value["prompt"]
            yield f"{path.stem} {value.get('category', '')}".strip(), text


def main() -> int:
    preload_blas()
    import_mlx_lm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="", metavar="PATH")
    parser.add_argument("--drafters", required=True, metavar="NAME,NAME")
    parser.add_argument("--prompts", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--limit", type=int, help="the first N prompts of each file")
    parser.add_argument("--max-tokens", type=int, default=192)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    from engine.training.target import open_target

    target = open_target(options.model)
    prompts = [*read(options.prompts, options.limit)]
    results = {}
    for drafter in options.drafters.split(","):
        results[drafter] = measure(target, drafter, prompts, options.max_tokens)
        for name, figures in results[drafter].items():
            print(f"{drafter:40} {name:28} {figures['length']:6.2f}  {figures['by_position']}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
