"""LM Studio's files, one a chat: a list of messages, each in one or more versions.

Source: files that LM Studio 0.3 and 0.4 leave in ~/.lmstudio/conversations, as public converters describe them
(github.com/YorkieDev/lm-studio-conversation-converter; lmstudio.ai/ceveyne/user-docs).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

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

_LAST_USED = ("userLastMessagedAt", "assistantLastMessagedAt")
_ROLES = ("system", "user", "assistant")
_THOUGHT = re.compile(r"([\d.]{1,12}) seconds")


def is_lm_studio(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) and "mapping" not in value and "format" not in value


def read_lm_studio(value: Mapping[str, Any], name: str, folder: str = "") -> WholeChat:
    """`name` is that of the file, which tells the chat from others of the same moment."""
    created_at = moment_of(value.get("createdAt"))
    builder = _Builder(id_from("lm-studio", f"{name}:{created_at}"), created_at)
    if system := text_of(value.get("systemPrompt")).strip():
        builder.add([builder.message("system", system)], 0)
    for message in items_of(value.get("messages")):
        versions, selected = _versions_of(fields_of(message))
        builder.add([builder.read(fields_of(version)) for version in versions], selected)
    messages = builder.messages
    if not messages:
        raise UnreadableChatError("it has no messages")
    first = next((message.text for message in messages if message.role == "user"), "")
    conversation = Conversation(
        id=builder.conversation_id,
        title=clean_title(text_of(value.get("name")))[:200] or title_from(first),
        model="",
        drafter="",
        created_at=created_at,
        updated_at=max(
            created_at, moment_of(value.get("userLastMessagedAt")), moment_of(value.get("assistantLastMessagedAt"))
        ),
        folder=clean_title(folder),
        is_pinned=value.get("pinned") is True,
    )
    return WholeChat(conversation, tuple(messages), builder.parent_id)


class _Builder:
    """Puts the versions of each message under the one that was selected before."""

    def __init__(self, conversation_id: str, created_at: float) -> None:
        self.conversation_id = conversation_id
        self.messages: list[Message] = []
        self.parent_id: str | None = None
        self._created_at = created_at

    def message(self, role: str, text: str, model: str = "", thought_seconds: float = 0.0) -> Message:
        return Message(
            id=new_id(),
            conversation_id=self.conversation_id,
            parent_id=self.parent_id,
            role=role,
            text=text,
            model=model,
            thought_seconds=thought_seconds,
            created_at=self._created_at,
            updated_at=self._created_at,
        )

    def read(self, version: Mapping[str, Any]) -> Message | None:
        role = version.get("role")
        if role not in _ROLES:
            return None
        reasoning, answer, seconds = _parts_of(version)
        text = write_reply(reasoning, answer) if role == "assistant" else "\n".join([*reasoning, *answer])
        model = text_of(fields_of(version.get("senderInfo")).get("senderName"))
        return self.message(role, text, model, seconds)

    def add(self, versions: list[Message | None], selected: int) -> None:
        """What follows goes under the selected one, or under the last where that cannot be read."""
        readable = [version for version in versions if version is not None]
        if not readable:
            return
        self.messages += readable
        chosen = versions[selected] if 0 <= selected < len(versions) else None
        self.parent_id = (chosen or readable[-1]).id


def _versions_of(message: Mapping[str, Any]) -> tuple[list[Any], int]:
    """A message without versions is the only one of itself."""
    selected = message.get("currentlySelected")
    return items_of(message.get("versions")) or [message], selected if isinstance(selected, int) else -1


def _parts_of(version: Mapping[str, Any]) -> tuple[list[str], list[str], float]:
    """Reasoning, the rest, and the seconds that the reasoning took."""
    if "steps" not in version:
        return [], [_content_text(version.get("content"))], 0.0
    reasoning: list[str] = []
    answer: list[str] = []
    seconds = 0.0
    for step in map(fields_of, items_of(version.get("steps"))):
        style = fields_of(step.get("style"))
        if step.get("type") != "contentBlock":
            continue
        is_reasoning = style.get("type") == "thinking"
        (reasoning if is_reasoning else answer).append(_content_text(step.get("content")))
        if is_reasoning and (match := _THOUGHT.search(text_of(style.get("title")))):
            seconds += float(match[1]) if match[1].count(".") < 2 and match[1] != "." else 0.0
    return reasoning, answer, seconds


def _content_text(content: object) -> str:
    """Texts as they are; a file is named, as the chat has no more of it."""
    if isinstance(content, str):
        return text_of(content)
    parts = []
    for part in map(fields_of, items_of(content)):
        if part.get("type") == "text":
            parts.append(text_of(part.get("text")))
        elif part.get("type") == "file":
            parts.append(f"\n[file: {text_of(part.get('name')) or text_of(part.get('fileIdentifier'))}]\n")
    return "".join(parts)
