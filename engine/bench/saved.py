"""The report as an object for a JSON file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.bench.measure import Entry
from engine.bench.setting import Setting
from engine.bench.summary import Summary
from engine.bench.timing import decode_span, first_times, full_span


def describe(
    setting: Setting, summaries: Sequence[Summary], entries: Sequence[Entry], notes: Sequence[str], *, is_whole: bool
) -> dict[str, Any]:
    """The JSON object; every run is in it, so that other figures can be worked out later."""
    return {
        "setting": asdict(setting),
        "is_whole": is_whole,
        "notes": list(notes),
        "summaries": [asdict(summary) for summary in summaries],
        "runs": [_describe_run(entry) for entry in entries],
    }


def _describe_run(entry: Entry) -> dict[str, Any]:
    span, full = decode_span(entry.run.deliveries), full_span(entry.run.deliveries)
    return {
        "batch_size": entry.batch_size,
        "repeat": entry.repeat,
        "batch": entry.batch,
        "contender": entry.label,
        "wall_seconds": entry.run.seconds,
        "first_token_seconds": max(first_times(entry.run.deliveries).values(), default=0.0),
        "decode_seconds": span.seconds,
        "num_decode_tokens": span.num_tokens,
        "full_seconds": full.seconds,
        "num_full_tokens": full.num_tokens,
        "deliveries": [[delivery.row, delivery.num_tokens, delivery.at_seconds] for delivery in entry.run.deliveries],
        "replies": [list(reply) for reply in entry.run.replies],
        "statistics": [asdict(reply) for reply in entry.run.statistics],
    }
