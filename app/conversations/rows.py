"""Messages and conversations as database rows, and back; a row that makes no sense raises DamagedRecordError."""

from __future__ import annotations

import json
import logging
import sqlite3
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from app.conversations.records import Attachment, Conversation, Message, ReplyState
from app.conversations.sampling_rules import PLAIN, decode_rules, encode_rules
from app.conversations.texts import digest_of
from app.conversations.titles import clean_title
from engine.messages import UNQUANTISED, KvScheme, Sampling, Statistics

logger = logging.getLogger(__name__)
_ROLES = ("system", "user", "assistant")
_KV_BITS, _KV_GROUPS = (0, 4, 8), (32, 64, 128)
_OF_THE_BATCH = "group"  # says nothing about the reply once it has ended
_STATISTICS = {field.name: field.default for field in fields(Statistics) if field.name != _OF_THE_BATCH}


class DamagedRecordError(Exception):
    """A row that cannot be what was saved; the text says what is wrong with it."""


def encode_ids(token_ids: Sequence[int]) -> bytes:
    """Token ids as little-endian int32."""
    ids = array("i", token_ids)
    if sys.byteorder == "big":
        ids.byteswap()
    return ids.tobytes()


def decode_ids(data: bytes) -> tuple[int, ...]:
    ids = array("i")
    ids.frombytes(data)
    if sys.byteorder == "big":
        ids.byteswap()
    return tuple(ids)


def row_from_message(message: Message) -> dict[str, object]:
    """The columns of `messages` that a Message gives; its long texts, which are to be kept, by their digests."""
    return {
        "id": message.id,
        "conversation_id": message.conversation_id,
        "parent_id": message.parent_id,
        "role": message.role,
        "state": message.state.value,
        "finish_reason": message.finish_reason,
        "seed": message.seed,
        "temperature": message.temperature,
        "rules": json.dumps(encode_rules(message.rules)),
        "switches": encode_switches(message.switches),
        "model": message.model,
        "drafter": message.drafter,
        "kv": json.dumps(encode_kv(message.kv)) if message.kv.bits else "",
        "context_length": message.context_length,
        "system_prompt": digest_of(message.system_prompt),
        "template": digest_of(message.template),
        "quantisation": message.quantisation,
        "tokenizer_id": message.tokenizer_id,
        "created_at": message.created_at,
        "updated_at": message.updated_at,
        "error": message.error,
        "notices": json.dumps(message.notices),
        "statistics": None if message.statistics is None else json.dumps(encode_statistics(message.statistics)),
        "text": message.text,
        "token_ids": encode_ids(message.token_ids),
        "opening": message.opening,
        "thought_seconds": message.thought_seconds,
        "num_thought": message.num_thought,
        "num_left_out": message.num_left_out,
        "attachments": json.dumps([[one.name, one.text] for one in message.attachments], ensure_ascii=False),
        "drafted": encode_ids([place for span in message.drafted for place in span]),
    }


def message_from_row(row: sqlite3.Row, read_text: Callable[[str], str]) -> Message:
    """Text, role and state must make sense; ids, statistics and other details that do not are left out.

    `read_text` gives the text of a digest.
    """
    text = _text(row, "text")
    if text and not text.strip("\0"):
        raise DamagedRecordError("its text is empty bytes")
    token_ids = token_ids_of(row)
    return Message(
        id=_text(row, "id"),
        conversation_id=_text(row, "conversation_id"),
        parent_id=row["parent_id"],
        role=_one_of(row, "role", _ROLES),
        text=text,
        token_ids=token_ids,
        tokenizer_id=_text(row, "tokenizer_id") if token_ids else "",
        state=ReplyState(_one_of(row, "state", tuple(ReplyState))),
        finish_reason=_text(row, "finish_reason"),
        error=_text(row, "error"),
        seed=int(_number(row, "seed")),
        temperature=float(_number(row, "temperature")),
        rules=_rules(row),
        switches=_switches(row),
        model=_text(row, "model"),
        drafter=_text(row, "drafter"),
        kv=_kv(row),
        context_length=int(_number(row, "context_length")),
        system_prompt=read_text(_text(row, "system_prompt")),
        template=read_text(_text(row, "template")),
        quantisation=_text(row, "quantisation"),
        statistics=_statistics(row),
        notices=_notices(row),
        opening=_text(row, "opening"),
        thought_seconds=float(_number(row, "thought_seconds")),
        num_thought=int(_number(row, "num_thought")),
        drafted=_drafted(row, len(text)),
        attachments=attachments_of(row),
        num_left_out=int(_number(row, "num_left_out")),
        created_at=float(_number(row, "created_at")),
        updated_at=float(_number(row, "updated_at")),
    )


def conversation_from_row(row: sqlite3.Row) -> Conversation:
    """A title that makes no sense is left out: it never hides the conversation."""
    title = row["title"]
    return Conversation(
        id=_text(row, "id"),
        title=clean_title(title) if isinstance(title, str) else "",
        model=_text(row, "model"),
        drafter=_text(row, "drafter"),
        created_at=float(_number(row, "created_at")),
        updated_at=float(_number(row, "updated_at")),
        folder=clean_title(row["folder"]) if isinstance(row["folder"], str) else "",
        is_pinned=row["is_pinned"] == 1,
        switches=_switches(row),
        num_branches=int(_number(row, "num_branches")),
        preset=_text(row, "preset"),
    )


def encode_switches(switches: Sequence[tuple[str, str]]) -> str:
    return json.dumps(switches)


def _switches(row: sqlite3.Row) -> tuple[tuple[str, str], ...]:
    if row["switches"] == "[]":  # of almost every row of a long list
        return ()
    try:
        return tuple((str(name), str(value)) for name, value in json.loads(row["switches"]))
    except (TypeError, ValueError):
        logger.warning("switches of %r are damaged and left out", row["id"])
        return ()


def _rules(row: sqlite3.Row) -> Sampling:
    if row["rules"] == "{}":
        return PLAIN
    try:
        return decode_rules(json.loads(row["rules"]))
    except (TypeError, ValueError):
        logger.warning("sampling of message %r is damaged and left out", row["id"])
        return PLAIN


def encode_kv(kv: KvScheme) -> list[int]:
    return [kv.bits, kv.group_size, kv.start]


def decode_kv(values: Any) -> KvScheme:
    """Raises TypeError or ValueError where they make no sense."""
    bits, group_size, start = map(int, values)
    if bits not in _KV_BITS or group_size not in _KV_GROUPS or start < 0:
        raise ValueError(f"{values!r} is no scheme of the model's cache")
    return KvScheme(bits, group_size, start)


def _kv(row: sqlite3.Row) -> KvScheme:
    if row["kv"] == "":
        return UNQUANTISED
    try:
        return decode_kv(json.loads(row["kv"]))
    except (TypeError, ValueError):
        logger.warning("cache bits of message %r are damaged and left out", row["id"])
        return UNQUANTISED


def _text(row: sqlite3.Row, column: str) -> str:
    value = row[column]
    if not isinstance(value, str):
        raise DamagedRecordError(f"{column} is {type(value).__name__} instead of text")
    return value


def _number(row: sqlite3.Row, column: str) -> int | float:
    value = row[column]
    if not isinstance(value, (int, float)):
        raise DamagedRecordError(f"{column} is {type(value).__name__} instead of a number")
    return value


def _one_of(row: sqlite3.Row, column: str, known: Sequence[str]) -> str:
    value = _text(row, column)
    if value not in known:
        raise DamagedRecordError(f"{column} is {value[:20]!r}")
    return value


def token_ids_of(row: sqlite3.Row) -> tuple[int, ...]:
    """None where they are damaged; needs the columns `id` and `token_ids`."""
    data = row["token_ids"]
    if isinstance(data, bytes) and len(data) % 4 == 0:
        return decode_ids(data)
    logger.warning("token ids of message %r are damaged; its text alone is used", row["id"])
    return ()


def _notices(row: sqlite3.Row) -> tuple[str, ...]:
    try:
        return tuple(str(notice) for notice in json.loads(row["notices"]))
    except (TypeError, ValueError):
        logger.warning("notices of message %r are damaged and left out", row["id"])
        return ()


def attachments_of(row: sqlite3.Row) -> tuple[Attachment, ...]:
    if row["attachments"] == "[]":
        return ()
    try:
        return tuple(Attachment(str(name), str(text)) for name, text in json.loads(row["attachments"]))
    except (TypeError, ValueError):
        logger.warning("attachments of message %r are damaged and left out", row["id"])
        return ()


def _drafted(row: sqlite3.Row, num_characters: int) -> tuple[tuple[int, int], ...]:
    """Spans that rise and lie within the text."""
    data = row["drafted"]
    places = decode_ids(data) if isinstance(data, bytes) and len(data) % 8 == 0 else (1, 0)
    bounds = [0, *places, num_characters]
    if bounds != sorted(bounds):
        logger.warning("drafted spans of message %r are damaged and left out", row["id"])
        return ()
    return tuple(zip(places[::2], places[1::2], strict=True))


def encode_statistics(statistics: Statistics) -> dict[str, Any]:
    """Without what is of the batch."""
    return {name: getattr(statistics, name) for name in _STATISTICS}


def decode_statistics(values: Any) -> Statistics:
    """Raises TypeError or ValueError where they make no sense."""
    return Statistics(**{name: _statistic(name, values[name]) for name in _STATISTICS if name in values})


def _statistics(row: sqlite3.Row) -> Statistics | None:
    """Names that this program does not know are skipped, missing ones keep their defaults."""
    if row["statistics"] is None:
        return None
    try:
        return decode_statistics(json.loads(row["statistics"]))
    except (TypeError, ValueError):
        logger.warning("statistics of message %r are damaged and left out", row["id"])
        return None


def _statistic(name: str, value: Any) -> Any:
    match _STATISTICS[name], value:
        case tuple(), list() if all(isinstance(count, int) for count in value):
            return tuple(value)
        case None, int() | None:
            return value
        case (str(), str()) | (int() | float(), int() | float()):
            return value
    raise ValueError(f"{name} is {value!r}")
