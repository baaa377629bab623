"""An engine for measuring the window: real messages at a fixed rate, from a thread of its own, and no model."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.messages import (
    Answer,
    CacheReport,
    Cancel,
    Command,
    CountTokens,
    Delta,
    DescribeCache,
    DescribeMemory,
    Event,
    Finished,
    GroupStatistics,
    LoadModel,
    MemoryReport,
    ModelFacts,
    ModelLoaded,
    Shutdown,
    Statistics,
    Submit,
    TokenCount,
)

ROUND_TOKENS = (1, 2, 3, 4, 5, 6)
DEPTH = 5
TICK_SECONDS = 0.005
WORDS = (
    *("water", "ice", "lake", "surface", "density", "winter", "column", "lattice", "molecule", "network", "deep"),
    *("cold", "layer", "bottom", "summer", "sunlight", "freezes", "sinks", "warms", "rises", "reaches", "shields"),
    *("because", "although", "whenever", "while", "under", "above", "across", "between"),
)
FACTS = ModelFacts(
    target="/models/measured",
    folder="/models/measured",
    name="Measured 8B",
    model_type="llama",
    context_length=1_000_000,
    vocab_size=50_000,
    num_layers=30,
    quantisation="4-bit",
    weight_bytes=4_600_000_000,
    kv_bytes_per_token=100_000,
    tokenizer_id="measured",
    has_template=True,
)


def write_reply(chance: random.Random) -> Iterator[str]:
    """Endless Markdown, a token at a time: paragraphs, lists, tables, code and formulas as models write them."""
    while True:
        yield from _paragraph(chance)
        kind = chance.choice(("list", "code", "table", "heading", "formula", "none"))
        match kind:
            case "list":
                for _ in range(4):
                    yield from ("-", *_words(chance, 9), "\n")
                yield "\n"
            case "code":
                yield from ("```", "python", "\n")
                for number in range(12):
                    yield from ("    " if number else "def ", f"value_{number}", " = ", f"call({number})", "\n")
                yield from ("```", "\n\n")
            case "table":
                yield from ("|", " layer ", "|", " depth ", "|", "\n", "|---|--:|", "\n")
                for number in range(5):
                    yield from ("| ", chance.choice(WORDS), " | ", str(number), " |", "\n")
                yield "\n"
            case "heading":
                yield from ("## ", *_words(chance, 3), "\n\n")
            case "formula":
                yield from ("It", " follows", " that", " $", "x", "^2", " + ", "y", "$", ".", "\n\n")


def _paragraph(chance: random.Random) -> Iterator[str]:
    for _ in range(chance.randint(3, 6)):
        yield from _words(chance, chance.randint(8, 16))
        yield ". "
    yield "\n\n"


def _words(chance: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield f" {chance.choice(WORDS)}"


def write_chat(seed: int, num_tokens: int) -> Iterator[tuple[str, str]]:
    """Roles and texts of a whole chat, in turns of a question and up to a thousand tokens."""
    chance = random.Random(seed)
    text = write_reply(chance)
    while num_tokens > 0:
        yield "user", "".join(_words(chance, 12)).strip()
        yield "assistant", "".join(next(text) for _ in range(min(num_tokens, 1_000)))
        num_tokens -= 1_000


@dataclass(slots=True)
class Stream:
    """One reply: what it will say, and how far it is."""

    request_id: int
    text: Iterator[str]
    chance: random.Random
    began_at: float
    num_tokens: int = 0
    num_rounds: int = 0
    num_accepted: int = 0

    def advance(self, num_due: int, num_rows: int) -> list[Delta]:
        """Rounds until `num_due` tokens were sent."""
        deltas = []
        while self.num_tokens < num_due:
            deltas.append(self._round(num_rows))
        return deltas

    def _round(self, num_rows: int) -> Delta:
        count = self.chance.choice(ROUND_TOKENS)
        pieces = [next(self.text) for _ in range(count)]
        self.num_tokens += count
        self.num_rounds += 1
        self.num_accepted += count - 1
        seconds = time.perf_counter() - self.began_at
        statistics = Statistics(
            num_prompt=118,
            num_read=118,
            num_tokens=self.num_tokens,
            num_rounds=self.num_rounds,
            num_proposed=DEPTH * self.num_rounds,
            num_verified=self.num_accepted,
            num_accepted=self.num_accepted,
            proposed_by_position=(self.num_rounds,) * DEPTH,
            reached_by_position=(self.num_rounds,) * DEPTH,
            accepted_by_position=tuple(self.num_accepted // (place + 1) for place in range(DEPTH)),
            acceptance_length=1 + self.num_accepted / self.num_rounds,
            tokens_per_forward=self.num_tokens / self.num_rounds,
            num_forwards_saved=self.num_accepted,
            tokens_per_second=self.num_tokens / max(seconds, 0.001),
            time_to_first_token_seconds=0.3,
            num_rows=num_rows,
            depth=DEPTH,
            draft_seconds=0.006 * self.num_rounds,
            verify_seconds=0.044 * self.num_rounds,
            speedup=1.9,
            group=GroupStatistics(num_rows=num_rows),
        )
        ids = tuple(range(count))
        lengths = [len(piece) for piece in pieces]
        return Delta(
            self.request_id, "".join(pieces), ids, count - 1, statistics, accepted_end=sum(lengths[: count - 1])
        )


class StreamingEngine:
    """Streams `rate` tokens a second into every reply that is submitted, until it is cancelled."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._streams: dict[int, Stream] = {}
        self._thread = threading.Thread(target=self._run, name="streaming engine", daemon=True)
        self._emit: Callable[[Event], None] = lambda event: None

    def start(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._thread.start()

    def send(self, *commands: Command) -> None:
        for command in commands:
            self._inbox.put(command)

    def join(self, timeout: float | None = None) -> bool:
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            try:
                command = self._inbox.get(timeout=TICK_SECONDS)
            except queue.Empty:
                self._advance()
                continue
            if isinstance(command, Shutdown):
                for request_id in self._streams:
                    self._emit(Finished(request_id, "cancelled"))
                return
            self._obey(command)

    def _obey(self, command: Command) -> None:
        match command:
            case LoadModel():
                self._emit(ModelLoaded(command.request_id, FACTS))
            case Submit():
                chance = random.Random(command.request_id)
                stream = Stream(command.request_id, write_reply(chance), chance, time.perf_counter())
                self._streams[command.request_id] = stream
            case Cancel():
                if self._streams.pop(command.request_id, None) is not None:
                    self._emit(Finished(command.request_id, "cancelled"))
            case CountTokens():
                self._emit(Answer(command.request_id, TokenCount(200, FACTS.context_length)))
            case DescribeMemory():
                self._emit(Answer(command.request_id, MemoryReport(FACTS.weight_bytes, limit_bytes=27_000_000_000)))
            case DescribeCache():
                self._emit(Answer(command.request_id, CacheReport()))

    def _advance(self) -> None:
        for stream in self._streams.values():
            num_due = round(self._rate * (time.perf_counter() - stream.began_at))
            for delta in stream.advance(num_due, len(self._streams)):
                self._emit(delta)
