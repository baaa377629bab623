"""Where every part of the tree is: in RAM, on disk, or both; what falls out of both tiers leaves the tree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from engine.prompt_cache.entries import EntryKey, Stream, Touch
from engine.prompt_cache.owners import Owners
from engine.prompt_cache.reasons import OLD_BRANCH, RAM_EVICTED
from engine.prompt_cache.retention import UseOrder
from engine.prompt_cache.tree import Node, Part, Tree

if TYPE_CHECKING:
    from engine.prompt_cache.arrays import Arrays


class Tiers:
    """The tree with its two tiers and its owners; `doomed` are files that the storage has yet to be told to remove."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.ram = UseOrder()
        self.disk = UseOrder()
        self.streams: dict[str, Stream] = {}  # that were told of, by identity
        self.owners = Owners(self._rank)
        self.doomed: list[EntryKey] = []
        self.num_uses = 0
        self._listed_bytes = 0

    @property
    def index_bytes(self) -> int:
        """About as many as the storage needs to list what is on the disk."""
        return self._listed_bytes + self.owners.reading_bytes

    def is_alive(self, part: Part) -> bool:
        return self.tree.get(part.node.hash) is part.node and part in part.node.parts

    def touch(self, node: Node) -> None:
        """Count a use of all that leads to a node."""
        self.num_uses += 1
        path = node.path()
        parts = [part for above in path for part in above.parts if part is above.page or above is node]
        for above in path:
            above.used = self.num_uses
        for part in parts:
            self.ram.touch(part)
            self.disk.touch(part)
        if stored := tuple(part.key for part in parts if part.is_stored):
            self.owners.changes.append(Touch(stored, self.num_uses))

    def adopt(self, part: Part, arrays: Arrays, num_bytes: int) -> None:
        """Have a part in RAM."""
        part.arrays, part.ram_bytes = arrays, num_bytes
        self.ram.add(part, num_bytes)

    def store(self, part: Part, num_bytes: int) -> None:
        """Note that a part has a file, used more recently than all others."""
        part.file_bytes = num_bytes
        self.disk.add(part, num_bytes)
        self._listed_bytes += part.record_bytes

    def store_last(self, part: Part, num_bytes: int) -> None:
        """Note that a part has a file, which was written after those that it hangs from and goes before them."""
        self.store(part, num_bytes)
        for above in part.node.path():
            if above.page is not None and above.page is not part:
                self.disk.touch(above.page)

    def release(self, part: Part, loss: str) -> None:
        """Let a part go from RAM; `loss` says why it is lost where it is nowhere else."""
        part.arrays, part.ram_bytes = None, 0
        self.ram.discard(part)
        if not part.is_stored:
            self._lose(part, loss)

    def delete(self, part: Part, loss: str) -> None:
        """Let a part go from the disk."""
        self._doom(part)
        if part.arrays is None:
            self._lose(part, loss)

    def remove(self, node: Node, loss: str) -> None:
        """Let a node go from both tiers, with all that hangs from it; who stood there stands where it hung."""
        parent = node.parent
        assert parent is not None
        for gone in self.tree.remove(node):
            for part in gone.parts:
                self._let_go(part)
            for stand in list(gone.stands.values()):
                self._note_loss(stand.conversation_id, gone.stream, loss if stand.is_current else OLD_BRANCH)
                self.owners.move(stand, parent)

    def collect(self, node: Node) -> None:
        """Remove what nobody needs, from a node that somebody left up to where something else hangs or stands."""
        while node.parent is not None and not node.stands and self.tree.get(node.hash) is node:
            if node.checkpoint is not None:
                self._drop_checkpoint(node)
            if node.children:
                return
            parent = node.parent
            self.remove(node, "")
            node = parent

    def shrink_ram(self, limit: int, pinned: Collection[Part], loss: str) -> None:
        """Bring RAM to `limit` bytes, as far as nothing is pinned or on its way to the disk."""
        for part in self.ram.victims(self.ram.num_bytes - limit, lambda part: part.is_writing or part in pinned):
            if part in self.ram:  # it may have gone with what it hung from
                self.release(part, loss)

    def shrink_disk(self, num_bytes: int, is_kept: Callable[[Part], bool], loss: str) -> bool:
        """Free so many bytes of the disk; False, and nothing is done, where that cannot be."""
        victims = self.disk.victims(num_bytes, lambda part: is_kept(part) or _carries_writes(part.node))
        if sum(part.file_bytes for part in victims) < num_bytes:
            return False
        self._delete(victims, loss)
        return True

    def limit_disk(self, num_bytes: int, loss: str) -> None:
        """Free so many bytes of the disk, as far as nothing is on its way there."""
        self._delete(self.disk.victims(num_bytes, lambda part: _carries_writes(part.node)), loss)

    def clear(self, loss: str) -> None:
        """Let everything go."""
        for node in self.tree:
            if node.parent is not None and self.tree.get(node.hash) is node:
                self.remove(node, loss)

    def _delete(self, victims: Sequence[Part], loss: str) -> None:
        for part in victims:
            if part in self.disk:  # it may have gone with what it hung from
                self.delete(part, loss)

    def _lose(self, part: Part, loss: str) -> None:
        """Take a part out of the tree that is in neither tier."""
        if not part.is_checkpoint:
            self.remove(part.node, loss)
            return
        for stand in part.node.stands.values():
            self._note_loss(stand.conversation_id, part.node.stream, loss)
        self._drop_checkpoint(part.node)

    def _drop_checkpoint(self, node: Node) -> None:
        assert node.checkpoint is not None
        self._let_go(node.checkpoint)
        node.checkpoint = None

    def _let_go(self, part: Part) -> None:
        self._doom(part)
        part.arrays, part.ram_bytes = None, 0
        self.ram.discard(part)

    def _doom(self, part: Part) -> None:
        """Have a file removed, one that is about to be written too."""
        if part.is_stored or part.is_writing:
            self.doomed.append(part.key)
        if part.is_stored:
            self._listed_bytes -= part.record_bytes
        part.file_bytes = 0
        self.disk.discard(part)

    def _note_loss(self, conversation_id: str, stream: str, loss: str) -> None:
        """Where there was a cause already, an old branch that goes is none, nor that memory gets short in the end."""
        read = self.owners.read_of(conversation_id, stream)
        if loss and read is not None and not (loss in (OLD_BRANCH, RAM_EVICTED) and read.loss):
            self.owners.lose(conversation_id, stream, loss)

    def _rank(self, node: Node) -> None:
        for part in node.parts:
            self.ram.touch(part)
            self.disk.touch(part)


def _carries_writes(node: Node) -> bool:
    """Whether something that is being written stands here or hangs from here."""
    below = [part for siblings in node.children.values() for child in siblings for part in child.parts]
    return any(part.is_writing for part in (*node.parts, *below))
