"""What `make bench` runs: replies that repeat their prompt, then replies that have nothing to copy."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.headless import main

PROJECT = Path(__file__).parents[2]
SETS = ("code_edit", str(PROJECT / "tests" / "data" / "nothing_to_copy.jsonl"))


def run(arguments: list[str]) -> int:
    """Measure both sets, each saved as JSON under build/; ends with the first that fails or is interrupted."""
    folder = PROJECT / "build" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    for prompts in SETS:
        saved = folder / f"{Path(prompts).stem}.json"
        status = main(["bench", "--prompts", prompts, "--limit", "12", "--json", str(saved), *arguments])
        print(flush=True)
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
