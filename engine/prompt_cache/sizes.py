"""What each conversation has in the cache, and how much of it is of drafters."""

from __future__ import annotations

from collections.abc import Iterable

from engine.prompt_cache.owners import NOBODY
from engine.prompt_cache.report import ConversationSize
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.tree import Node, Part


def conversation_sizes(tiers: Tiers) -> tuple[ConversationSize, ...]:
    """Of those that have something, largest on disk first; what several share counts for each."""
    owners = tiers.owners
    names = [name for name in owners.conversations() if name != NOBODY and owners.stands_of(name)]
    sizes = [_size(tiers, name) for name in names]
    return tuple(sorted(sizes, key=lambda size: (-size.disk_bytes, -size.ram_bytes, size.conversation_id)))


def drafter_bytes(tiers: Tiers) -> int:
    """On disk."""
    return sum(part.file_bytes for part in _parts(tiers.tree) if _drafter_of(tiers, part.node))


def _size(tiers: Tiers, conversation_id: str) -> ConversationSize:
    stands = tiers.owners.stands_of(conversation_id)
    parts = _parts({node for stand in stands for node in stand.node.path()})
    drafted = [part for part in parts if _drafter_of(tiers, part.node)]
    return ConversationSize(
        conversation_id,
        ram_bytes=sum(part.ram_bytes for part in parts),
        disk_bytes=sum(part.file_bytes for part in parts),
        num_tokens=max((stand.num_tokens for stand in stands), default=0),
        tag=next((stand.tag for stand in stands), ""),
        drafter_bytes=sum(part.file_bytes for part in drafted),
        drafters=tuple(sorted({_drafter_of(tiers, part.node) for part in drafted if part.is_stored})),
    )


def _parts(nodes: Iterable[Node]) -> list[Part]:
    return [part for node in nodes for part in node.parts]


def _drafter_of(tiers: Tiers, node: Node) -> str:
    """The name of the drafter whose state stands at a node; "" for a target's."""
    stream = tiers.streams.get(node.stream)
    if stream is None or stream.is_of_target:
        return ""
    return dict(stream.facts).get("model", "") or "drafter"
