"""What a chat template's source says of itself, without running it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from jinja2 import nodes

from engine.text.deadline import TimeUp, deadline
from engine.text.rendering import RAISED
from engine.text.sandbox import chat_environment

PARSE_SECONDS = 0.5
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")  # of a message, as templates name them
_SEARCHES = frozenset(("split", "rsplit", "partition", "rpartition", "find", "rfind", "index"))
_TAG = re.compile("think|thought|reason|channel", re.IGNORECASE)


@functools.lru_cache(maxsize=16)
def parse(source: str) -> nodes.Template | None:
    """The template's syntax tree; None where it cannot be read."""
    try:
        with deadline(PARSE_SECONDS):
            return chat_environment().parse(source)
    except (TimeUp, *RAISED):
        return None


def walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Every node of a syntax tree, however deep, each after the one that holds it and in the order of the source."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(node.iter_child_nodes()))


@functools.lru_cache(maxsize=16)
def reasoning_fields(source: str) -> tuple[str, ...]:
    """The fields of a message that a template takes reasoning from; none where it takes replies as they were written.

    One that looks for the tags in a reply's text by itself takes it as it was written.
    """
    tree = parse(source)
    try:
        with deadline(PARSE_SECONDS):
            return _reasoning_fields(tuple(walk(tree))) if tree is not None else ()
    except TimeUp:
        return ()


def _reasoning_fields(found: Sequence[nodes.Node]) -> tuple[str, ...]:
    if any(isinstance(node, nodes.Call) and _looks_for_tags(node) for node in found):
        return ()
    own = {target.name for target in _namespaces(found)}
    read = {name for owner, name in _fields(found) if not (isinstance(owner, nodes.Name) and owner.name in own)}
    return tuple(name for name in REASONING_FIELDS if name in read)


def _looks_for_tags(call: nodes.Call) -> bool:
    texts = [argument.value for argument in call.args if isinstance(argument, nodes.Const)]
    is_search = isinstance(call.node, nodes.Getattr) and call.node.attr in _SEARCHES
    return is_search and any(isinstance(text, str) and _TAG.search(text) for text in texts)


def _fields(found: Iterable[nodes.Node]) -> Iterator[tuple[nodes.Node, str]]:
    """Every look at a field under a constant name, and what it is a field of."""
    for node in found:
        if isinstance(node, nodes.Getattr):
            yield node.node, node.attr
        elif isinstance(node, nodes.Getitem):
            yield from _named_field(node.node, node.arg)
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr == "get":
            yield from _named_field(node.node.node, node.args[0] if node.args else None)


def _named_field(owner: nodes.Node, name: nodes.Node | None) -> Iterator[tuple[nodes.Node, str]]:
    if isinstance(name, nodes.Const) and isinstance(name.value, str):
        yield owner, name.value


def _namespaces(found: Iterable[nodes.Node]) -> Iterator[nodes.Name]:
    """The names of a template's own variables that hold fields."""
    for assignment in found:
        if not isinstance(assignment, nodes.Assign):
            continue
        value = assignment.node
        made_by = value.node if isinstance(value, nodes.Call) else None
        is_namespace = isinstance(made_by, nodes.Name) and made_by.name == "namespace"
        if is_namespace and isinstance(assignment.target, nodes.Name):
            yield assignment.target
