"""What a chat template's source says of itself, without running it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

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


@functools.lru_cache(maxsize=16)
def reasoning_fields(source: str) -> tuple[str, ...]:
    """The fields of a message that a template takes reasoning from; none where it takes replies as they were written.

    One that looks for the tags in a reply's text by itself takes it as it was written.
    """
    tree = parse(source)
    if tree is None or any(_looks_for_tags(call) for call in tree.find_all(nodes.Call)):
        return ()
    own = {target.name for target in _namespaces(tree)}
    read = {name for owner, name in _fields(tree) if not (isinstance(owner, nodes.Name) and owner.name in own)}
    return tuple(name for name in REASONING_FIELDS if name in read)


def _looks_for_tags(call: nodes.Call) -> bool:
    texts = [argument.value for argument in call.args if isinstance(argument, nodes.Const)]
    is_search = isinstance(call.node, nodes.Getattr) and call.node.attr in _SEARCHES
    return is_search and any(isinstance(text, str) and _TAG.search(text) for text in texts)


def _fields(tree: nodes.Template) -> Iterator[tuple[nodes.Node, str]]:
    """Every look at a field under a constant name, and what it is a field of."""
    for attribute in tree.find_all(nodes.Getattr):
        yield attribute.node, attribute.attr
    for item in tree.find_all(nodes.Getitem):
        if isinstance(item.arg, nodes.Const) and isinstance(item.arg.value, str):
            yield item.node, item.arg.value
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Getattr) and call.node.attr == "get" and call.args:
            name = call.args[0]
            if isinstance(name, nodes.Const) and isinstance(name.value, str):
                yield call.node.node, name.value


def _namespaces(tree: nodes.Template) -> Iterator[nodes.Name]:
    """The names of a template's own variables that hold fields."""
    for assignment in tree.find_all(nodes.Assign):
        value = assignment.node
        made_by = value.node if isinstance(value, nodes.Call) else None
        is_namespace = isinstance(made_by, nodes.Name) and made_by.name == "namespace"
        if is_namespace and isinstance(assignment.target, nodes.Name):
            yield assignment.target
