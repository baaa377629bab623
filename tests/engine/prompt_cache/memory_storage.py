"""A storage whose disk is a dictionary: it can hold its answers back, fail, and be opened again by another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.prompt_cache.entries import (
    Change,
    Deliver,
    DropOwner,
    DropReading,
    Entry,
    EntryKey,
    Opened,
    Owner,
    ReadBack,
    Reading,
    Removed,
    SaveOwner,
    SaveReading,
    SaveValue,
    StoredEntry,
    Stream,
    Tensor,
    Touch,
    Written,
)

FACTS_BYTES = 300


@dataclass(slots=True)
class MemoryDisk:
    """What outlives a storage; counts what was written, and the most that it ever held."""

    files: dict[EntryKey, tuple[Entry, dict[str, Tensor], int]] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    owners: dict[tuple[str, str, str], Owner] = field(default_factory=dict)
    readings: dict[tuple[str, str], Reading] = field(default_factory=dict)
    used: dict[EntryKey, int] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    damaged: set[EntryKey] = field(default_factory=set)
    error: str = ""  # of every write
    free_bytes: int = 1 << 40
    is_read_only: bool = False
    read_seconds: float = 1e-6
    num_attempts: int = 0
    written_bytes: int = 0
    peak_bytes: int = 0

    @property
    def num_bytes(self) -> int:
        return sum(num_bytes for _, _, num_bytes in self.files.values())


class MemoryStorage:
    """Executes calls at once and answers within them, or, `is_held`, when `work` is called."""

    def __init__(self, disk: MemoryDisk, deliver: Deliver, *, is_held: bool = False) -> None:
        self._disk, self._deliver = disk, deliver
        self.is_held = is_held
        self._calls: deque[Callable[[], None]] = deque()

    def work(self) -> None:
        """Do all that waits, and what comes of it."""
        while self._calls:
            self._calls.popleft()()

    def open(self) -> None:
        self._do(self._open)

    def write(
        self,
        entry: Entry,
        stream: Stream,
        tensors: Mapping[str, Tensor],
        *,
        conversation_id: str = "",
        tag: str = "",
    ) -> None:
        self._do(lambda: self._write(entry, stream, tensors))

    def read(self, request_id: int, keys: Sequence[EntryKey]) -> None:
        self._do(lambda: self._read(request_id, keys))

    def remove(self, keys: Sequence[EntryKey], ticket: int = 0) -> None:
        self._do(lambda: self._remove(keys, ticket))

    def record(self, changes: Sequence[Change]) -> None:
        self._do(lambda: [self._change(change) for change in changes])

    def close(self, seconds: float) -> bool:
        self.work()
        return True

    def _do(self, call: Callable[[], object]) -> None:
        self._calls.append(call)
        if not self.is_held:
            self.work()

    def _open(self) -> None:
        disk = self._disk
        entries = tuple(
            StoredEntry(entry, num_bytes, disk.used.get(key, 0)) for key, (entry, _, num_bytes) in disk.files.items()
        )
        tables = (tuple(disk.streams.values()), tuple(disk.owners.values()), tuple(disk.readings.values()))
        self._deliver(Opened(entries, *tables, dict(disk.values), disk.is_read_only, disk.free_bytes))

    def _write(self, entry: Entry, stream: Stream, tensors: Mapping[str, Tensor]) -> None:
        disk = self._disk
        disk.num_attempts += 1
        if disk.error:
            self._deliver(Written(entry.key, 0, disk.error, is_disk_fault=True))
            return
        kept = {name: replace(tensor, data=memoryview(bytes(tensor.data))) for name, tensor in tensors.items()}
        num_bytes = FACTS_BYTES + 4 * len(entry.token_ids) + sum(tensor.data.nbytes for tensor in kept.values())
        disk.damaged.discard(entry.key)
        disk.files[entry.key] = (entry, kept, num_bytes)
        disk.streams[stream.identity] = stream
        disk.written_bytes += num_bytes
        disk.peak_bytes = max(disk.peak_bytes, disk.num_bytes)
        self._deliver(Written(entry.key, num_bytes))

    def _read(self, request_id: int, keys: Sequence[EntryKey]) -> None:
        disk = self._disk
        good = [key for key in keys if key in disk.files and key not in disk.damaged]
        faults = {key: "It was damaged." for key in keys if key not in good}
        for key in faults:
            disk.files.pop(key, None)
        tensors = {key: disk.files[key][1] for key in good}
        num_bytes = sum(disk.files[key][2] for key in good)
        self._deliver(ReadBack(request_id, tensors, faults, num_bytes, disk.read_seconds))

    def _remove(self, keys: Sequence[EntryKey], ticket: int) -> None:
        for key in keys:
            self._disk.files.pop(key, None)
        if ticket:
            self._deliver(Removed(ticket))

    def _change(self, change: Change) -> None:
        disk = self._disk
        match change:
            case SaveOwner(owner):
                disk.owners[owner.conversation_id, owner.stream, owner.node] = owner
            case DropOwner(conversation_id, stream, node):
                disk.owners.pop((conversation_id, stream, node), None)
            case SaveReading(reading):
                disk.readings.pop((reading.conversation_id, reading.stream.identity), None)
                disk.readings[reading.conversation_id, reading.stream.identity] = reading
            case DropReading(conversation_id):
                for place in [place for place in disk.readings if place[0] == conversation_id]:
                    del disk.readings[place]
            case Touch(keys, used):
                disk.used.update(dict.fromkeys(keys, used))
            case SaveValue(name, value):
                disk.values[name] = value
