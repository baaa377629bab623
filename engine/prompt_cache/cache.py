"""The prompt cache as the engine sees it: one tree of saved state over RAM and disk, on the engine's thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from engine.prompt_cache.entries import Storage, StorageMessage, Stream
from engine.prompt_cache.report import CacheReport, CacheSettings
from engine.prompt_cache.requests import Found, StreamState, Wanted


class PromptCache:
    """Finds the longest saved prefix of a prompt and takes in what was read; a hit consumes nothing.

    `notify(code, sentence)` tells what a user should know, once for each spell of it. `clock` gives Unix seconds, and
    `timer` seconds that never go back.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        settings: CacheSettings,
        notify: Callable[[str, str], None] = lambda code, text: None,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None: ...

    def open(self) -> None:
        """Have the folder opened; what is asked before it is waits for it."""
        raise NotImplementedError

    def handle(self, message: StorageMessage) -> None:
        """Take an answer of the storage, in any order with other calls, from within one of the storage's too."""
        raise NotImplementedError

    def find(self, wanted: Wanted, done: Callable[[Found], None]) -> None:
        """Look for the longest restorable prefix; `done` is called on this thread, at once or from `handle`."""
        raise NotImplementedError

    def drop(self, request_id: int) -> None:
        """Forget a find that is no longer wanted; an unknown one needs nothing."""
        raise NotImplementedError

    def missing_from(self, stream: Stream, token_ids: Sequence[int]) -> int:
        """The first position whose grown arrays a `put` of these tokens needs; len(token_ids) where it needs none."""
        raise NotImplementedError

    def put(
        self,
        stream: Stream,
        conversation_id: str,
        token_ids: Sequence[int],
        state: StreamState,
        *,
        is_boundary: bool = False,
    ) -> None:
        """Keep a state that is exact at len(token_ids), for this conversation; state.start <= missing_from.

        is_boundary: the place is one that later prompts will share, not the end of a turn.
        """
        raise NotImplementedError

    def forget(self, conversation_id: str, done: Callable[[], None]) -> None:
        """Remove what no other conversation uses, and refuse later puts; `done` is called once the files are gone."""
        raise NotImplementedError

    def keep(self, conversation_ids: Iterable[str]) -> None:
        """Say which conversations exist, once their database has opened clean: what belongs to none ages."""
        raise NotImplementedError

    def shrink(self, live_bytes: int) -> None:
        """Make room in RAM: live state has so many bytes of the ceiling."""
        raise NotImplementedError

    def report(self) -> CacheReport:
        raise NotImplementedError

    def close(self, seconds: float) -> bool:
        """Flush what can be flushed in that time; False where something had to be dropped."""
        raise NotImplementedError
