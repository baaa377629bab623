"""Takes state into the tree and lets it go: what a conversation has, needs no more, or is deleted with."""

from __future__ import annotations

from collections.abc import Collection

from engine.prompt_cache.arrays import checkpoint_arrays, cut_pages, num_bytes
from engine.prompt_cache.entries import PAGE_TOKENS, Stream
from engine.prompt_cache.hashes import TOKEN_BYTES, node_hashes
from engine.prompt_cache.owners import NOBODY, Read, Stand
from engine.prompt_cache.reasons import CLEARED
from engine.prompt_cache.requests import StreamState, StreamWanted
from engine.prompt_cache.retention import superseded
from engine.prompt_cache.search import longest
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.tree import Node, Part
from engine.prompt_cache.writing import Writer

ORPHAN_SECONDS = 7 * 86400.0


class Keeper:
    """Puts, and the rules of what stays."""

    def __init__(self, tiers: Tiers, writer: Writer, tag: str) -> None:
        self._tiers, self._writer, self._tag = tiers, writer, tag
        self._turn_starts: dict[str, int] = {}
        self._forgotten: set[str] = set()
        self._unchecked: list[Stand] = []  # puts since obstacles were noted last

    def begin_turn(self, conversation_id: str, num_old: int) -> None:
        """Note where a conversation's last message begins: checkpoints from there on serve its being edited."""
        self._turn_starts[conversation_id] = num_old
        self._forgotten.discard(conversation_id)  # it is back

    def put(self, stream: Stream, conversation_id: str, tokens: bytes, state: StreamState, is_boundary: bool) -> None:
        """As PromptCache.put, with tokens as bytes."""
        if conversation_id in self._forgotten or not tokens:
            return
        self._tiers.streams[stream.identity] = stream
        node = self._covering(stream, conversation_id, tokens, state) or self._place(stream, tokens, state)
        if state.fixed and node.checkpoint is None:
            node.checkpoint = Part(node, is_checkpoint=True)
            arrays = checkpoint_arrays(state)
            self._tiers.adopt(node.checkpoint, arrays, num_bytes(arrays))
        stand = self._tiers.owners.stand(conversation_id, node, self._tag, is_boundary=is_boundary)
        self._tiers.touch(node)
        if stream.is_of_target:
            self._remember(conversation_id, Read(stream, tokens), is_boundary)
        self._unchecked.append(stand)
        self._want(node, stream, conversation_id)
        self.retire(node)

    def note_obstacles(self) -> None:
        """Where something of the latest puts waits for the disk, its conversation's reading says why."""
        for stand in self._unchecked:
            if any(self._writer.is_waiting(part) for node in stand.node.path() for part in node.parts):
                self._tiers.owners.lose(stand.conversation_id, stand.node.stream, self._writer.obstacle)
        self._unchecked.clear()

    def retire(self, node: Node) -> None:
        """Let go of what a conversation's latest place has made needless, once that is stored or cannot be."""
        if self._writer.is_open and not all(part.is_stored for part in node.parts):
            return
        for stand in list(node.stands.values()):
            if stand.is_current and not stand.is_boundary:
                self._retire(stand)

    def forget(self, conversation_id: str) -> None:
        """Remove what only this conversation needs, and what is needed by nobody known, which may be this one's."""
        self._forgotten.add(conversation_id)
        self._turn_starts.pop(conversation_id, None)
        for stand in self._tiers.owners.stands_of(NOBODY):
            self._leave(stand)
        for node in self._tiers.owners.forget(conversation_id):
            self._tiers.collect(node)

    def let_go(self, conversation_id: str) -> None:
        """Remove what only this conversation needs, as a user asked; it may have more later."""
        for stand in self._tiers.owners.stands_of(conversation_id):
            self._tiers.owners.lose(conversation_id, stand.node.stream, CLEARED)
            self._leave(stand)

    def age(self, conversation_ids: Collection[str], now: float) -> None:
        """Let go of what no conversation of the window has had a use for in a week; a clock set back starts it anew."""
        known = set(conversation_ids)
        for name in self._tiers.owners.conversations():
            stands = self._tiers.owners.stands_of(name)
            if not stands and name not in known:
                self._tiers.owners.forget(name)
            for stand in stands:
                is_known = name in known or bool(stand.tag)
                self._tiers.owners.set_unseen(stand, _unseen_since(stand, now, is_known))
                if stand.unseen_since and now - stand.unseen_since > ORPHAN_SECONDS:
                    self._leave(stand)

    def _covering(self, stream: Stream, conversation_id: str, tokens: bytes, state: StreamState) -> Node | None:
        """The end of a page of this conversation in which these tokens end, where it can be cut when it is read.

        Another conversation's page would have to stay, with what only that one had, once that one is deleted.
        """
        if state.fixed:
            return None
        match = longest(self._tiers.tree, StreamWanted(stream), tokens, state.num_tokens)
        if match is None or match.num_tokens < state.num_tokens:
            return None
        return match.node if conversation_id in match.node.conversations() else None

    def _place(self, stream: Stream, tokens: bytes, state: StreamState) -> Node:
        """The node at the end of these tokens, with pages up to it."""
        length = len(tokens) // TOKEN_BYTES
        node = self._tiers.tree.deepest(stream.identity, tokens)
        assert state.start <= node.num_tokens, f"arrays begin at {state.start}, and are needed from {node.num_tokens}"
        begins = range(node.num_tokens, length, PAGE_TOKENS)
        spans = [(begin, min(begin + PAGE_TOKENS, length)) for begin in begins]
        names = node_hashes(stream.identity, tokens, [node.num_tokens, *(end for _, end in spans)])
        for (begin, end), name, arrays in zip(spans, names[1:], cut_pages(state, spans), strict=True):
            node = self._tiers.tree.add(node, tokens[TOKEN_BYTES * begin : TOKEN_BYTES * end], name)
            assert node.page is not None
            self._tiers.adopt(node.page, arrays, num_bytes(arrays) + len(node.tokens))
        return node

    def _remember(self, conversation_id: str, read: Read, is_boundary: bool) -> None:
        """Note what a conversation has had; what it had beyond, before a reading was stopped early, stays known."""
        known = self._tiers.owners.read_of(conversation_id, read.stream.identity)
        if known is not None and len(known.tokens) > len(read.tokens) and known.tokens.startswith(read.tokens):
            read = known
        self._tiers.owners.remember(conversation_id, read, is_saved=not is_boundary)

    def _want(self, node: Node, stream: Stream, conversation_id: str) -> None:
        """Have all that leads to a node written, where it is not."""
        for above in reversed(node.path()):
            for part in reversed(above.parts):
                if part.arrays is not None:
                    self._writer.want(part, stream, conversation_id)

    def _retire(self, latest: Stand) -> None:
        stands = self._tiers.owners.stands_of(latest.conversation_id, latest.node.stream)
        for stand in superseded(stands, latest, self._turn_starts.get(latest.conversation_id, 0)):
            self._leave(stand)

    def _leave(self, stand: Stand) -> None:
        self._tiers.owners.leave(stand)
        self._tiers.collect(stand.node)


def _unseen_since(stand: Stand, now: float, is_known: bool) -> float:
    if is_known:
        return 0.0
    return stand.unseen_since if 0 < stand.unseen_since <= now else now
