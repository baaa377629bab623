"""Our JSON, read back: everything that was exported, under ids that no other chat has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.conversations.exporting.json_file import FORMAT, VERSION
from app.conversations.importing.values import (
    UnreadableChatError,
    fields_of,
    id_from,
    items_of,
    moment_of,
    number_of,
    text_of,
)
from app.conversations.records import Attachment, Conversation, Message, ReplyState, new_id
from app.conversations.rows import decode_kv, decode_statistics
from app.conversations.sampling_rules import PLAIN, decode_rules
from app.conversations.titles import clean_title
from app.conversations.whole_chat import WholeChat
from engine.messages import UNQUANTISED, KvScheme, Sampling, Statistics

HEADER = re.compile(rf'\{{\s*"format":\s*"{FORMAT}",\s*"version":\s*(\d{{1,9}}),\s*"chats":\s*\[')
_ID = re.compile(r"[0-9a-f]{32}")
_ROLES = ("system", "user", "assistant")
_STATES = {state.value: state for state in ReplyState if state is not ReplyState.RUNNING}
_MOST_ID = 2**31


def check_version(version: int) -> None:
    """Raises UnreadableChatError for a file of a later program."""
    if version > VERSION:
        raise UnreadableChatError(
            f"it was exported by a later Slipstream (format {version}; this one knows up to {VERSION})"
        )


def is_ours(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) and isinstance(value.get("id"), str) and "shown" in value


def read_ours(value: Mapping[str, Any]) -> WholeChat:
    name = value["id"]
    conversation_id = name if _ID.fullmatch(name) else id_from("slipstream", name)
    new_ids: dict[str, str] = {}
    messages: list[Message] = []
    texts = {digest: text_of(text) for digest, text in fields_of(value.get("texts")).items()}
    for fields in map(fields_of, items_of(value.get("messages"))):
        message_id = fields.get("id")
        if not isinstance(message_id, str) or message_id in new_ids or fields.get("role") not in _ROLES:
            raise UnreadableChatError("a message has no id of its own or no role")
        message = _message(fields, conversation_id, new_ids.get(str(fields.get("parent_id"))), texts)
        new_ids[message_id] = message.id
        messages.append(message)
    return WholeChat(_conversation(value, conversation_id), tuple(messages), new_ids.get(str(value.get("shown"))))


def _conversation(value: Mapping[str, Any], conversation_id: str) -> Conversation:
    created_at = moment_of(value.get("created_at"))
    return Conversation(
        id=conversation_id,
        title=clean_title(text_of(value.get("title"))),
        model=text_of(value.get("model")),
        drafter=text_of(value.get("drafter")),
        created_at=created_at,
        updated_at=moment_of(value.get("updated_at"), created_at),
        folder=clean_title(text_of(value.get("folder"))),
        is_pinned=value.get("is_pinned") is True,
        switches=_pairs_of(value.get("switches")),
        preset=text_of(value.get("preset")),
    )


def _message(
    fields: Mapping[str, Any], conversation_id: str, parent_id: str | None, texts: Mapping[str, str]
) -> Message:
    """Without token ids and template: either can write control tokens, so that a file could put turns into a prompt
    that nobody sees.
    """
    text = text_of(fields.get("text"))
    return Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=parent_id,
        role=fields["role"],
        text=text,
        state=_STATES.get(str(fields.get("state", "complete")), ReplyState.CUT_OFF),
        finish_reason=text_of(fields.get("finish_reason")),
        error=text_of(fields.get("error")),
        seed=_count_of(fields.get("seed"), 2**63),
        temperature=number_of(fields.get("temperature")),
        rules=_rules_of(fields.get("rules")),
        switches=_pairs_of(fields.get("switches")),
        model=text_of(fields.get("model")),
        drafter=text_of(fields.get("drafter")),
        kv=_kv_of(fields.get("kv")),
        context_length=_count_of(fields.get("context_length")),
        system_prompt=texts.get(str(fields.get("system_prompt")), ""),
        quantisation=text_of(fields.get("quantisation")),
        statistics=_statistics_of(fields.get("statistics")),
        notices=tuple(map(text_of, items_of(fields.get("notices")))),
        opening=text_of(fields.get("opening")),
        thought_seconds=max(0.0, number_of(fields.get("thought_seconds"))),
        num_thought=_count_of(fields.get("num_thought")),
        drafted=_spans_of(fields.get("drafted"), len(text)),
        attachments=tuple(
            Attachment(text_of(one.get("name")), text_of(one.get("text")))
            for one in map(fields_of, items_of(fields.get("attachments")))
        ),
        num_left_out=_count_of(fields.get("num_left_out")),
        created_at=moment_of(fields.get("created_at")),
        updated_at=moment_of(fields.get("updated_at")),
    )


def _count_of(value: object, limit: int = _MOST_ID) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit else 0


def _spans_of(value: object, length: int) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    for span in items_of(value):
        start, end = span if isinstance(span, list) and len(span) == 2 else (0, 0)
        last = spans[-1][1] if spans else 0
        if not (type(start) is int and type(end) is int and last <= start < end <= length):
            return ()
        spans.append((start, end))
    return tuple(spans)


def _pairs_of(value: object) -> tuple[tuple[str, str], ...]:
    pairs = [pair for pair in items_of(value) if isinstance(pair, list) and len(pair) == 2]
    return tuple((text_of(name), text_of(chosen)) for name, chosen in pairs)


def _rules_of(value: object) -> Sampling:
    try:
        return decode_rules(value)
    except (TypeError, ValueError):
        return PLAIN


def _kv_of(value: object) -> KvScheme:
    try:
        return decode_kv(value)
    except (TypeError, ValueError):
        return UNQUANTISED


def _statistics_of(value: object) -> Statistics | None:
    try:
        return decode_statistics(value) if isinstance(value, dict) else None
    except (TypeError, ValueError):
        return None
