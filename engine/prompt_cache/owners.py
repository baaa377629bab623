"""Which conversation needs what: where each stands in the tree, and the tokens that it last had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.prompt_cache.budget import RECORD_BYTES
from engine.prompt_cache.entries import (
    Change,
    DropOwner,
    DropReading,
    Owner,
    Reading,
    SaveOwner,
    SaveReading,
    Stream,
)
from engine.prompt_cache.hashes import token_bytes, token_ids
from engine.prompt_cache.tree import Node

NOBODY = ""  # stands where it is not known who needs something


@dataclass(slots=True, eq=False)
class Stand:
    """A conversation that needs what leads to a node."""

    conversation_id: str
    node: Node
    tag: str = ""
    is_current: bool = True
    is_boundary: bool = True  # where it is not known
    unseen_since: float = 0.0

    @property
    def num_tokens(self) -> int:
        return self.node.num_tokens

    @property
    def owner(self) -> Owner:
        """As the storage is told of it."""
        node = self.node
        facts = (node.num_tokens, self.tag, self.is_current, self.unseen_since)
        return Owner(self.conversation_id, node.stream, node.hash, *facts)


@dataclass(frozen=True, slots=True)
class Read:
    """What a conversation last had in a stream, and why it went: a Reading with its tokens as bytes."""

    stream: Stream
    tokens: bytes
    loss: str = ""


class Owners:
    """All stands and readings; `changes` are those that the storage has yet to be told of.

    `rank` is called with every node that comes to be, or is no longer, on a current path; each before its parent.
    """

    def __init__(self, rank: Callable[[Node], None]) -> None:
        self._rank = rank
        self._stands: dict[str, dict[Node, Stand]] = {}
        self._reads: dict[str, dict[str, Read]] = {}  # by conversation and stream, the latest last
        self.changes: list[Change] = []
        self.reading_bytes = 0  # in the storage's index

    def conversations(self) -> list[str]:
        """All that stand somewhere or have a reading."""
        return list({**self._stands, **self._reads})

    def stands_of(self, conversation_id: str, stream: str | None = None) -> list[Stand]:
        stands = self._stands.get(conversation_id, {}).values()
        return [stand for stand in stands if stream in (None, stand.node.stream)]

    def restore(self, stand: Stand) -> None:
        """Take in what the storage told."""
        self._stands.setdefault(stand.conversation_id, {})[stand.node] = stand
        stand.node.stands[stand.conversation_id] = stand
        if stand.is_current:
            self._count(stand.node, 1)

    def stand(self, conversation_id: str, node: Node, tag: str, *, is_boundary: bool) -> Stand:
        """Have a conversation's latest path lead to a node; its other places off that path are old from here on."""
        path = set(node.path())
        for other in self.stands_of(conversation_id, node.stream):
            self._set_current(other, other.node in path)
        stand = self._stands.get(conversation_id, {}).get(node)
        if stand is None:
            stand = Stand(conversation_id, node, tag, is_boundary=is_boundary)
            self.restore(stand)
        stand.is_boundary &= is_boundary
        self.changes.append(SaveOwner(stand.owner))
        if (unknown := node.stands.get(NOBODY)) is not None and conversation_id != NOBODY:
            self.leave(unknown)
        return stand

    def leave(self, stand: Stand) -> None:
        """A conversation needs a place no more."""
        places = self._stands[stand.conversation_id]
        del places[stand.node], stand.node.stands[stand.conversation_id]
        if not places:
            del self._stands[stand.conversation_id]
        if stand.is_current:
            self._count(stand.node, -1)
        self.changes.append(DropOwner(stand.conversation_id, stand.node.stream, stand.node.hash))

    def move(self, stand: Stand, node: Node) -> None:
        """Have a conversation stand further up, since what led to its place is gone."""
        if node.parent is not None:
            present = node.stands.get(stand.conversation_id)
            if present is None:
                facts = (stand.tag, stand.is_current)
                present = Stand(stand.conversation_id, node, *facts, unseen_since=stand.unseen_since)
                self.restore(present)
                self.changes.append(SaveOwner(present.owner))
            elif stand.is_current:
                self._set_current(present, True)
        self.leave(stand)  # after the other: what is on a current path stays at its place in the order of use

    def set_unseen(self, stand: Stand, since: float) -> None:
        if stand.unseen_since != since:
            stand.unseen_since = since
            self.changes.append(SaveOwner(stand.owner))

    def remember(self, conversation_id: str, read: Read, *, is_saved: bool) -> None:
        """Keep a reading as the conversation's latest; `is_saved`: the storage is told of it."""
        reads = self._reads.setdefault(conversation_id, {})
        self._uncount(reads.pop(read.stream.identity, None))
        reads[read.stream.identity] = read
        self.reading_bytes += _record_bytes(read)
        if is_saved:
            self.changes.append(SaveReading(_reading(conversation_id, read)))

    def read_of(self, conversation_id: str, stream: str) -> Read | None:
        return self._reads.get(conversation_id, {}).get(stream)

    def latest_read(self, conversation_id: str) -> Read | None:
        return next(reversed(self._reads.get(conversation_id, {}).values()), None)

    def lose(self, conversation_id: str, stream: str, loss: str) -> None:
        """Note why something of a conversation went."""
        read = self.read_of(conversation_id, stream)
        if read is not None and read.loss != loss:
            self._reads[conversation_id][stream] = lost = Read(read.stream, read.tokens, loss)
            self.changes.append(SaveReading(_reading(conversation_id, lost)))

    def lose_first(self, conversation_id: str, stream: str, loss: str) -> None:
        """Note why something of a conversation went, where no cause is known yet."""
        read = self.read_of(conversation_id, stream)
        if read is not None and not read.loss:
            self.lose(conversation_id, stream, loss)

    def forget(self, conversation_id: str) -> list[Node]:
        """Drop all of a conversation; returns the nodes where it stood."""
        stands = self.stands_of(conversation_id)
        for stand in stands:
            self.leave(stand)
        for read in self._reads.pop(conversation_id, {}).values():
            self._uncount(read)
        self.changes.append(DropReading(conversation_id))
        return [stand.node for stand in stands]

    def _set_current(self, stand: Stand, is_current: bool) -> None:
        if stand.is_current != is_current:
            stand.is_current = is_current
            self._count(stand.node, 1 if is_current else -1)
            self.changes.append(SaveOwner(stand.owner))

    def _uncount(self, read: Read | None) -> None:
        self.reading_bytes -= _record_bytes(read) if read else 0

    def _count(self, node: Node, change: int) -> None:
        for above in node.path():
            was_current = above.num_current > 0
            above.num_current += change
            if was_current != (above.num_current > 0):
                self._rank(above)


def _record_bytes(read: Read) -> int:
    return RECORD_BYTES + len(read.tokens)


def restored_reading(reading: Reading) -> Read:
    return Read(reading.stream, token_bytes(reading.token_ids), reading.loss)


def _reading(conversation_id: str, read: Read) -> Reading:
    return Reading(conversation_id, read.stream, token_ids(read.tokens), read.loss)
