"""`slipstream-engine`: the engine without a window."""

from __future__ import annotations

import argparse
import json
import logging
import os
import queue
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FrameType
from typing import Any

from engine.bench.command import add_bench
from engine.blas import missing_blas_hint, preload_blas
from engine.command_line import (
    BAD_INPUT,
    ENGINE_FAILED,
    INTERRUPTED,
    READER_GONE,
    BadInputError,
    Commands,
    EngineFailedError,
    read_prompts,
    unreadable,
)
from engine.messages import (
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
from engine.prompt_cache.command import add_cache
from engine.prove import add_prove
from engine.sampling_options import add_sampling_options, read_sampling
from engine.thread import EngineThread


@dataclass(slots=True)
class Reply:
    """One reply as it is collected."""

    seed: int
    text: list[str] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[TokenLogprob] = field(default_factory=list)

    def describe(self, end: Finished | Failed) -> dict[str, Any]:
        """The JSON object of a reply that ended; one that failed keeps what it had written."""
        if isinstance(end, Failed):
            return {"error": end.text, "text": "".join(self.text), "token_ids": self.token_ids, "seed": self.seed}
        return {
            "text": "".join(self.text),
            "token_ids": self.token_ids,
            "finish_reason": end.reason,
            "seed": self.seed,
            "statistics": asdict(end.statistics),
        } | ({"logprobs": [asdict(entry) for entry in self.logprobs]} if self.logprobs else {})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 for an engine that failed, 2 for bad input, 130 if interrupted."""
    preload_blas()
    logging.basicConfig(level=logging.CRITICAL)  # every failure is told in a sentence of its own
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except BadInputError as error:
        print(f"slipstream-engine: {error}", file=sys.stderr)
        return BAD_INPUT
    except EngineFailedError as error:
        print(f"slipstream-engine: {error}", file=sys.stderr)
        return ENGINE_FAILED
    except BrokenPipeError:  # of `slipstream-engine … | head`; what Python still holds back has nowhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="slipstream-engine", description="Slipstream's engine without a window.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True)
    _add_ask(commands)
    add_prove(commands)
    add_bench(commands)
    add_cache(commands)
    return parser


def _add_ask(commands: Commands) -> None:
    ask = commands.add_parser("ask", help="answer one question, or the questions of a file at once")
    ask.set_defaults(run=_ask)
    ask.add_argument("question", nargs="?", help="the question; left out with --batch")
    ask.add_argument("--batch", type=Path, metavar="FILE", help='JSON lines, each {"prompt": "…"}, answered at once')
    ask.add_argument("--model", default="", metavar="PATH", help="model folder, Hugging Face cache entry or GGUF file")
    ask.add_argument(
        "--drafter", default="ngram", metavar="NAME", help="none, ngram (the default), suffix or model:PATH"
    )
    ask.add_argument("--system", default="", metavar="TEXT", help="system prompt")
    add_sampling_options(ask)
    ask.add_argument("--kv-bits", type=int, default=0, help="quantise the KV cache to 4 or 8 bits; 0, the default: not")
    ask.add_argument("--kv-group-size", type=int, default=64, help="numbers that share a scale: 32, 64 or 128")
    ask.add_argument("--kv-start", type=int, default=0, metavar="N", help="keep the first N tokens unquantised")
    ask.add_argument("--json", action="store_true", help="print one object when the reply has ended")


def _version() -> str:
    try:
        return f"Slipstream {version('slipstream-chat')}"
    except PackageNotFoundError:
        return "Slipstream, run from its source without being installed"


def _ask(options: argparse.Namespace) -> int:
    submits = [_submit(index, question, options) for index, question in enumerate(_questions(options), start=1)]
    if hint := missing_blas_hint():
        print(f"slipstream-engine: {hint}", file=sys.stderr)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = EngineThread()
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
    kv = KvScheme(options.kv_bits, options.kv_group_size, options.kv_start)
    return Submit(request_id, f"ask-{request_id}", options.model, options.drafter, turns, _sampling(options), kv)


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
    """Print replies as they come, or one object each in the order of the questions."""
    streams = not options.json and options.batch is None
    replies = {submit.request_id: Reply(submit.sampling.seed) for submit in submits}
    results: dict[int, dict[str, Any]] = {}
    codes: set[str] = set()
    with _interrupt_cancels(engine, replies) as interrupts:
        while len(results) < len(submits):
            event = events.get()
            _take(event, replies, results, streams)
            codes |= {event.code} if isinstance(event, Failed) else set()
    if streams and any(reply.text for reply in replies.values()):
        print()
    if not streams:
        for submit in submits:
            print(json.dumps(results[submit.request_id], ensure_ascii=False))
    if interrupts:
        return INTERRUPTED
    if codes:
        return ENGINE_FAILED if "engine" in codes else BAD_INPUT
    return 0


def _take(event: Event, replies: dict[int, Reply], results: dict[int, dict[str, Any]], streams: bool) -> None:
    match event:
        case Delta():
            replies[event.request_id].text.append(event.text)
            replies[event.request_id].token_ids += event.token_ids
            replies[event.request_id].logprobs += event.logprobs
            if streams:
                print(event.text, end="", flush=True)
        case Notice():
            print(f"slipstream-engine: {event.text}", file=sys.stderr)
        case Finished():
            if streams and event.reason == "length":
                print("\nslipstream-engine: The reply reached its limit of tokens.", file=sys.stderr)
            results[event.request_id] = replies[event.request_id].describe(event)
        case Failed():
            print(f"slipstream-engine: {event.text}", file=sys.stderr)
            for request_id in (event.request_id,) if event.request_id else replies.keys() - results.keys():
                results[request_id] = replies[request_id].describe(event)
        case _:
            pass


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


if __name__ == "__main__":
    sys.exit(main())
