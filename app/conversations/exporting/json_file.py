"""Our JSON: any number of chats with all of their branches, one a line; token ids and templates are not read back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TextIO

from app.conversations.adding import texts_of
from app.conversations.records import Conversation, Message
from app.conversations.rows import encode_kv, encode_statistics
from app.conversations.sampling_rules import encode_rules
from app.conversations.texts import digest_of
from app.conversations.whole_chat import WholeChat

FORMAT = "slipstream-chats"
VERSION = 1
OWN_ENDING = "slipstream-chat"  # of a file that the system opens with this program; ".json" holds the same
_LEFT_OUT = ("conversation_id", "num_branches")  # said by the rest


class JsonFile:
    """Writes chats to a stream as they come."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.num_chats = 0
        stream.write(f'{{"format": "{FORMAT}", "version": {VERSION}, "chats": [\n')

    def add(self, chat: WholeChat) -> None:
        """Message by message: one call for a chat of 300,000 tokens would hold every thread up."""
        self._stream.write(",\n" if self.num_chats else "")
        texts = {digest_of(text): text for text in sorted(texts_of(chat.messages))}
        head = _dump({**_values_of(chat.conversation), **({"texts": texts} if texts else {}), "shown": chat.shown})
        self._stream.write(f'{head[:-1]}, "messages": [')
        self._stream.writelines(_join(_dump(_values_of(message)) for message in chat.messages))
        self._stream.write("]}")
        self.num_chats += 1

    def finish(self) -> None:
        self._stream.write("\n]}\n")


def _values_of(record: Conversation | Message) -> dict[str, Any]:
    """Fields that differ from their defaults, under their names."""
    values: dict[str, Any] = {}
    for one in fields(record):
        value = getattr(record, one.name)
        if one.name in _LEFT_OUT or (one.name != "parent_id" and value == one.default):
            continue
        values[one.name] = _plain(one.name, value)
    return values


def _plain(name: str, value: Any) -> Any:
    if name == "statistics":
        return encode_statistics(value)
    if name == "rules":
        return encode_rules(value)
    if name == "kv":
        return encode_kv(value)
    if name in ("system_prompt", "template"):
        return digest_of(value)
    if name == "attachments":
        return [{"name": one.name, "text": one.text} for one in value]
    return value


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _join(parts: Iterable[str]) -> Iterable[str]:
    for number, part in enumerate(parts):
        yield f",\n {part}" if number else part
