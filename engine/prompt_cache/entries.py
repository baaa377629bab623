"""What the prompt cache keeps, in types that its tree and its storage share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

KIND, TARGET = "kind", "target"  # of a stream's facts
NO_TIME = "slow_disk"  # a Reading's loss where its entries could not be written in time
PAGE_TOKENS = 256  # a branch that leaves a page in its middle keeps the page's head twice, so pages are small


@dataclass(frozen=True, slots=True)
class Tensor:
    """An evaluated array outside of MLX: `dtype` as safetensors names it, `data` its bytes in C order."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview


@dataclass(frozen=True, slots=True)
class Stream:
    """One kind of state, of a target or of a drafter; its entries fit no other stream.

    identity: 32 hex digits over all that the state depends on. facts: the same for people, as (name, value), by which
    the reason of a miss is told: "kind", "model", "weights", "tokenizer", "kv", "version".
    """

    identity: str
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def is_of_target(self) -> bool:
        """Rather than of a drafter."""
        return dict(self.facts).get(KIND, TARGET) == TARGET


@dataclass(frozen=True, slots=True)
class EntryKey:
    """Where an entry belongs: hashes, 32 hex digits each, of all tokens before its first and up to its last.

    A checkpoint, which is exact at one place alone, begins where it ends.
    """

    stream: str
    start: str
    end: str

    @property
    def is_checkpoint(self) -> bool:
        return self.start == self.end


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the cache: a page's tokens from position `first` on, or the checkpoint before position `first`."""

    key: EntryKey
    first: int
    token_ids: tuple[int, ...]  # none in a checkpoint

    @property
    def num_tokens(self) -> int:
        """Tokens of the sequence up to its end."""
        return self.first + len(self.token_ids)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry that has a file, and when it was last used: a count of uses, never a clock."""

    entry: Entry
    num_bytes: int
    used: int = 0


@dataclass(frozen=True, slots=True)
class Owner:
    """A conversation that needs what ends at a node; `tag` says which program made it, "" for the window."""

    conversation_id: str
    stream: str
    node: str
    num_tokens: int
    tag: str = ""
    is_current: bool = True  # on the conversation's latest path, not on a branch that was left
    unseen_since: float = 0.0  # Unix seconds since no conversation of this id was known; 0.0 where it is


@dataclass(frozen=True, slots=True)
class Reading:
    """The tokens that a conversation last had in a stream, kept when its entries go, and why they went."""

    conversation_id: str
    stream: Stream
    token_ids: tuple[int, ...]
    loss: str = ""  # a code of engine/prompt_cache/reasons.py


@dataclass(frozen=True, slots=True)
class SaveOwner:
    owner: Owner


@dataclass(frozen=True, slots=True)
class DropOwner:
    conversation_id: str
    stream: str
    node: str


@dataclass(frozen=True, slots=True)
class SaveReading:
    reading: Reading


@dataclass(frozen=True, slots=True)
class DropReading:
    conversation_id: str


@dataclass(frozen=True, slots=True)
class Touch:
    keys: tuple[EntryKey, ...]
    used: int


@dataclass(frozen=True, slots=True)
class SaveValue:
    """A value under a name, for what the tree remembers between starts."""

    name: str
    value: str


Change = SaveOwner | DropOwner | SaveReading | DropReading | Touch | SaveValue


@dataclass(frozen=True, slots=True)
class Opened:
    """What the folder held when it was opened; `problem` is a sentence where something was repaired or is refused."""

    entries: tuple[StoredEntry, ...] = ()
    streams: tuple[Stream, ...] = ()
    owners: tuple[Owner, ...] = ()
    readings: tuple[Reading, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    is_read_only: bool = False  # another program holds the folder, or it cannot be written
    free_bytes: int = 0  # of the disk
    problem: str = ""
    other_bytes: int = 0  # of files in the folder that are no entries, the index among them
    is_held_elsewhere: bool = False  # by another program; it may be written once that program has ended


@dataclass(frozen=True, slots=True)
class Written:
    """The end of one write; `error` is a sentence where it failed, `is_disk_fault` where others would fail too."""

    key: EntryKey
    num_bytes: int
    error: str = ""
    is_disk_fault: bool = False


@dataclass(frozen=True, slots=True)
class ReadBack:
    """Entries that were asked for: tensors by name, and for those that cannot be had a sentence that says why.

    An entry in neither could not be read this time, and is still there.
    """

    request_id: int
    tensors: Mapping[EntryKey, Mapping[str, Tensor]]
    faults: Mapping[EntryKey, str]
    num_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Removed:
    """The files of a `remove` are gone."""

    ticket: int


StorageMessage = Opened | Written | ReadBack | Removed


class Storage(Protocol):
    """Executes what the tree decides. Every call returns at once; messages come on another thread, writes, removals
    and changes in the order of their calls, reads before them."""

    def open(self) -> None: ...  # answered by Opened, always
    def write(
        self,
        entry: Entry,
        stream: Stream,
        tensors: Mapping[str, Tensor],
        *,
        conversation_id: str = "",  # kept in the file, so that an index that is lost can be made again
        tag: str = "",
    ) -> None: ...  # Written
    def read(self, request_id: int, keys: Sequence[EntryKey]) -> None: ...  # ReadBack
    def remove(self, keys: Sequence[EntryKey], ticket: int = 0) -> None: ...  # Removed, where there is a ticket
    def record(self, changes: Sequence[Change]) -> None: ...
    def close(self, seconds: float) -> bool: ...  # False where writes had to be dropped; blocks


Deliver = Callable[[StorageMessage], None]
