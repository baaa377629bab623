"""What the prompt cache brings and costs on this machine: `python -m tests.benchmarks.prompt_cache`.

Every message is sent by a process of its own, so that each finds only what is on the disk. Cold and restored replies
take turns in one run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from engine.blas import preload_blas
from engine.messages import (
    Answer,
    CacheReport,
    Delta,
    DescribeCache,
    Event,
    Failed,
    Finished,
    LoadModel,
    ModelLoaded,
    Sampling,
    Shutdown,
    Statistics,
    Submit,
    Turn,
)
from engine.prompt_cache.entries import PAGE_TOKENS, Entry, EntryKey, Stream, Tensor, Written
from engine.prompt_cache.report import FOLDER_NAME
from engine.prompt_cache.storage import StorageThread
from engine.thread import EngineThread

NUM_LONG_TOKENS = 3_900
NUM_PAIRS = 3
NUM_RATE_PAIRS = 5
NUM_DECODED = 128
NUM_TURNS = 20
MIN_RATIO = 20.0
MIN_RATE_BESIDE_WRITES = 0.9
MODEL = "SLIPSTREAM_BENCHMARK_MODEL"  # of the processes that each send one message
PROMPTS = Path(__file__).parents[2] / "resources" / "prompts" / "code_edit.jsonl"


@dataclass(frozen=True)
class Reply:
    text: str
    token_ids: tuple[int, ...]
    tokenizer_id: str
    statistics: Statistics


class Session:
    """One start of the engine."""

    def __init__(self, data_dir: Path) -> None:
        self._model = os.environ.get(MODEL, "")
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.engine = EngineThread(data_dir)
        self.engine.start(self._events.put)
        self.engine.send(LoadModel(1, self._model))
        loaded = self._wait(ModelLoaded)
        self._tokenizer_id = loaded.facts.tokenizer_id

    def ask(self, turns: Sequence[Turn], max_tokens: int) -> Reply:
        self.engine.send(Submit(2, "chat", self._model, "none", tuple(turns), Sampling(max_tokens=max_tokens)))
        deltas: list[Delta] = []
        while not isinstance(event := self._events.get(), Finished):
            if isinstance(event, Failed):
                raise SystemExit(event.text)
            deltas += [event] if isinstance(event, Delta) else []
        ids = tuple(token_id for delta in deltas for token_id in delta.token_ids)
        return Reply("".join(delta.text for delta in deltas), ids, self._tokenizer_id, event.statistics)

    def report(self) -> CacheReport:
        self.engine.send(DescribeCache(3))
        value = self._wait(Answer).value
        assert isinstance(value, CacheReport)
        return value

    def close(self) -> None:
        self.engine.send(Shutdown())
        self.engine.join()

    def _wait(self, kind: type) -> Any:
        while not isinstance(event := self._events.get(), kind):
            if isinstance(event, Failed):
                raise SystemExit(event.text)
        return event


@contextmanager
def session(data_dir: Path) -> Iterator[Session]:
    running = Session(data_dir)
    try:
        yield running
    finally:
        running.close()


def one_reply(data_dir: Path, turns: Sequence[Turn], max_tokens: int) -> tuple[Reply, CacheReport]:
    """Ask in a process of its own."""
    request = json.dumps({"turns": [asdict(turn) for turn in turns], "max_tokens": max_tokens})
    command = [sys.executable, "-m", "tests.benchmarks.prompt_cache", "--child", str(data_dir)]
    answer = json.loads(subprocess.run(command, input=request, capture_output=True, text=True, check=True).stdout)
    answer["statistics"].pop("group")
    statistics = Statistics(**answer["statistics"])
    report = CacheReport(**{**answer["report"], "conversations": ()})
    return Reply(answer["text"], tuple(answer["token_ids"]), answer["tokenizer_id"], statistics), report


def child(data_dir: Path) -> None:
    request = json.loads(sys.stdin.read())
    turns = [
        Turn(turn["role"], turn["text"], tuple(turn["token_ids"]), turn["tokenizer_id"]) for turn in request["turns"]
    ]
    with session(data_dir) as running:
        reply = running.ask(turns, request["max_tokens"])
        report = running.report()
    print(json.dumps({**asdict(reply), "report": asdict(report)}))


def answered(turns: Sequence[Turn], reply: Reply) -> list[Turn]:
    return [*turns, Turn("assistant", reply.text, reply.token_ids, reply.tokenizer_id)]


def long_text() -> str:
    """About NUM_LONG_TOKENS tokens of code; this tokenizer writes some 3.2 characters a token of it."""
    prompts = [json.loads(line)["turns"][0] for line in PROMPTS.read_text(encoding="utf-8").splitlines()]
    return "\n\n".join(prompts)[: int(NUM_LONG_TOKENS * 3.2)]


def reopened(data_dir: Path) -> bool:
    """A long chat is closed and reopened for a short message, with its cache and without."""
    turns = [Turn("user", long_text())]
    first, _ = one_reply(data_dir, turns, 64)
    turns = [*answered(turns, first), Turn("user", "Which name was used most?")]
    cached, away = data_dir / FOLDER_NAME, data_dir / "away"
    shutil.copytree(cached, away)
    times: dict[str, list[float]] = {"cold": [], "restored": []}
    for _ in range(NUM_PAIRS):
        for kind in times:
            shutil.rmtree(cached, ignore_errors=True)
            if kind == "restored":
                shutil.copytree(away, cached)
            reply, report = one_reply(data_dir, turns, 16)
            times[kind].append(reply.statistics.time_to_first_token_seconds)
            print(
                f"  {kind}: {reply.statistics.num_prompt} tokens, {reply.statistics.num_cached} cached, first token "
                f"{times[kind][-1]:.2f} s; longest wait for storage {report.max_storage_wait_seconds * 1000:.2f} ms"
            )
    shutil.rmtree(away)
    ratio = median(times["cold"]) / median(times["restored"])
    print(f"first token, cold over restored, medians of {NUM_PAIRS}: {ratio:.1f}")
    return ratio >= MIN_RATIO


def long_chat(data_dir: Path) -> bool:
    """Twenty turns of one chat: what is read and what is written of each."""
    turns: list[Turn] = []
    written = 0
    with session(data_dir) as running:
        for index in range(NUM_TURNS):
            turns.append(Turn("user", f"Tell me something about the number {index}."))
            reply = running.ask(turns, 40)
            turns = answered(turns, reply)
            time.sleep(0.5)  # the storage thread writes at its own pace
            report = running.report()
            statistics = reply.statistics
            new = statistics.num_prompt + statistics.num_tokens
            print(
                f"  turn {index + 1}: {new} tokens in all, {statistics.num_cached} cached, "
                f"{statistics.num_prompt - statistics.num_cached} read, {statistics.num_tokens} written by the model, "
                f"{(report.written_today_bytes - written) / 1e6:.2f} MB to the disk"
            )
            written = report.written_today_bytes
        print(
            f"{written / 1e6:.1f} MB for {new} tokens; longest wait for storage "
            f"{report.max_storage_wait_seconds * 1000:.2f} ms"
        )
    return True


class Writes:
    """Pages of the starter's size that are written one after the other, beside whatever else runs."""

    def __init__(self, root: Path) -> None:
        self.num_bytes = 0
        self._data = memoryview(bytes(PAGE_TOKENS * 3 * 64 * 4))
        self._written: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._storage = StorageThread(root, self._written.put)
        self._storage.open()
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Writes:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_ending.set()
        self._thread.join()
        self._storage.close(10.0)

    def _run(self) -> None:
        stream = Stream("0" * 32)
        for number in itertools.count():
            if self._is_ending.is_set():
                return
            entry = Entry(EntryKey(stream.identity, f"{number:032x}", f"{number + 1:032x}"), 0, (1,) * PAGE_TOKENS)
            tensors = {f"grown.{index}": Tensor("F32", (1, 3, PAGE_TOKENS, 64), self._data) for index in range(60)}
            self._storage.write(entry, stream, tensors)
            while not isinstance(message := self._written.get(), Written):
                pass
            self.num_bytes += message.num_bytes


def beside_writes(data_dir: Path) -> bool:
    """Plain decoding with a write in flight all the time, and without any."""
    rates: dict[str, list[float]] = {"alone": [], "beside writes": []}
    turns = [Turn("user", "Tell me a long story about a lighthouse.")]
    with session(data_dir) as running:
        for kind in [*rates] * (NUM_RATE_PAIRS + 1):
            if kind == "alone":
                reply = running.ask(turns, NUM_DECODED)
                note = ""
            else:
                with tempfile.TemporaryDirectory() as folder, Writes(Path(folder)) as writes:
                    reply = running.ask(turns, NUM_DECODED)
                note = f", {writes.num_bytes / 1e6:.0f} MB written"
            rates[kind].append(reply.statistics.tokens_per_second)
            print(f"  {kind}: {rates[kind][-1]:.2f} tok/s{note}")
    pairs = list(zip(*rates.values(), strict=True))[1:]  # the first of each warms up
    ratio = median(beside / alone for alone, beside in pairs)
    print(f"decoding beside writes over decoding alone, median of {len(pairs)} neighbouring pairs: {ratio:.3f}")
    return ratio >= MIN_RATE_BESIDE_WRITES


PARTS = {"reopened": reopened, "turns": long_chat, "writes": beside_writes}


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--child"]:
        child(Path(arguments[1]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="", help="model folder; the starter model where it is left out")
    parser.add_argument("--part", choices=PARTS, action="append", help="what to measure; all where it is left out")
    options = parser.parse_args(arguments)
    os.environ[MODEL] = options.model
    is_enough = True
    with tempfile.TemporaryDirectory() as folder:
        with session(Path(folder)) as running:
            running.ask([Turn("user", "Hello.")], 4)  # imports the starter model
        for name in options.part or PARTS:
            shutil.rmtree(Path(folder) / FOLDER_NAME)
            print(f"{name}: {PARTS[name].__doc__}")
            is_enough &= PARTS[name](Path(folder))
    return 0 if is_enough else 1


if __name__ == "__main__":
    preload_blas()
    sys.exit(main(sys.argv[1:]))
