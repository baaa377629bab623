"""Which messages of a conversation's tree are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A message's place in the tree."""

    id: str
    parent_id: str | None
    chosen_child: str | None


def chosen_path(chosen_root: str | None, nodes: Sequence[Node]) -> list[str]:
    """Ids from the root to a leaf; `nodes` in the order of their creation.

    Where no child is chosen, or the chosen one is no child, the latest child is taken: a damaged link hides nothing.
    """
    children = _children(nodes)
    path: list[str] = []
    seen: set[str] = set()
    node: Node | None = _choose(chosen_root, children[None])
    while node is not None and node.id not in seen:
        seen.add(node.id)
        path.append(node.id)
        node = _choose(node.chosen_child, children[node.id])
    return path


def siblings_on(path: Iterable[str], nodes: Sequence[Node]) -> dict[str, tuple[str, ...]]:
    """For each message of a path that is not alone under its parent: all that stand there, in creation order."""
    on_path = set(path)
    groups = [[node.id for node in group] for group in _children(nodes).values() if len(group) > 1]
    return {one: tuple(group) for group in groups for one in group if one in on_path}


def _children(nodes: Sequence[Node]) -> defaultdict[str | None, list[Node]]:
    """By parent's id; None for roots, and for those whose parent is missing."""
    known = {node.id for node in nodes}
    children: defaultdict[str | None, list[Node]] = defaultdict(list)
    for each in nodes:
        children[each.parent_id if each.parent_id in known else None].append(each)
    return children


def _choose(chosen: str | None, siblings: Sequence[Node]) -> Node | None:
    for node in siblings:
        if node.id == chosen:
            return node
    return siblings[-1] if siblings else None
