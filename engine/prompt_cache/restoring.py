"""Makes the tree from what a folder held when it was opened."""

from __future__ import annotations

from engine.prompt_cache.entries import DropOwner, Entry, Opened, Owner, SaveOwner, StoredEntry
from engine.prompt_cache.hashes import root_hash, token_bytes
from engine.prompt_cache.owners import NOBODY, Stand, restored_reading
from engine.prompt_cache.reasons import CORRUPT
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.tree import Node, Part


def restore(tiers: Tiers, opened: Opened) -> None:
    """Fill empty tiers; what nothing leads to, or is not what its key says, is doomed."""
    tiers.streams |= {stream.identity: stream for stream in opened.streams}
    uses = _restore_pages(tiers, opened) | _restore_checkpoints(tiers, opened)
    for reading in opened.readings:
        tiers.owners.remember(reading.conversation_id, restored_reading(reading), is_saved=False)
    for owner in opened.owners:
        _restore_owner(tiers, owner)
    _own_the_rest(tiers)
    for part in sorted(uses, key=lambda part: (uses[part].used, -part.node.num_tokens, not part.is_checkpoint)):
        tiers.store(part, uses[part].num_bytes)
        part.node.used = tiers.num_uses = max(part.node.used, uses[part].used)


def _restore_pages(tiers: Tiers, opened: Opened) -> dict[Part, StoredEntry]:
    """Parents come first, since they begin before their children."""
    uses: dict[Part, StoredEntry] = {}
    hashes = {stream.identity: root_hash(stream.identity) for stream in opened.streams}
    states = {state.hexdigest(): state for state in hashes.values()}
    pages = [stored for stored in opened.entries if not stored.entry.key.is_checkpoint]
    for stored in sorted(pages, key=lambda stored: stored.entry.first):
        entry, key = stored.entry, stored.entry.key
        state, tokens = states.get(key.start), token_bytes(entry.token_ids)
        parent = _node_before(tiers, entry)
        if state is None or parent is None or parent.num_tokens != entry.first or not tokens:
            tiers.doomed.append(key)
            continue
        state = state.copy()
        state.update(tokens)
        if state.hexdigest() != key.end or tiers.tree.get(key.end) is not None:
            tiers.doomed.append(key)
            continue
        states[key.end] = state
        node = tiers.tree.add(parent, tokens, key.end)
        assert node.page is not None
        uses[node.page] = stored
    return uses


def _node_before(tiers: Tiers, entry: Entry) -> Node | None:
    if entry.first == 0:
        root = tiers.tree.root(entry.key.stream)
        return root if root.hash == entry.key.start else None
    return tiers.tree.get(entry.key.start)


def _restore_checkpoints(tiers: Tiers, opened: Opened) -> dict[Part, StoredEntry]:
    uses: dict[Part, StoredEntry] = {}
    for stored in opened.entries:
        if stored.entry.key.is_checkpoint:
            node = tiers.tree.get(stored.entry.key.end)
            if node is None or node.parent is None:
                tiers.doomed.append(stored.entry.key)
                continue
            node.checkpoint = Part(node, is_checkpoint=True)
            uses[node.checkpoint] = stored
    return uses


def _restore_owner(tiers: Tiers, owner: Owner) -> None:
    node = tiers.tree.get(owner.node)
    if node is None or node.parent is None:
        _miss(tiers, owner)
        return
    facts = (owner.tag, owner.is_current)
    tiers.owners.restore(Stand(owner.conversation_id, node, *facts, unseen_since=owner.unseen_since))


def _miss(tiers: Tiers, owner: Owner) -> None:
    """An owner is told of after its entries were written: where no other cause is known, files were damaged since."""
    if owner.is_current:
        tiers.owners.lose_first(owner.conversation_id, owner.stream, CORRUPT)
    tiers.owners.changes.append(DropOwner(owner.conversation_id, owner.stream, owner.node))


def _own_the_rest(tiers: Tiers) -> None:
    """What a program that was killed had written for nobody yet is kept for a while, so that it can be aged."""
    for node in tiers.tree:
        if node.parent is not None and not node.stands and (node.checkpoint is not None or not node.children):
            stand = Stand(NOBODY, node, is_current=False)
            tiers.owners.restore(stand)
            tiers.owners.changes.append(SaveOwner(stand.owner))
