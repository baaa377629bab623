"""The prompt cache as the engine sees it: one tree of saved state over RAM and disk, on the engine's thread."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from engine.prompt_cache.budget import WRITTEN_TODAY, default_budget
from engine.prompt_cache.entries import Opened, ReadBack, Removed, SaveValue, Storage, StorageMessage, Stream, Written
from engine.prompt_cache.finder import PREFILL_SPEEDS, READ_SPEED, Finder
from engine.prompt_cache.hashes import token_bytes
from engine.prompt_cache.keeper import Keeper
from engine.prompt_cache.reasons import CLEARED, RAM_EVICTED
from engine.prompt_cache.report import LIMITS, CacheReport, CacheSettings
from engine.prompt_cache.requests import Found, StreamState, StreamWanted, Wanted
from engine.prompt_cache.restoring import restore
from engine.prompt_cache.search import longest
from engine.prompt_cache.sizes import conversation_sizes, drafter_bytes
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.timed import TimedStorage
from engine.prompt_cache.writing import Writer

OPENED = "cache_opened"  # code of a notice about the folder


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
    ) -> None:
        self._storage = TimedStorage(storage)
        self._settings, self._notify, self._clock = settings, notify, clock
        self._tiers = Tiers()
        self._writer = Writer(self._tiers, self._storage, settings, notify, clock, timer)
        self._finder = Finder(self._tiers, self._storage)
        self.held_bytes = self._finder.held_bytes
        self._keeper = Keeper(self._tiers, self._writer, settings.tag)
        self._messages: deque[StorageMessage] = deque()
        self._num_calls = 0  # public ones that are under way, one within the other
        self._is_open = False
        self.is_read_only = False
        self.is_held_elsewhere = False  # by another program when it was opened
        self._problem = ""  # of the opening
        self._default_budget = 0
        self._has_chosen_limits = settings.budget_bytes is not None  # so that those of the folder do not count
        self._waiting: list[Callable[[], None]] = []  # for Opened
        self._tickets: dict[int, Callable[[], None]] = {}
        self._num_tickets = 0
        self._live_bytes = 0
        self._most_bytes: int | None = None  # that memory has room for; None for any number
        self._is_closed = False

    def open(self) -> None:
        """Have the folder opened; what is asked before it is waits for it."""
        with self._call():
            self._storage.open()

    def handle(self, message: StorageMessage) -> None:
        """Take an answer of the storage, in any order with other calls, from within one of the storage's too."""
        with self._call():
            self._messages.append(message)

    def find(self, wanted: Wanted, done: Callable[[Found], None]) -> None:
        """Look for the longest restorable prefix; `done` is called on this thread, at once or from `handle`."""
        with self._call():
            self._keeper.begin_turn(wanted.conversation_id, wanted.num_old)
            self._finder.begin(wanted, done, is_ready=self._is_open)

    def drop(self, request_id: int) -> None:
        """Forget a find that is no longer wanted; an unknown one needs nothing."""
        self._finder.drop(request_id)

    def num_held(self, wanted: StreamWanted, token_ids: Sequence[int]) -> int:
        """How many tokens of a prompt a find could restore, from memory or disk; nothing is read or used by asking."""
        match = longest(self._tiers.tree, wanted, token_bytes(token_ids), len(token_ids) - 1) if token_ids else None
        return match.num_tokens if match else 0

    def missing_from(self, stream: Stream, token_ids: Sequence[int]) -> int:
        """The first position whose grown arrays a `put` of these tokens needs; len(token_ids) where it needs none."""
        return self._tiers.tree.deepest(stream.identity, token_bytes(token_ids)).num_tokens

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

        is_boundary: the place is one that later prompts will share, not the end of a turn. Before the folder is open,
        and for a conversation that was forgotten and has not asked since, nothing is kept.
        """
        assert state.num_tokens == len(token_ids), f"state of {state.num_tokens} tokens put for {len(token_ids)}"
        with self._call():
            if self._is_open:
                self._keeper.put(stream, conversation_id, token_bytes(token_ids), state, is_boundary)

    def forget(self, conversation_id: str, done: Callable[[], None]) -> None:
        """Remove what no other conversation uses, and refuse later puts; `done` is called once the files are gone."""
        with self._call():
            self._once_open(
                lambda: self._remove(lambda: self._keeper.forget(conversation_id), done, also_unwritten=True)
            )

    def remove(self, conversation_id: str, done: Callable[[], None]) -> None:
        """Remove what no other conversation uses; what this one puts from here on is kept. `done` as in `forget`."""
        with self._call():
            self._once_open(lambda: self._remove(lambda: self._keeper.let_go(conversation_id), done))

    def keep(self, conversation_ids: Iterable[str]) -> None:
        """Say which conversations exist, once their database has opened clean: what belongs to none ages."""
        known = frozenset(conversation_ids)
        with self._call():
            self._once_open(lambda: self._keeper.age(known, self._clock()))

    def shrink(self, live_bytes: int) -> None:
        """Make room in RAM: live state has so many bytes of the ceiling."""
        with self._call():
            self._live_bytes = live_bytes

    def limit_ram(self, num_bytes: int) -> None:
        """Hold no more than this in RAM, whatever the ceiling allows."""
        with self._call():
            self._most_bytes = num_bytes

    def set_limits(self, ram_bytes: int, budget_bytes: int, daily_limit_bytes: int) -> None:
        """Choose other limits, 0 for the default of each; what is beyond them goes at once. The disk's are kept."""
        default = CacheSettings(tag=self._settings.tag)
        with self._call():
            self._limit(
                replace(
                    default,
                    ram_bytes=ram_bytes or default.ram_bytes,
                    budget_bytes=budget_bytes or None,
                    daily_limit_bytes=daily_limit_bytes or default.daily_limit_bytes,
                )
            )
            self._has_chosen_limits = True
            self._once_open(lambda: self._tiers.owners.changes.append(SaveValue(LIMITS, self._settings.store())))

    def clear(self, done: Callable[[], None]) -> None:
        """Remove everything, unless another program writes to the folder; `done` is called once the files are gone."""
        with self._call():
            self._once_open(lambda: self._remove(lambda: self._tiers.clear(CLEARED), done))

    def report(self) -> CacheReport:
        return CacheReport(
            ram_bytes=self._tiers.ram.num_bytes,
            ram_limit_bytes=self._ram_limit,
            disk_bytes=self._writer.disk_bytes,
            drafter_bytes=drafter_bytes(self._tiers),
            budget_bytes=self._writer.room.budget_bytes,
            default_budget_bytes=self._default_budget,
            written_today_bytes=self._writer.written.at(self._clock()),
            daily_limit_bytes=self._settings.daily_limit_bytes,
            conversations=conversation_sizes(self._tiers),
            is_read_only=self.is_read_only,
            problem=self._writer.problem or (self._problem if self.is_read_only else ""),  # not what was mended
            max_storage_wait_seconds=self._storage.max_seconds,
        )

    @property
    def ram_bytes(self) -> int:
        """What it keeps in memory."""
        return self._tiers.ram.num_bytes

    def close(self, seconds: float) -> bool:
        """Flush what can be flushed in that time; False where something had to be dropped."""
        if self._is_closed:
            return True
        with self._call():
            self._answer_waiting()
        self._is_closed = True
        self._writer.note_unwritten()
        self._tell_storage()
        has_all = not self._writer.num_waiting
        has_ended = self._storage.close(seconds)
        for done in self._tickets.values():  # removals come before the end, and nobody takes their answers any more
            done()
        self._tickets.clear()
        return has_ended and has_all

    def _answer_waiting(self) -> None:
        """What still waits for the folder is answered as by one that cannot be written: nothing of it was removed."""
        self.is_read_only = self.is_read_only or not self._is_open
        self._do_waiting()

    def _do_waiting(self) -> None:
        for work in self._waiting:
            work()
        self._waiting.clear()

    def _limit(self, settings: CacheSettings) -> None:
        self._settings = self._writer.settings = settings
        chosen = settings.budget_bytes
        self._writer.room.budget_bytes = self._default_budget if chosen is None else chosen

    @property
    def _ram_limit(self) -> int:
        limit = max(0, self._settings.ram_bytes - self._live_bytes)
        return limit if self._most_bytes is None else min(limit, self._most_bytes)

    @contextmanager
    def _call(self) -> Iterator[None]:
        """Around every call that changes something: the outermost takes what arrived and does what follows from it."""
        self._num_calls += 1
        try:
            yield
            if self._num_calls == 1:
                self._settle()
        finally:
            self._num_calls -= 1

    def _settle(self) -> None:
        while not self._is_closed:
            while self._messages or self._writer.pump():  # an inline storage answers at once
                if self._messages:
                    self._take(self._messages.popleft())
            self._keeper.note_obstacles()
            if self._tiers.ram.num_bytes > self._ram_limit:
                self._tiers.shrink_ram(self._ram_limit, self._finder.pinned, RAM_EVICTED)
            self._tell_storage()
            if not self._messages:
                return

    def _take(self, message: StorageMessage) -> None:
        match message:
            case Opened():
                self._take_opened(message)
            case Written():
                if (part := self._writer.take(message)) is not None:
                    self._keeper.retire(part.node)
            case ReadBack():
                self._finder.take(message)
            case Removed(ticket):
                self._tickets.pop(ticket)()
            case _:
                assert_never(message)

    def _take_opened(self, opened: Opened) -> None:
        restore(self._tiers, opened)
        self._is_open, self.is_read_only, self._problem = True, opened.is_read_only, opened.problem
        self.is_held_elsewhere = opened.is_held_elsewhere
        self._writer.written.restore(opened.values.get(WRITTEN_TODAY, ""))
        self._finder.speed.restore(opened.values.get(READ_SPEED, ""))
        self._finder.prefill.restore(opened.values.get(PREFILL_SPEEDS, ""))
        self._writer.room.other_bytes = max(0, opened.other_bytes - self._tiers.index_bytes)
        self._default_budget = default_budget(opened.free_bytes, self._tiers.disk.num_bytes + opened.other_bytes)
        has_chosen = self._has_chosen_limits
        self._limit(self._settings if has_chosen else self._settings.restored(opened.values.get(LIMITS, "")))
        self._writer.is_open = not opened.is_read_only
        if opened.problem:
            self._notify(OPENED, opened.problem)
        self._do_waiting()
        self._finder.start()

    def _once_open(self, work: Callable[[], None]) -> None:
        if not self._is_open:
            self._waiting.append(work)
        else:
            work()

    def _remove(self, decide: Callable[[], None], done: Callable[[], None], *, also_unwritten: bool = False) -> None:
        """Have the storage remove what `decide` lets go of, and say when it is done; nothing of a folder that another
        program writes to, but for what this one forgets of it (`also_unwritten`)."""
        if also_unwritten or not self.is_read_only:
            decide()
        if not self._writer.is_open:
            done()
            return
        self._num_tickets += 1
        self._tickets[self._num_tickets] = done
        self._tell_storage()
        self._writer.remove_doomed(self._num_tickets)

    def _tell_storage(self) -> None:
        self._writer.remove_doomed()
        self._writer.save_count()
        changes, self._tiers.owners.changes[:] = tuple(self._tiers.owners.changes), ()
        if changes and self._writer.is_open:
            self._storage.record(changes)
