"""The headless tool's options for sampling."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.messages import Grammar, Sampling


def add_sampling_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each rule; the defaults are those of `Sampling`, but a seed is drawn."""
    off = Sampling()
    parser.add_argument("--temperature", type=float, default=off.temperature, help="0, the default, is greedy")
    parser.add_argument("--seed", type=int, help="drawn where it is left out")
    parser.add_argument("--max-tokens", type=int, default=512)
    parser.add_argument(
        "--stop", action="append", default=[], metavar="TEXT", help="end before this text; may be repeated"
    )
    parser.add_argument("--top-p", type=float, help="above 0 and at most 1, which is off")
    parser.add_argument("--top-k", type=int, help="0 is off")
    parser.add_argument("--min-p", type=float, help="from 0, which is off, to 1")
    parser.add_argument("--repetition-penalty", type=float, default=off.repetition_penalty, help="1 is off")
    parser.add_argument("--presence-penalty", type=float, default=off.presence_penalty, help="0 is off")
    parser.add_argument("--frequency-penalty", type=float, default=off.frequency_penalty, help="0 is off")
    parser.add_argument(
        "--logprobs", type=int, default=0, metavar="N", help="tell the N most probable tokens at each place; in JSON"
    )
    grammar = parser.add_mutually_exclusive_group()
    grammar.add_argument("--json-schema", type=Path, metavar="FILE", help="the reply is JSON of this schema")
    grammar.add_argument("--regex", metavar="TEXT", help="the reply matches this regular expression")


def read_sampling(options: argparse.Namespace) -> Sampling:
    """The rules that were asked for; raises OSError or UnicodeDecodeError where the schema cannot be read."""
    off = Sampling()
    return Sampling(
        temperature=options.temperature,
        seed=secrets.randbits(63) if options.seed is None else options.seed,
        max_tokens=options.max_tokens,
        stops=tuple(options.stop),
        top_p=off.top_p if options.top_p is None else options.top_p,
        top_k=off.top_k if options.top_k is None else options.top_k,
        min_p=off.min_p if options.min_p is None else options.min_p,
        repetition_penalty=options.repetition_penalty,
        presence_penalty=options.presence_penalty,
        frequency_penalty=options.frequency_penalty,
        num_logprobs=options.logprobs,
        grammar=_read_grammar(options),
    )


def idle_options(options: argparse.Namespace) -> Iterator[str]:
    """A sentence where options of drawing were given and nothing is drawn."""
    if options.temperature == 0 and (given := given_options(options, ("seed", "top_p", "top_k", "min_p"))):
        yield f"{given} at temperature 0, which always takes the likeliest token: nothing changes; add --temperature."


def given_options(options: argparse.Namespace, names: Sequence[str]) -> str:
    """Those of some options that the user gave, for a sentence; "" where none was."""
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name) is not None]
    verb = "was" if len(given) == 1 else "were"
    return f"{' and '.join(given)} {verb} given" if given else ""


def _read_grammar(options: argparse.Namespace) -> Grammar | None:
    if options.regex is not None:
        return Grammar("regex", options.regex)
    if options.json_schema is not None:
        return Grammar("json_schema", options.json_schema.read_text(encoding="utf-8"))
    return None
