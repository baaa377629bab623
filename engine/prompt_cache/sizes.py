"""What each conversation has in the cache."""

from __future__ import annotations

from engine.prompt_cache.owners import NOBODY, Owners
from engine.prompt_cache.report import ConversationSize


def conversation_sizes(owners: Owners) -> tuple[ConversationSize, ...]:
    """Of those that have something, largest on disk first; what several share counts for each."""
    names = [name for name in owners.conversations() if name != NOBODY and owners.stands_of(name)]
    sizes = [_size(owners, name) for name in names]
    return tuple(sorted(sizes, key=lambda size: (-size.disk_bytes, -size.ram_bytes, size.conversation_id)))


def _size(owners: Owners, conversation_id: str) -> ConversationSize:
    stands = owners.stands_of(conversation_id)
    nodes = {node for stand in stands for node in stand.node.path()}
    parts = [part for node in nodes for part in node.parts]
    return ConversationSize(
        conversation_id,
        ram_bytes=sum(part.ram_bytes for part in parts),
        disk_bytes=sum(part.file_bytes for part in parts),
        num_tokens=max((stand.num_tokens for stand in stands), default=0),
        tag=next((stand.tag for stand in stands), ""),
    )
