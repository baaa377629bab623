"""The tree of saved state: nodes are places in token sequences, pages lead from node to node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.prompt_cache.budget import RECORD_BYTES
from engine.prompt_cache.entries import Entry, EntryKey
from engine.prompt_cache.hashes import TOKEN_BYTES, num_common, root_hash, token_ids

if TYPE_CHECKING:
    from engine.prompt_cache.arrays import Arrays
    from engine.prompt_cache.owners import Stand


@dataclass(slots=True, eq=False)
class Part:
    """One entry in the tree: a page or a checkpoint, in RAM, in a file, or in both."""

    node: Node  # where it ends
    is_checkpoint: bool
    arrays: Arrays | None = None
    ram_bytes: int = 0
    file_bytes: int = 0  # 0 where there is no file
    is_writing: bool = False

    @property
    def is_stored(self) -> bool:
        return self.file_bytes > 0

    @property
    def hangs_from(self) -> Part | None:
        """The page that leads to it; none where its sequence begins."""
        if self.is_checkpoint:
            return self.node.page
        return self.node.parent.page if self.node.parent else None

    @property
    def record_bytes(self) -> int:
        """What it takes in an index, its owner's record included."""
        return 2 * RECORD_BYTES + (0 if self.is_checkpoint else len(self.node.tokens))

    @property
    def key(self) -> EntryKey:
        node = self.node
        start = node.hash if self.is_checkpoint or node.parent is None else node.parent.hash
        return EntryKey(node.stream, start, node.hash)

    @property
    def entry(self) -> Entry:
        """As the storage is told of it."""
        if self.is_checkpoint:
            return Entry(self.key, self.node.num_tokens, ())
        return Entry(self.key, self.node.first, token_ids(self.node.tokens))


@dataclass(slots=True, eq=False)
class Node:
    """A place in a sequence of a stream, with the page that leads to it from its parent; a root has neither."""

    stream: str
    hash: str
    num_tokens: int  # before it
    tokens: bytes  # of its page
    parent: Node | None = None
    page: Part | None = None
    checkpoint: Part | None = None
    children: dict[bytes, list[Node]] = field(default_factory=dict)  # by the first token of their pages
    stands: dict[str, Stand] = field(default_factory=dict)  # by conversation
    num_current: int = 0  # stands on current paths, here and below
    used: int = 0  # count of uses at its last one

    @property
    def first(self) -> int:
        """Position of its page's first token."""
        return self.num_tokens - len(self.tokens) // TOKEN_BYTES

    @property
    def parts(self) -> list[Part]:
        """What stands here, in the order in which it may go."""
        return [part for part in (self.checkpoint, self.page) if part is not None]

    def path(self) -> list[Node]:
        """From here up to the first page's node; the root is left out."""
        nodes, node = [], self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes

    def is_above(self, node: Node) -> bool:
        """Whether the way to that node leads over this one, or ends here."""
        while node.num_tokens > self.num_tokens and node.parent is not None:
            node = node.parent
        return node is self

    def conversations(self) -> set[str]:
        """Those that stand here or below."""
        return {name for node in self.below() for name in node.stands}

    def below(self) -> list[Node]:
        """This node and all that hang from it, each before its parent."""
        nodes = [self]
        for node in nodes:
            for siblings in node.children.values():
                nodes += siblings
        return nodes[::-1]


class Tree:
    """All nodes, by hash and by the tokens that lead to them."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def root(self, stream: str) -> Node:
        """Where every sequence of a stream begins; made where it is missing."""
        name = root_hash(stream).hexdigest()
        return self._nodes.setdefault(name, Node(stream, name, 0, b""))

    def get(self, name: str) -> Node | None:
        return self._nodes.get(name)

    def __iter__(self) -> Iterator[Node]:
        return iter(list(self._nodes.values()))

    def fitting(
        self, stream: str, tokens: bytes, can_use: Callable[[Part], bool] = lambda page: True
    ) -> Iterator[tuple[Node, int]]:
        """Every node whose page begins as these tokens go on, and how many tokens of its sequence they share.

        Fewer than the node's own: its page is left in the middle. Pages that cannot be used end a path.
        """
        open_nodes = [self.root(stream)]
        while open_nodes:
            node = open_nodes.pop()
            yield node, node.num_tokens
            place = TOKEN_BYTES * node.num_tokens
            for child in node.children.get(tokens[place : place + TOKEN_BYTES], ()):
                if child.page is None or not can_use(child.page):
                    continue
                if tokens.startswith(child.tokens, place):
                    open_nodes.append(child)
                else:
                    rest = tokens[place : place + len(child.tokens)]
                    yield child, node.num_tokens + num_common(child.tokens, rest)

    def deepest(self, stream: str, tokens: bytes) -> Node:
        """The node with the most tokens whose whole sequence these begin with."""
        whole = (node for node, num_shared in self.fitting(stream, tokens) if num_shared == node.num_tokens)
        return max(whole, key=lambda node: node.num_tokens)

    def add(self, parent: Node, tokens: bytes, name: str) -> Node:
        """A node behind `parent`, with a page that is nowhere yet."""
        num_tokens = parent.num_tokens + len(tokens) // TOKEN_BYTES
        node = Node(parent.stream, name, num_tokens, tokens, parent)
        node.page = Part(node, is_checkpoint=False)
        parent.children.setdefault(tokens[:TOKEN_BYTES], []).append(node)
        self._nodes[name] = node
        return node

    def remove(self, node: Node) -> list[Node]:
        """Take out a node and all that hang from it; returns them, each before its parent, which they still name."""
        assert node.parent is not None, "a root has no entry of its own"
        gone = node.below()
        siblings = node.parent.children[node.tokens[:TOKEN_BYTES]]
        siblings.remove(node)
        if not siblings:
            del node.parent.children[node.tokens[:TOKEN_BYTES]]
        for below in gone:
            del self._nodes[below.hash]
        return gone
