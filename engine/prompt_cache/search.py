"""The longest restorable prefix of a prompt in the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.prompt_cache.hashes import TOKEN_BYTES
from engine.prompt_cache.requests import StreamWanted
from engine.prompt_cache.tree import Node, Part, Tree


@dataclass(frozen=True, slots=True)
class Match:
    """State of the first `num_tokens` tokens: the path to `node`, whose page may reach beyond, and the checkpoint."""

    node: Node
    num_tokens: int
    checkpoint: Part | None = None

    @property
    def pages(self) -> list[Part]:
        """From token 0 on."""
        return [node.page for node in reversed(self.node.path()) if node.page is not None]

    @property
    def parts(self) -> list[Part]:
        return [*self.pages, self.checkpoint] if self.checkpoint else self.pages

    @property
    def absent(self) -> list[Part]:
        """What has to be read from the disk."""
        return [part for part in self.parts if part.arrays is None]


def anywhere(part: Part) -> bool:
    """Whatever is in the tree can be had."""
    return True


def in_ram(part: Part) -> bool:
    return part.arrays is not None


def longest(
    tree: Tree, wanted: StreamWanted, tokens: bytes, limit: int, can_use: Callable[[Part], bool] = anywhere
) -> Match | None:
    """Up to `limit` tokens; None where nothing of the stream's minimum length can be restored."""
    best: Match | None = None
    for node, num_shared in tree.fitting(wanted.stream.identity, tokens[: TOKEN_BYTES * limit], can_use):
        match = _match(wanted, node, num_shared, can_use)
        if match and num_shared >= max(wanted.minimum, 1) and (best is None or _rank(match) > _rank(best)):
            best = match
    return best


def num_held(tree: Tree, stream: str, tokens: bytes) -> int:
    """Tokens of a prompt whose pages are in the tree, whether or not they can be restored there."""
    return max(num_shared for _, num_shared in tree.fitting(stream, tokens))


def farthest_stand(tree: Tree, stream: str, tokens: bytes, conversation_id: str) -> int:
    """Tokens up to the last place on a prompt's way where a conversation stands, though it be not restorable."""
    places = tree.fitting(stream, tokens)
    whole = (node for node, num_shared in places if num_shared == node.num_tokens and conversation_id in node.stands)
    return max((node.num_tokens for node in whole), default=0)


def _match(wanted: StreamWanted, node: Node, num_shared: int, can_use: Callable[[Part], bool]) -> Match | None:
    if not wanted.is_exact:
        return Match(node, num_shared)
    checkpoint = node.checkpoint
    if checkpoint is None or num_shared < node.num_tokens or not can_use(checkpoint):
        return None
    return Match(node, num_shared, checkpoint)


def _rank(match: Match) -> tuple[int, bool]:
    """Longer first, then one that cuts no page."""
    return match.num_tokens, match.num_tokens == match.node.num_tokens
