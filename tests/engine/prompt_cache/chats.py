"""A prompt cache with made-up state, every number of which depends on all tokens before it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import mlx.core as mx
import numpy as np

from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.entries import Stream
from engine.prompt_cache.held import Held
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.requests import Found, StreamState, StreamWanted, Wanted
from tests.engine.prompt_cache.memory_storage import MemoryDisk, MemoryStorage

ROOMY = CacheSettings(ram_bytes=1 << 30, budget_bytes=1 << 30)


def stream(name: str = "m", **facts: str) -> Stream:
    """A target's stream; other facts make another identity."""
    known = {"kind": "target", "model": name, "weights": "w", "tokenizer": "t", "kv": "16", "version": "1"} | facts
    return Stream(hashlib.md5(repr(sorted(known.items())).encode()).hexdigest(), tuple(known.items()))


STREAM = stream()


def numbers_of(token_ids: Sequence[int]) -> np.ndarray:
    """One number a token that depends on it and all before it."""
    sums, last = [], 7
    for token in token_ids:
        last = (last * 31 + token + 1) % 65521
        sums.append(last)
    return np.array(sums, dtype=np.float32)


def state_of(token_ids: Sequence[int], *, start: int = 0, is_exact: bool = False, width: int = 3) -> StreamState:
    """Two grown arrays from `start` on, and where exact one fixed array and one that is missing."""
    numbers = numbers_of(token_ids)
    column = mx.array(numbers[start:]).reshape(1, 1, -1, 1)
    grown = (mx.broadcast_to(column, (1, 2, column.shape[2], width)) * 2, column.astype(mx.bfloat16))
    fixed = (mx.array(numbers[-1:]), None) if is_exact else ()
    return StreamState(start, len(token_ids), grown, fixed)


def assert_restored(held: Held, token_ids: Sequence[int], *, is_exact: bool = False, width: int = 3) -> None:
    """Whether what is held is what these tokens' own state would be, at its length."""
    state = held.state()
    expected = state_of(token_ids[: held.num_tokens], is_exact=is_exact, width=width)
    assert (state.start, state.num_tokens) == (0, held.num_tokens)
    for arrays, others in ((state.grown, expected.grown), (state.fixed, expected.fixed)):
        assert len(arrays) == len(others)
        for array, other in zip(arrays, others, strict=True):
            assert (array is None) == (other is None)
            if array is not None:
                assert array.dtype == other.dtype
                assert array.shape == other.shape
                assert mx.array_equal(array, other)


@dataclass
class Times:
    """Clocks that a test sets."""

    clock: float = 1.8e9
    timer: float = 100.0


class Chats:
    """Puts to a cache and finds from it, every array of which is looked at."""

    cache: PromptCache
    num_finds = 0
    width = 3  # of its larger array

    def put(
        self,
        conversation_id: str,
        token_ids: Sequence[int],
        of: Stream = STREAM,
        *,
        is_exact: bool = False,
        is_boundary: bool = False,
    ) -> None:
        """Put what the cache misses."""
        start = self.cache.missing_from(of, token_ids)
        state = state_of(token_ids, start=start, is_exact=is_exact, width=self.width)
        self.cache.put(of, conversation_id, token_ids, state, is_boundary=is_boundary)

    def find(
        self,
        conversation_id: str,
        token_ids: Sequence[int],
        of: Stream = STREAM,
        *,
        is_exact: bool = False,
        num_old: int = 0,
        tokens_per_second: float = 0.0,
    ) -> Found:
        """What the cache finds, checked against the tokens' own state."""
        answers: list[Found] = []
        self.num_finds += 1
        streams = (StreamWanted(of, is_exact),)
        wanted = Wanted(self.num_finds, conversation_id, streams, tuple(token_ids), num_old, tokens_per_second)
        self.cache.find(wanted, answers.append)
        self.work()
        (found,) = answers
        (held,) = found.states
        assert (held.num_tokens if held else 0) == found.num_tokens < len(token_ids)
        if held:
            assert_restored(held, token_ids, is_exact=is_exact, width=self.width)
        return found

    def work(self) -> None:
        """Let the storage do what waits."""


@dataclass
class Cached(Chats):
    """A cache over a disk that outlives it, and what it told."""

    disk: MemoryDisk = field(default_factory=MemoryDisk)
    settings: CacheSettings = ROOMY
    is_held: bool = False
    times: Times = field(default_factory=Times)

    def __post_init__(self) -> None:
        self.notices: list[tuple[str, str]] = []
        self.storage = MemoryStorage(self.disk, lambda message: self.cache.handle(message), is_held=self.is_held)
        self.cache = PromptCache(
            self.storage,
            settings=self.settings,
            notify=lambda code, text: self.notices.append((code, text)),
            clock=lambda: self.times.clock,
            timer=lambda: self.times.timer,
        )
        self.cache.open()

    def reopened(self, settings: CacheSettings | None = None) -> Cached:
        """Another cache over the same disk, after this one was closed."""
        self.cache.close(1.0)
        return Cached(self.disk, settings or self.settings, self.is_held, self.times)

    def work(self) -> None:
        self.storage.work()


def text(first: int, num_tokens: int) -> list[int]:
    """Tokens that go on from a number of their own."""
    return [(first * 1009 + 7 * place) % 50000 for place in range(num_tokens)]


def num_shared(left: Sequence[int], right: Sequence[int]) -> int:
    """Tokens that two texts begin with alike, counted one by one."""
    counted = 0
    while counted < min(len(left), len(right)) and left[counted] == right[counted]:
        counted += 1
    return counted
