"""The engine without threads, and what tests ask of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.depth import DepthPolicy, FullDepth
from engine.engine import Engine
from engine.inbox import Inbox
from engine.messages import (
    UNQUANTISED,
    Answer,
    Command,
    Delta,
    DescribeMemory,
    Event,
    Failed,
    Finished,
    KvScheme,
    MemoryReport,
    Sampling,
    Shutdown,
    Statistics,
    Submit,
    Turn,
)
from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.lock import is_free
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.storage import InlineStorage
from engine.text.thread import InlineText

TEXT = "The quick brown fox"
WEIGHTLESS = ("none", "ngram", "suffix")
DRAFTED = (*WEIGHTLESS, "model like the target", "other model", "recurrent model", "window model")
_conversations = itertools.count(1)


class Harness:
    """Sends commands, steps the engine and keeps every event."""

    def __init__(
        self,
        data_dir: Path,
        depth: DepthPolicy | None = None,
        cache_dir: Path | None = None,
        memory_limit: Callable[[int], int] | None = None,
    ) -> None:
        """With `cache_dir` prompts are saved there and found again; `close` is what ends a session with it."""
        self.data_dir = data_dir
        self.events: list[Event] = []
        inbox = Inbox()

        def open_cache() -> PromptCache:
            assert cache_dir is not None
            cache = PromptCache(InlineStorage(cache_dir, inbox.put), settings=CacheSettings())
            cache.open()
            return cache

        self.engine = Engine(
            self.events.append,
            InlineText(data_dir),
            data_dir,
            inbox,
            depth or FullDepth(),
            open_cache() if cache_dir else None,
            lambda: open_cache() if cache_dir and is_free(cache_dir) else None,
            memory_limit,
        )

    def close(self) -> None:
        """End as the program does."""
        self.send(Shutdown())
        self.run()
        assert self.engine.close_cache(2.0)

    def send(self, *commands: Command) -> None:
        self.engine.send(*commands)

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.engine.step()

    def step_until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            self.engine.step()
        raise AssertionError("the condition did not come true in 1,000 steps")

    def run(self) -> None:
        self.engine.run()

    def events_of(self, request_id: int) -> list[Event]:
        return [event for event in self.events if getattr(event, "request_id", None) == request_id]

    def deltas_of(self, request_id: int) -> list[Delta]:
        return [event for event in self.events_of(request_id) if isinstance(event, Delta)]

    def ids_of(self, request_id: int) -> list[int]:
        return [token_id for delta in self.deltas_of(request_id) for token_id in delta.token_ids]

    def text_of(self, request_id: int) -> str:
        return "".join(delta.text for delta in self.deltas_of(request_id))

    def most_rows_of(self, request_id: int) -> int:
        """The widest batch that a reply was part of."""
        return max(delta.statistics.num_rows for delta in self.deltas_of(request_id))

    def end_of(self, request_id: int) -> Finished | Failed:
        ends = [event for event in self.events_of(request_id) if isinstance(event, Finished | Failed)]
        assert len(ends) == 1, f"request {request_id} ended {len(ends)} times: {ends}"
        return ends[0]

    def answer_to(self, request_id: int) -> object:
        """The value of the one answer to a question."""
        (answer,) = [event for event in self.events_of(request_id) if isinstance(event, Answer)]
        return answer.value

    def cache_bytes(self, request_id: int) -> int:
        """What the prompt cache holds in memory, asked by this request."""
        self.send(DescribeMemory(request_id))
        self.step()
        report = self.answer_to(request_id)
        assert isinstance(report, MemoryReport)
        return report.cache_bytes

    def reason_of(self, request_id: int) -> str:
        end = self.end_of(request_id)
        assert isinstance(end, Finished), end
        return end.reason

    def statistics_of(self, request_id: int) -> Statistics:
        end = self.end_of(request_id)
        assert isinstance(end, Finished), end
        return end.statistics


def submit(
    request_id: int,
    target: Path,
    text: str,
    *,
    drafter: str = "none",
    earlier: Sequence[Turn] = (),
    later: Sequence[Turn] = (),
    kv: KvScheme = UNQUANTISED,
    chat: str = "",
    **sampling: object,
) -> Submit:
    """A request of 40 tokens unless said otherwise, of a new chat or of `chat`; `later` turns follow the user's."""
    rules = Sampling(**{"max_tokens": 40, **sampling})  # type: ignore[arg-type]
    turns = (*earlier, Turn("user", text), *later)
    return Submit(request_id, chat or f"chat-{next(_conversations)}", str(target), drafter, turns, rules, kv)
