"""What the storage is asked for, as values that wait in its queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.prompt_cache.entries import Change, Entry, EntryKey, Stream, Tensor
from engine.prompt_cache.entry_file import Creator


@dataclass(frozen=True, slots=True)
class OpenFolder:
    """Answered by Opened."""


@dataclass(slots=True)
class WriteEntry:
    """Answered by Written; not made where it is no longer wanted."""

    entry: Entry
    stream: Stream
    creator: Creator
    tensors: Mapping[str, Tensor]
    is_wanted: bool = True


@dataclass(frozen=True, slots=True)
class ReadEntries:
    """Answered by ReadBack."""

    request_id: int
    keys: tuple[EntryKey, ...]


@dataclass(frozen=True, slots=True)
class RemoveEntries:
    """Answered by Removed where it has a ticket."""

    keys: tuple[EntryKey, ...]
    ticket: int = 0


@dataclass(frozen=True, slots=True)
class RecordChanges:
    """Not answered."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class SaveIndex:
    """Makes the changes that wait permanent; the queue asks for it when it runs empty."""


Job = OpenFolder | WriteEntry | ReadEntries | RemoveEntries | RecordChanges | SaveIndex
