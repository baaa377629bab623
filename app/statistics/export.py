"""Statistics as files: a line a reply for a spreadsheet, or everything as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.conversations.recorded_statistics import RecordedReply
from app.statistics.history import History
from app.statistics.tracked import TrackedReply
from app.statistics.views import title_of
from engine.messages import CacheReport, GroupStatistics, MemoryReport, Statistics

VERSION = 1
_OF_REPLY = ("chat", "message", "model", "drafter", "seed", "is_running", "told_at", "finish_reason", "error")


def as_csv(history: History, conversation_id: str = "") -> str:
    """One line a reply; the counts by position are joined by spaces."""
    return _lines_of((_facts(history, one), one.own) for one in history.replies(conversation_id))


def recorded_as_csv(replies: Iterable[RecordedReply], titles: Mapping[str, str]) -> str:
    """The same of replies that the chats recorded; `titles` are of chats, by id."""
    return _lines_of((_recorded(one, titles), one.statistics) for one in replies)


def recorded_as_json(replies: Iterable[RecordedReply], titles: Mapping[str, str]) -> str:
    told = [{**_recorded(one, titles), "statistics": asdict(one.statistics)} for one in replies]
    whole = {"version": VERSION, "written_at": _moment(datetime.now(UTC).timestamp()), "replies": told}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def _lines_of(replies: Iterable[tuple[dict[str, Any], Statistics]]) -> str:
    names = [one.name for one in fields(Statistics) if one.name != "group"]
    in_group = [one.name for one in fields(GroupStatistics)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*_OF_REPLY, *names, *(f"group_{name}" for name in in_group)])
    for facts, statistics in replies:
        known = [getattr(statistics, name) for name in names]
        shown = [" ".join(map(str, value)) if isinstance(value, tuple) else value for value in known]
        of_group = [getattr(statistics.group, name) for name in in_group]
        writer.writerow([*map(_harmless, facts.values()), *shown, *of_group])
    return file.getvalue()


def as_json(history: History, memory: MemoryReport | None, cache: CacheReport | None, conversation_id: str = "") -> str:
    """Replies with their last rounds, and what the engine held."""
    replies = [
        {
            **_facts(history, one),
            "statistics": asdict(one.own),
            "statistics_before": asdict(one.before) if one.before else None,
            "last_rounds": [asdict(each) for each in one.rounds],
        }
        for one in history.replies(conversation_id)
    ]
    whole = {
        "version": VERSION,
        "written_at": _moment(datetime.now(UTC).timestamp()),
        "replies": replies,
        "memory": asdict(memory) if memory else None,
        "prompt_cache_bytes": {"memory": cache.memory_bytes, "disk": cache.disk_bytes} if cache else None,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)


def write_file(path: str, text: str) -> None:
    """Raises OSError."""
    Path(path).write_text(text, encoding="utf-8", newline="")


def _facts(history: History, one: TrackedReply) -> dict[str, Any]:
    sent = one.message
    told_at = _moment(one.told_at) if one.told_at else ""
    values = (title_of(history, one.conversation_id), one.message_id, sent.model, sent.drafter, sent.seed)
    return dict(zip(_OF_REPLY, (*values, one.is_running, told_at, sent.finish_reason, sent.error), strict=True))


def _recorded(one: RecordedReply, titles: Mapping[str, str]) -> dict[str, Any]:
    values = (titles.get(one.conversation_id, ""), one.message_id, one.model, one.drafter, one.seed, False)
    return dict(zip(_OF_REPLY, (*values, _moment(one.ended_at), one.finish_reason, one.error), strict=True))


def _moment(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def _harmless(value: object) -> object:
    """A text that a spreadsheet would take for a formula, such as a chat's title, stays a text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
