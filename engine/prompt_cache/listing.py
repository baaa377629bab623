"""What `cache ls` and `cache show` tell: read beside a program that writes it, as far as files' headers; never text."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.amounts import write_count, write_size
from engine.command_line import BadInputError
from engine.prompt_cache.budget import WRITTEN_TODAY, DailyCount, default_budget
from engine.prompt_cache.entries import Opened, Stream
from engine.prompt_cache.opening import look_into
from engine.prompt_cache.owners import NOBODY
from engine.prompt_cache.report import LIMITS, CacheSettings, ConversationSize
from engine.prompt_cache.restoring import restore
from engine.prompt_cache.sizes import conversation_sizes
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.tree import Part


@dataclass(frozen=True, slots=True)
class Listed:
    """A folder's tree, and the values beside it."""

    root: Path
    tiers: Tiers
    streams: dict[str, Stream]
    values: Mapping[str, str]


def read_listed(root: Path) -> Listed:
    """The tree as a window would open it, empty where there is none; raises BadInputError where it cannot be read."""
    try:
        opened = look_into(root) if root.exists() else Opened()
    except OSError as error:
        raise BadInputError(f"the prompt cache in {root} cannot be read: {error.strerror}") from error
    tiers = Tiers()
    restore(tiers, opened)
    return Listed(root, tiers, {stream.identity: stream for stream in opened.streams}, opened.values)


def describe(listed: Listed) -> dict[str, Any]:
    """What is in the folder, by stream and by conversation."""
    settings, written = CacheSettings().restored(listed.values.get(LIMITS, "")), DailyCount()
    written.restore(listed.values.get(WRITTEN_TODAY, ""))
    held_bytes = listed.tiers.disk.num_bytes
    return {
        "folder": str(listed.root),
        "num_entries": len(listed.tiers.disk),
        "disk_bytes": held_bytes,
        "budget_bytes": settings.budget_bytes or default_budget(_free_bytes(listed.root), held_bytes),
        "written_today_bytes": written.at(time.time()),
        "daily_limit_bytes": settings.daily_limit_bytes,
        "streams": _describe_streams(listed),
        "conversations": [_describe_size(size) for size in conversation_sizes(listed.tiers)],
    }


def describe_conversation(listed: Listed, wanted: str) -> dict[str, Any]:
    """The places where a conversation stands, and the entries that lead there; raises BadInputError.

    wanted: its id, or the beginning of it.
    """
    conversation_id = _matching(wanted, [name for name in listed.tiers.owners.conversations() if name != NOBODY])
    stands = listed.tiers.owners.stands_of(conversation_id)
    nodes = {node for stand in stands for node in stand.node.path()}
    ordered = sorted(nodes, key=lambda node: (node.stream, node.num_tokens))
    return {
        "conversation_id": conversation_id,
        "entries": [
            _describe_part(part, _name_of(listed.streams[node.stream])) for node in ordered for part in node.parts[::-1]
        ],
        "places": [
            {"num_tokens": stand.num_tokens, "is_current": stand.is_current, "tag": stand.tag}
            for stand in sorted(stands, key=lambda stand: stand.num_tokens)
        ],
    }


def table(described: dict[str, Any]) -> list[str]:
    """What `describe` gave, for a terminal."""
    used, written = (
        f"{write_size(described[name])} of {write_size(described[limit])}"
        for name, limit in (("disk_bytes", "budget_bytes"), ("written_today_bytes", "daily_limit_bytes"))
    )
    entries = write_count(described["num_entries"], "entry", "entries")
    lines = [described["folder"], f"{used} in {entries}; written today: {written}"]
    lines += [f"  {write_size(one['disk_bytes']):>9}  {one['name']}" for one in described["streams"]]
    lines.append(write_count(len(described["conversations"]), "conversation"))
    for one in described["conversations"]:
        tag = f"  ({one['tag']})" if one["tag"] else ""
        num_tokens = f"{one['num_tokens']:>9,} tokens"
        lines.append(f"  {write_size(one['disk_bytes']):>9}  {num_tokens}  {one['conversation_id']}{tag}")
    return lines


def conversation_table(described: dict[str, Any]) -> list[str]:
    """What `describe_conversation` gave, for a terminal."""
    lines = [described["conversation_id"]]
    for one in described["entries"]:
        span = f"{one['first']:,}" if one["kind"] == "checkpoint" else f"{one['first']:,} to {one['end']:,}"
        shared = f", with {write_count(one['num_others'], 'other')}" if one["num_others"] else ""
        lines.append(f"  {write_size(one['disk_bytes']):>9}  {one['kind']} {span}{shared}  {one['stream']}")
    return lines


def _describe_streams(listed: Listed) -> list[dict[str, Any]]:
    num_bytes: Counter[str] = Counter()
    for part, part_bytes in listed.tiers.disk:
        num_bytes[part.node.stream] += part_bytes
    streams = [listed.streams[identity] for identity, _ in num_bytes.most_common()]
    return [
        {"name": _name_of(stream), "disk_bytes": num_bytes[stream.identity], "facts": dict(stream.facts)}
        for stream in streams
    ]


def _describe_size(one: ConversationSize) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if name != "ram_bytes"}


def _describe_part(part: Part, stream: str) -> dict[str, Any]:
    node = part.node
    return {
        "stream": stream,
        "kind": "checkpoint" if part.is_checkpoint else "page",
        "first": node.num_tokens if part.is_checkpoint else node.first,
        "end": node.num_tokens,
        "tier": "disk",
        "disk_bytes": part.file_bytes,
        "num_others": len(node.conversations() - {NOBODY}) - 1,
    }


def _name_of(stream: Stream) -> str:
    facts = dict(stream.facts)
    return ", ".join(facts[name] for name in ("model", "kind", "kv") if facts.get(name)) or stream.identity


def _matching(wanted: str, names: Iterable[str]) -> str:
    found = [name for name in names if name.startswith(wanted)]
    if wanted in found:
        return wanted
    if len(found) != 1:
        what = "several conversations begin" if found else "no conversation in the prompt cache begins"
        raise BadInputError(f"{what} with {wanted!r}; `cache ls` lists them")
    return found[0]


def _free_bytes(root: Path) -> int:
    """Of the disk that the folder is, or will be, on."""
    return shutil.disk_usage(next(path for path in (root, *root.parents) if path.exists())).free
