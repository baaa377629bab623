"""`slipstream-engine train-drafter`: its options, and what it says on its way."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine.command_line import (
    BadInputError,
    Commands,
    EngineFailedError,
    check_least,
    tell,
)

if TYPE_CHECKING:
    from engine.training.plan import TrainingPlan

UNFINISHED = 4
_SECONDS_BETWEEN_WORDS = 2.0
_STATUSES = (
    "The exit status is 0; 1 where the engine failed, 2 for what cannot be asked, 4 where --minutes or Ctrl+C ended it "
    "before its time: the same command goes on from there."
)


def add_train_drafter(commands: Commands) -> None:
    parser = commands.add_parser(
        "train-drafter", help="teach a drafter to write like a model, from the model's own replies", epilog=_STATUSES
    )
    parser.set_defaults(run=_train)
    parser.add_argument("folder", type=Path, help="where everything goes: prompts, replies, the drafter")
    parser.add_argument("--target", default="", metavar="PATH", help="the model; the starter where it is left out")
    parser.add_argument("--kind", default="eagle3", help="eagle3, a head of one layer that reads five of the model's")
    parser.add_argument("--prompts", type=Path, metavar="PATH", help="JSON lines with `prompt` or `turns`, or a folder")
    parser.add_argument(
        "--held-out",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="prompts that nothing is learned from",
    )
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="end this run after so long; 0, the default: when done"
    )
    parser.add_argument("--questions", type=int, default=24_000, metavar="N", help="that the model asks itself")
    parser.add_argument("--passages", type=int, default=3_600, metavar="N", help="that it writes to be asked about")
    parser.add_argument("--steps", type=int, default=6_000, metavar="N", help="of learning")
    parser.add_argument("--rows", type=int, default=256, metavar="N", help="replies that are written at once")
    parser.add_argument("--batch-tokens", type=int, default=16_384, metavar="N", help="tokens of one step")
    parser.add_argument("--vocabulary", type=int, default=16_384, metavar="N", help="tokens that it can propose")
    parser.add_argument("--rate", type=float, default=1.5e-3, help="highest learning rate")
    parser.add_argument("--bits", type=int, default=4, choices=(0, 4, 8), help="of the drafter's weights; 0 for bf16")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only-teach", action="store_true", help="learn from the replies that are there")
    parser.add_argument("--only-gather", action="store_true", help="write the replies, and teach nothing")


def _train(options: argparse.Namespace) -> int:
    check_least(options, 0, "minutes", "questions", "passages")
    check_least(options, 1, "steps", "rows", "batch_tokens", "vocabulary")
    plan = _plan(options)
    from engine.models.errors import ModelError
    from engine.models.file_limit import import_mlx_lm

    import_mlx_lm()
    from engine.text.tokenizer import load_tokenizer
    from engine.training.gathering import StoppedError
    from engine.training.prompts import read_training_prompts
    from engine.training.session import TrainingSession
    from engine.training.target import open_target

    given = read_training_prompts(options.prompts) if options.prompts else []
    held_out = [turn for path in options.held_out for prompt in read_training_prompts(path) for turn in prompt.turns]
    if len(given) + options.questions < 1:
        raise BadInputError("there is nothing to learn from: give --prompts, or --questions above 0")
    told = _Words(options.minutes)
    try:
        target = open_target(options.target)
        session = TrainingSession(target, load_tokenizer(Path(target.facts.folder)), options.folder, plan, told.goes_on)
        corpus = session.corpus() if options.only_teach else session.gather(given, held_out)
        if options.only_gather:
            return 0
        trained = session.train(corpus)
    except ModelError as error:
        raise BadInputError(str(error)) from error
    except (StoppedError, KeyboardInterrupt):
        tell("stopped; the same command goes on from here")
        return UNFINISHED
    except OSError as error:
        raise EngineFailedError(
            f"{options.folder}: {error.strerror or error}; make room, and give the same command"
        ) from error
    steps = ", ".join(f"{part:.2f}" for part in trained.judged.by_step)
    print(f"{trained.folder}: acceptance length {trained.judged.acceptance_length:.2f} on replies held out ({steps})")
    return 0


def _plan(options: argparse.Namespace) -> TrainingPlan:
    from engine.training.collecting import Collecting
    from engine.training.plan import KINDS, TrainingPlan

    if options.kind not in KINDS:
        raise BadInputError(f"--kind is {options.kind!r}; choose one of: {', '.join(KINDS)}")
    return TrainingPlan(
        options.kind,
        num_questions=options.questions,
        num_passages=options.passages,
        num_draft_tokens=options.vocabulary,
        num_steps=options.steps,
        batch_tokens=options.batch_tokens,
        rate=options.rate,
        bits=options.bits,
        seed=options.seed,
        collecting=Collecting(batch_size=options.rows, seed=options.seed),
    )


class _Words:
    """Says how far the work is, and ends it when its time is over."""

    def __init__(self, minutes: float) -> None:
        self._end = time.monotonic() + 60 * minutes if minutes else float("inf")
        self._said_at = 0.0

    def goes_on(self, stage: str, done: int, total: int) -> bool:
        now = time.monotonic()
        if now - self._said_at > _SECONDS_BETWEEN_WORDS:
            self._said_at = now
            print(f"{stage}: {done:,} of {total:,}", file=sys.stderr, flush=True)
        return now < self._end
