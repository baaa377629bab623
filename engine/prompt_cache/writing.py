"""What is written to the disk and when: within the budget and the day's limit, and not while the disk fails."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from engine.amounts import write_size
from engine.prompt_cache.arrays import FIXED, GROWN, to_tensors
from engine.prompt_cache.budget import WRITTEN_TODAY, DailyCount, Room, file_bytes
from engine.prompt_cache.entries import EntryKey, SaveValue, Storage, Stream, Touch, Written
from engine.prompt_cache.hashes import TOKEN_BYTES
from engine.prompt_cache.reasons import (
    BUDGET,
    DAILY_LIMIT,
    DISK_FAULT,
    NOT_STORED,
    OBSTACLES,
    OFF,
    SLOW_DISK,
    TOO_LARGE,
)
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.tree import Part

PAUSE_SECONDS = 60.0
PENDING_SHARE = 2  # half of the RAM ceiling may wait for the disk
MIN_CHECKED = 64  # parts that wait, before those that have become needless are looked for
PLACE_TAKEN = "place_taken"  # code of a notice


class Verdict(Enum):
    """What is to be done with the oldest part that waits."""

    WRITE = "write"
    WAIT = "wait"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Write:
    """A part on its way to the disk, with what it takes in RAM until then, and at most on the disk."""

    part: Part
    stream: Stream
    conversation_id: str
    ram_bytes: int
    file_bytes: int
    seconds: float  # when it was asked for, in Unix time


class Writer:
    """Parts that wait for the disk and those on their way; `obstacle` is the code for why some wait, or "".

    `notify(code, sentence)` is called once for each spell of an obstacle that people should know of.
    """

    def __init__(
        self,
        tiers: Tiers,
        storage: Storage,
        settings: CacheSettings,
        notify: Callable[[str, str], None],
        clock: Callable[[], float],
        timer: Callable[[], float],
    ) -> None:
        self._tiers, self._storage, self.settings = tiers, storage, settings
        self._notify, self._clock, self._timer = notify, clock, timer
        self._backlog: OrderedDict[Part, tuple[Stream, str]] = OrderedDict()  # with whom it is written for
        self._under_way: dict[EntryKey, deque[Write]] = {}
        self._failed: list[Write] = []  # to be tried again before all that waits
        self._pending_bytes = 0
        self._reserved_bytes = 0
        self._paused_until: float | None = None  # by the timer
        self._told: set[str] = set()
        self._num_checked = MIN_CHECKED
        self._is_count_saved = True
        self.written = DailyCount()  # what is on its way included
        self.room = Room()
        self.is_open = False  # whether anything may be written
        self.obstacle = ""
        self.problem = ""

    @property
    def disk_bytes(self) -> int:
        """Of files that are there or on their way."""
        return self._tiers.disk.num_bytes + self._reserved_bytes

    @property
    def budget_bytes(self) -> int:
        """Of entries' files."""
        return self.room.for_entries(self._tiers.index_bytes)

    @property
    def num_waiting(self) -> int:
        return len(self._backlog) + len(self._failed)

    def note_unwritten(self) -> None:
        """Before the end: what may not be written any more is not there at the next start, and no file is damaged."""
        self._drop_needless()
        under_way = [write.part for writes in self._under_way.values() for write in writes]
        for part in (*under_way, *self._backlog):
            for conversation_id in part.node.conversations():
                self._tiers.owners.lose_first(conversation_id, part.node.stream, NOT_STORED)

    def want(self, part: Part, stream: Stream, conversation_id: str) -> None:
        """Have a part written when its turn comes; whatever it hangs from must be wanted before it."""
        if self.is_open and not part.is_stored and not part.is_writing:
            self._backlog.setdefault(part, (stream, conversation_id))

    def is_waiting(self, part: Part) -> bool:
        return part in self._backlog

    def pump(self) -> bool:
        """Write the next part, where it may be; False where nothing is to be written for the time being."""
        if not self._under_way:
            self._wait_again()
        if self.is_open and self.disk_bytes > self.budget_bytes:
            self._tiers.limit_disk(self.disk_bytes - self.budget_bytes, BUDGET)
        while self.is_open and self._backlog:
            part, (stream, conversation_id) = next(iter(self._backlog.items()))
            verdict = self._judge(part)
            if verdict is Verdict.WAIT:
                if len(self._backlog) > 2 * self._num_checked:
                    self._drop_needless()
                return False
            del self._backlog[part]
            if verdict is Verdict.WRITE:
                self._write(part, stream, conversation_id)
                return True
        self.obstacle = ""
        return False

    def save_count(self) -> None:
        """Have the day's count saved beside what was written, where it has changed."""
        if not self._is_count_saved:
            self._is_count_saved = True
            self._tiers.owners.changes.append(SaveValue(WRITTEN_TODAY, self.written.store()))

    def remove_doomed(self, ticket: int = 0) -> None:
        """Tell the storage which files go; with a ticket it answers even where there are none."""
        keys, self._tiers.doomed[:] = tuple(self._tiers.doomed), ()
        if self.is_open and (keys or ticket):
            self._storage.remove(keys, ticket)

    def take(self, message: Written) -> Part | None:
        """The end of a write; returns the part where it has a file now."""
        waiting = self._under_way[message.key]
        write = waiting.popleft()
        part = write.part
        if not waiting:
            del self._under_way[message.key]
        self._pending_bytes -= write.ram_bytes
        self._reserved_bytes -= write.file_bytes
        part.is_writing = False
        self._correct_count(write, message)
        if message.error:
            self._fail(write, message)
            return None
        self._end_pause()
        if not self._tiers.is_alive(part):
            return None
        self._tiers.store_last(part, message.num_bytes)
        self._tiers.owners.changes.append(Touch((part.key,), part.node.used))
        for stand in part.node.stands.values():
            read = self._tiers.owners.read_of(stand.conversation_id, part.node.stream)
            is_whole = read is not None and len(read.tokens) <= TOKEN_BYTES * part.node.num_tokens
            if read is not None and is_whole and read.loss in OBSTACLES:
                self._tiers.owners.lose(stand.conversation_id, part.node.stream, "")
        return part

    def _judge(self, part: Part) -> Verdict:
        if self._is_needless(part):
            return Verdict.SKIP
        num_bytes = _num_file_bytes(part)
        if self._is_paused():
            return self._wait_for(DISK_FAULT)
        if self._pending_bytes and self._pending_bytes + part.ram_bytes > self.settings.ram_bytes // PENDING_SHARE:
            return self._wait_for(SLOW_DISK)
        if self.written.at(self._clock()) + num_bytes > self.settings.daily_limit_bytes:
            limit = write_size(self.settings.daily_limit_bytes)
            self._tell(DAILY_LIMIT, f"The prompt cache has written its {limit} of today; it goes on tomorrow.")
            return self._wait_for(DAILY_LIMIT)
        self._told.discard(DAILY_LIMIT)
        return self._make_room(part, num_bytes)

    def _make_room(self, part: Part, num_bytes: int) -> Verdict:
        """All that a part hangs from is on the disk or on its way, so that its path fits where all together does."""
        if not _is_led_to(part):
            return self._leave_out(part)
        excess = self.disk_bytes + num_bytes - (self.budget_bytes - part.record_bytes)
        if excess <= 0 or self._tiers.shrink_disk(excess, lambda other: _is_on_path(other, part), BUDGET):
            return Verdict.WRITE
        if self._under_way:
            return self._wait_for(SLOW_DISK)  # what is on its way may be evicted once it is there
        for conversation_id in part.node.conversations():
            self._tiers.owners.lose(conversation_id, part.node.stream, OFF if self.settings.is_off else TOO_LARGE)
        if not self.settings.is_off:
            budget = write_size(self.room.budget_bytes)
            self._tell(TOO_LARGE, f"A chat is too large for the prompt cache's budget of {budget}.")
        return Verdict.SKIP

    def _write(self, part: Part, stream: Stream, conversation_id: str) -> None:
        assert part.arrays is not None
        self.remove_doomed()  # before the write, so that the folder never holds both
        part.is_writing = True
        write = Write(part, stream, conversation_id, part.ram_bytes, _num_file_bytes(part), self._clock())
        self.written.add(write.seconds, write.file_bytes)
        self._is_count_saved = False
        self._under_way.setdefault(part.key, deque()).append(write)
        self._pending_bytes += write.ram_bytes
        self._reserved_bytes += write.file_bytes
        tensors = to_tensors(FIXED if part.is_checkpoint else GROWN, part.arrays)
        names = {"conversation_id": conversation_id, "tag": self.settings.tag}
        self._storage.write(part.entry, stream, tensors, **names)

    def _is_paused(self) -> bool:
        """Whether the disk failed of late, or is being tried with one part."""
        return self._paused_until is not None and (bool(self._under_way) or self._timer() < self._paused_until)

    def _wait_again(self) -> None:
        for write in reversed(self._failed):
            self._backlog[write.part] = (write.stream, write.conversation_id)
            self._backlog.move_to_end(write.part, last=False)
        self._failed.clear()

    def _fail(self, write: Write, message: Written) -> None:
        node = write.part.node
        for conversation_id in node.conversations():
            self._tiers.owners.lose(conversation_id, node.stream, DISK_FAULT)
        if message.is_disk_fault:
            self._failed.append(write)
            self._paused_until = self._timer() + PAUSE_SECONDS
            self.problem = message.error
            self._tell(DISK_FAULT, f"{message.error} The prompt cache writes nothing for a while; chats go on.")
        elif self._tiers.is_alive(write.part):
            self._tell(PLACE_TAKEN, f"{message.error} A part of a chat is not saved because of it; chats go on.")

    def _end_pause(self) -> None:
        if self._paused_until is not None:
            self._paused_until, self.problem = None, ""
            self._told.discard(DISK_FAULT)

    def _correct_count(self, write: Write, message: Written) -> None:
        self.written.correct(write.seconds, message.num_bytes - write.file_bytes)
        self._is_count_saved = False

    def _is_needless(self, part: Part) -> bool:
        """Whether nothing is to be written of a part any more."""
        return part.arrays is None or part.is_stored or part.is_writing or not self._tiers.is_alive(part)

    def _drop_needless(self) -> None:
        """A pause can be long: what left the tree meanwhile is not held for it."""
        for part in [part for part in self._backlog if self._is_needless(part)]:
            del self._backlog[part]
        self._failed = [write for write in self._failed if not self._is_needless(write.part)]
        self._num_checked = max(MIN_CHECKED, len(self._backlog))

    def _leave_out(self, part: Part) -> Verdict:
        """A part whose path is not on the disk would be of no use there."""
        if self._failed:
            return self._wait_for(DISK_FAULT)  # it may be among them
        for conversation_id in part.node.stands:
            self._tiers.owners.lose_first(conversation_id, part.node.stream, BUDGET)
        return Verdict.SKIP

    def _wait_for(self, code: str) -> Verdict:
        self.obstacle = code
        return Verdict.WAIT

    def _tell(self, code: str, text: str) -> None:
        if code not in self._told:
            self._told.add(code)
            self._notify(code, text)


def _num_file_bytes(part: Part) -> int:
    num_tokens = 0 if part.is_checkpoint else len(part.node.tokens) // TOKEN_BYTES
    return file_bytes(part.ram_bytes, num_tokens, len(part.arrays or ()))


def _is_led_to(part: Part) -> bool:
    above = part.hangs_from
    return above is None or above.is_stored or above.is_writing


def _is_on_path(other: Part, part: Part) -> bool:
    """Whether another part stands on the way to a part; those were used no earlier than it, which spares the walk."""
    return other.node.used >= part.node.used and other.node.is_above(part.node)
