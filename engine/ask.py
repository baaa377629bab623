"""`slipstream-engine ask`: its options, and what it prints of the replies."""

from __future__ import annotations

import argparse
import json
import queue
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

from engine.blas import missing_blas_hint
from engine.command_line import (
    BAD_INPUT,
    CUT_OFF,
    ENGINE_FAILED,
    INTERRUPTED,
    BadInputError,
    Commands,
    read_prompts,
    tell,
    unreadable,
)
from engine.drafters.name import CHOICES
from engine.messages import (
    UNQUANTISED,
    Cancel,
    Delta,
    Event,
    Failed,
    Finished,
    KvScheme,
    Notice,
    Sampling,
    Shutdown,
    Submit,
    TokenLogprob,
    Turn,
)
from engine.sampling_options import add_sampling_options, given_options, idle_options, read_sampling
from engine.thread import EngineThread

STATUSES = (
    "The exit status is 0; 1 where the engine failed, 2 for what cannot be asked, 3 where the limit of tokens cut off "
    "a reply that has to follow --json-schema or --regex, 130 after Ctrl+C."
)

TAG = "headless"  # of what the prompt cache saves for this tool


@dataclass(slots=True)
class Reply:
    """One reply as it is collected."""

    sampling: Sampling
    text: list[str] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[TokenLogprob] = field(default_factory=list)

    def describe(self, end: Finished | Failed) -> dict[str, Any]:
        """The JSON object of a reply that ended; one that failed keeps what it had written."""
        if isinstance(end, Failed):
            return {
                "error": end.text,
                "text": "".join(self.text),
                "token_ids": self.token_ids,
                "seed": self.sampling.seed,
            }
        return {
            "text": "".join(self.text),
            "token_ids": self.token_ids,
            "finish_reason": end.reason,
            "seed": self.sampling.seed,
            "statistics": asdict(end.statistics),
        } | ({"logprobs": [asdict(entry) for entry in self.logprobs]} if self.logprobs else {})


@dataclass(slots=True)
class Collected:
    """What has come of all replies so far; a reply that streams is printed as it comes."""

    replies: dict[int, Reply]
    streams: bool
    results: dict[int, dict[str, Any]] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)  # of what failed
    is_cut_off: bool = False  # whether the limit ended a reply inside its grammar

    @property
    def status(self) -> int:
        if self.codes:
            return ENGINE_FAILED if "engine" in self.codes else BAD_INPUT
        return CUT_OFF if self.is_cut_off else 0

    def take(self, event: Event) -> None:
        match event:
            case Delta():
                self._add(self.replies[event.request_id], event)
            case Notice():
                tell(event.text)
            case Finished():
                self._finish(event)
            case Failed():
                tell(event.text)
                self.codes.add(event.code)
                for request_id in (event.request_id,) if event.request_id else self.replies.keys() - self.results:
                    self.results[request_id] = self.replies[request_id].describe(event)
            case _:
                pass

    def _add(self, reply: Reply, delta: Delta) -> None:
        reply.text.append(delta.text)
        reply.token_ids += delta.token_ids
        reply.logprobs += delta.logprobs
        if self.streams:
            print(delta.text, end="", flush=True)

    def _finish(self, end: Finished) -> None:
        reply = self.replies[end.request_id]
        is_cut_off = end.reason == "length" and reply.sampling.grammar is not None
        if self.streams and end.reason == "length":
            print(file=sys.stderr)
        if is_cut_off:
            name = f"Reply {end.request_id}" if len(self.replies) > 1 else "The reply"
            tell(f"{name} reached its limit of tokens before its grammar ended it: raise --max-tokens.")
        elif self.streams and end.reason == "length":
            tell("The reply reached its limit of tokens.")
        self.is_cut_off |= is_cut_off
        self.results[end.request_id] = reply.describe(end)


def add_ask(commands: Commands) -> None:
    ask = commands.add_parser("ask", help="answer one question, or the questions of a file at once", epilog=STATUSES)
    ask.set_defaults(run=_ask)
    ask.add_argument("question", nargs="?", help="the question; left out with --batch")
    ask.add_argument("--batch", type=Path, metavar="FILE", help='JSON lines, each {"prompt": "…"}, answered at once')
    ask.add_argument("--model", default="", metavar="PATH", help="model folder, Hugging Face cache entry or GGUF file")
    ask.add_argument("--drafter", default="ngram", metavar="NAME", help=f"{CHOICES}; ngram is the default")
    ask.add_argument("--system", default="", metavar="TEXT", help="system prompt")
    add_sampling_options(ask)
    ask.add_argument("--kv-bits", type=int, default=0, help="quantise the KV cache to 4 or 8 bits; 0, the default: not")
    ask.add_argument("--kv-group-size", type=int, help="numbers that share a scale: 32, 64, the default, or 128")
    ask.add_argument("--kv-start", type=int, metavar="N", help="keep the first N tokens unquantised")
    ask.add_argument("--json", action="store_true", help="print one object when the reply has ended")


def _ask(options: argparse.Namespace) -> int:
    submits = [_submit(index, question, options) for index, question in enumerate(_questions(options), start=1)]
    for sentence in (*idle_options(options), *_idle_kv_options(options), missing_blas_hint()):
        if sentence:
            tell(sentence)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = EngineThread(tag=TAG)
    engine.start(events.put)
    try:
        engine.send(*submits)
        return _collect(engine, events, submits, options)
    finally:
        engine.send(Shutdown())
        engine.join()


def _questions(options: argparse.Namespace) -> list[str]:
    if (options.batch is None) == (options.question is None):
        raise BadInputError("give either a question or --batch FILE")
    return [options.question] if options.batch is None else read_prompts(options.batch)


def _submit(request_id: int, question: str, options: argparse.Namespace) -> Submit:
    system = (Turn("system", options.system),) if options.system else ()
    turns = (*system, Turn("user", question))
    conversation_id = f"{TAG}-{uuid4().hex}"  # of its own, so that no run is told of what another one read
    return Submit(request_id, conversation_id, options.model, options.drafter, turns, _sampling(options), _kv(options))


def _kv(options: argparse.Namespace) -> KvScheme:
    group_size = UNQUANTISED.group_size if options.kv_group_size is None else options.kv_group_size
    return KvScheme(options.kv_bits, group_size, options.kv_start or 0)


def _idle_kv_options(options: argparse.Namespace) -> Iterator[str]:
    """A sentence where options of a quantised KV cache were given without it."""
    if not options.kv_bits and (given := given_options(options, ("kv_group_size", "kv_start"))):
        yield f"{given} without --kv-bits: the KV cache is not quantised; add --kv-bits 4 or 8."


def _sampling(options: argparse.Namespace) -> Sampling:
    if options.logprobs and not (options.json or options.batch):
        raise BadInputError("--logprobs are told in JSON only; add --json")
    try:
        return read_sampling(options)
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(options.json_schema, error) from error


def _collect(
    engine: EngineThread, events: queue.SimpleQueue[Event], submits: Sequence[Submit], options: argparse.Namespace
) -> int:
    """Print replies as they come, or one object each in the order of the questions; returns the exit status."""
    collected = Collected(
        {submit.request_id: Reply(submit.sampling) for submit in submits}, not options.json and options.batch is None
    )
    with _interrupt_cancels(engine, collected.replies) as interrupts:
        while len(collected.results) < len(submits):
            collected.take(events.get())
    if collected.streams and any(reply.text for reply in collected.replies.values()):
        print()
    if not collected.streams:
        for submit in submits:
            print(json.dumps(collected.results[submit.request_id], ensure_ascii=False))
    return INTERRUPTED if interrupts else collected.status


@contextmanager
def _interrupt_cancels(engine: EngineThread, request_ids: Iterable[int]) -> Iterator[list[int]]:
    """Turn the first interrupt into Cancel for every request; yields the list of interrupts so far."""
    interrupts: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        signal.signal(signal.SIGINT, previous)
        engine.send(*(Cancel(request_id) for request_id in request_ids))

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, previous)
