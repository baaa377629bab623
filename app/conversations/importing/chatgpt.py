"""ChatGPT's conversations.json: a tree of nodes for each chat, named by ids, most of them holding a message.

Source: the export of "Settings > Data controls", as described at whychose.com/seo/chatgpt-conversations-json-format and
difegam.github.io/chatgpt-to-markdown/reference/data-models.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.conversations.importing.chatgpt_content import Content, read_content
from app.conversations.importing.reply_text import write_reply
from app.conversations.importing.values import (
    UnreadableChatError,
    fields_of,
    id_from,
    items_of,
    moment_of,
    text_of,
)
from app.conversations.records import Conversation, Message, new_id
from app.conversations.titles import clean_title, title_from
from app.conversations.whole_chat import WholeChat


@dataclass(slots=True)
class _Draft:
    """A message that is being put together: one turn of ChatGPT may be several nodes in a row."""

    id: str
    parent_id: str | None
    role: str
    created_at: float
    reasoning: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    model: str = ""
    thought_seconds: float = 0.0

    def take(self, content: Content, model: str) -> None:
        self.reasoning += content.reasoning
        self.answer += content.answer
        self.thought_seconds += content.thought_seconds
        self.model = model or self.model


def is_chatgpt(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("mapping"), dict)


def read_chatgpt(value: Mapping[str, Any]) -> WholeChat:
    nodes = {str(key): fields_of(node) for key, node in fields_of(value.get("mapping")).items()}
    created_at = moment_of(value.get("create_time"))
    name = text_of(value.get("conversation_id")) or text_of(value.get("id")) or f"{value.get('title')}:{created_at}"
    conversation_id = id_from("chatgpt", name)
    drafts, place_of = _drafts_of(nodes, created_at)
    messages = tuple(_message(draft, conversation_id) for draft in drafts)
    if not any(message.text for message in messages):
        raise UnreadableChatError("it has no messages")
    first = next((message.text for message in messages if message.role == "user"), "")
    conversation = Conversation(
        id=conversation_id,
        title=clean_title(text_of(value.get("title")))[:200] or title_from(first),
        model="",
        drafter="",
        created_at=created_at,
        updated_at=max(created_at, moment_of(value.get("update_time"))),
    )
    return WholeChat(conversation, messages, place_of.get(str(value.get("current_node"))))


def _drafts_of(nodes: Mapping[str, Mapping[str, Any]], default: float) -> tuple[list[_Draft], dict[str, str | None]]:
    """Messages with parents first, and for each node the id of the message that it became a part of or followed.

    Nodes of an assistant or a tool that follow one another without a branch become one reply.
    """
    children = _children_of(nodes)
    drafts: dict[str, _Draft] = {}
    place_of: dict[str, str | None] = {}
    for key in _in_order(nodes, children):
        parent_key = str(nodes[key].get("parent"))
        above = drafts.get(place_of.get(parent_key) or "")
        read = read_content(fields_of(nodes[key].get("message")))
        goes_on = bool(above and read and above.role == read.role == "assistant" and len(children[parent_key]) == 1)
        if read is None or not (goes_on or read.answer or read.reasoning):
            place_of[key] = above.id if above else None
            continue
        if above is None or not goes_on:
            at = moment_of(fields_of(nodes[key].get("message")).get("create_time"), default)
            above = _Draft(new_id(), above.id if above else None, read.role, at)
            drafts[above.id] = above
        above.take(read, read.model)
        place_of[key] = above.id
    return list(drafts.values()), place_of


def _children_of(nodes: Mapping[str, Mapping[str, Any]]) -> defaultdict[str, list[str]]:
    """By parent, in the order that the parent gives, then in that of the file."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    for key, node in nodes.items():
        children[str(node.get("parent"))].append(key)
    for parent, node in nodes.items():
        places = {str(child): place for place, child in enumerate(items_of(node.get("children")))}
        if parent in children:
            children[parent].sort(key=lambda child: places.get(child, len(places)))
    return children


def _in_order(nodes: Mapping[str, Mapping[str, Any]], children: Mapping[str, list[str]]) -> Iterator[str]:
    """Every node once, after its parent; a circle is entered where the file names it first."""
    seen: set[str] = set()
    roots = [key for key, node in nodes.items() if str(node.get("parent")) not in nodes]
    for start in (*roots, *nodes):
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in seen:
                seen.add(key)
                yield key
                waiting += reversed(children.get(key, ()))


def _message(draft: _Draft, conversation_id: str) -> Message:
    is_reply = draft.role == "assistant"
    return Message(
        id=draft.id,
        conversation_id=conversation_id,
        parent_id=draft.parent_id,
        role=draft.role,
        text=write_reply(draft.reasoning, draft.answer) if is_reply else "\n\n".join(draft.answer),
        model=draft.model if is_reply else "",
        thought_seconds=draft.thought_seconds,
        created_at=draft.created_at,
        updated_at=draft.created_at,
    )
