"""`slipstream-engine prove`: its options, and what it prints."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.command_line import (
    ENGINE_FAILED,
    INTERRUPTED,
    BadInputError,
    Commands,
    EngineFailedError,
    check_json_file,
    check_least,
    read_drafters,
    read_prompts,
    split_names,
    tell,
    write_json_file,
)
from engine.drafters.name import CHOICES
from engine.models.file_limit import import_mlx_lm

if TYPE_CHECKING:
    from engine.prove.proof import Proof

DIFFERENT = 1


def add_prove(commands: Commands) -> None:
    """Add the command to the tool's subparsers."""
    prove = commands.add_parser("prove", help="check on your model that drafting and batching change no text")
    prove.add_argument("--model", default="", metavar="PATH", help="as for ask; the starter model where left out")
    prove.add_argument("--drafters", default="none,ngram,suffix", metavar="NAMES", help=f"{CHOICES}; with commas")
    prove.add_argument("--prompts", type=Path, metavar="FILE", help='JSON lines, each {"prompt": "…"}')
    prove.add_argument("--max-tokens", type=int, default=64, help="of each reply; 64 where left out")
    prove.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="sampled replies a prompt, beside the greedy one"
    )
    prove.add_argument("--json", type=Path, metavar="FILE", help="write what was found to a file too")
    prove.set_defaults(run=run_prove)


def run_prove(options: argparse.Namespace) -> int:
    """Returns the exit status: 0, 1 for a real difference or an engine that failed, 130 if interrupted.

    Raises BadInputError. MLX is imported here, so that the tool's other commands start without it.
    """
    check_json_file(options.json)
    check_least(options, 1, "max_tokens")
    check_least(options, 0, "seeds")
    import_mlx_lm()
    from engine.prove.proof import Proof

    proof = Proof()
    status = 0
    try:
        _prove(proof, options)
    except KeyboardInterrupt:
        tell("interrupted")
        status = INTERRUPTED
    except EngineFailedError as error:
        tell(str(error))
        status = ENGINE_FAILED
    _print(proof, options.json)
    return DIFFERENT if proof.num_differences else status


def _prove(proof: Proof, options: argparse.Namespace) -> None:
    from engine.drafters.table import choices
    from engine.models.locate import default_data_dir
    from engine.prove.cases import PROMPTS, make_cases
    from engine.prove.driver import Driver
    from engine.prove.proof import run_proof
    from engine.prove.scripted import STRESS

    if STRESS in split_names(options.drafters):
        raise BadInputError(f"{STRESS!r} always takes part and is not named; give --drafters of: {choices()}")
    drafters = read_drafters(options.drafters)
    prompts = PROMPTS if options.prompts is None else read_prompts(options.prompts)
    cases = make_cases(prompts, options.seeds, options.max_tokens)
    run_proof(proof, Driver(options.model, default_data_dir(), tell), cases, drafters, tell)


def _print(proof: Proof, json_path: Path | None) -> None:
    from engine.prove.report import describe, table

    for line in table(proof):
        print(line)
    if json_path is not None:
        write_json_file(json_path, describe(proof), indent=1)
