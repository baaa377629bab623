"""The report as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.bench.columns import FOOTNOTE, headers
from engine.bench.proposals import ProposalFigures
from engine.bench.setting import Setting
from engine.bench.spread import Spread
from engine.bench.summary import Summary

_NONE = "–"


def render(setting: Setting, summaries: Sequence[Summary], notes: Sequence[str]) -> str:
    """The whole report as text: a heading, one table for each batch size, what has to be known to read them."""
    sizes = list(dict.fromkeys(summary.batch_size for summary in summaries))
    blocks = [_heading(setting)]
    for size in sizes:
        of_size = [summary for summary in summaries if summary.batch_size == size]
        lines = table([headers(size), *map(_cells, of_size)])
        blocks.append("\n".join([f"batch {size}", *lines, *_twins(of_size), FOOTNOTE]))
    return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with aligned columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def count(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _heading(setting: Setting) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in setting.versions.items() if number)
    return "\n".join(
        [
            f"{setting.model} ({setting.quantisation} files, computed in {setting.floating_types}) "
            f"on {setting.device}, {setting.num_cores} cores, BLAS: {setting.blas}",
            f"{count(setting.num_prompts, 'prompt')} of {setting.prompts}, at most {setting.max_tokens} tokens each, "
            f"greedy, repeats: {setting.repeats}",
            f"{versions}; {setting.machine}",
        ]
    )


def _cells(summary: Summary) -> list[str]:
    against = summary.comparisons[0] if summary.comparisons else None
    return [
        _short(summary.label),
        _number(summary.full_tokens_per_second, 1),
        _ratio(against.full_ratio) if against else "1",
        _number(summary.wall_seconds, 2),
        _ratio(against.wall_ratio) if against else "1",
        f"{against.num_same_ids}/{against.num_prompts}" if against else _NONE,
        *_proposal_cells(summary.proposals),
    ]


def _proposal_cells(figures: ProposalFigures | None) -> list[str]:
    if figures is None:
        return [_NONE] * 7
    return [
        f"{figures.acceptance_length:.2f}" if figures.acceptance_length else _NONE,
        f"{figures.tokens_per_forward:.2f}",
        str(figures.num_forwards_saved),
        f"{100 * figures.extra_share:.1f} %",
        f"{figures.draft_milliseconds:.2f}",
        f"{figures.verify_milliseconds:.1f}",
        _number(figures.speedup, 2),
    ]


def _twins(summaries: Sequence[Summary]) -> list[str]:
    """One line for each comparison beyond the table's."""
    return [
        f"{_short(summary.label)} against {_short(other.against)}: decode {_ratio(other.full_ratio)}, "
        f"wall {_ratio(other.wall_ratio)}, same ids {other.num_same_ids}/{other.num_prompts}"
        for summary in summaries
        for other in summary.comparisons[1:]
    ]


def _short(label: str) -> str:
    """A contender's label with the last part of its drafter's path alone."""
    return re.sub(r":.*/", ":", label)


def _number(value: Spread | None, digits: int) -> str:
    return _NONE if value is None else f"{value.median:.{digits}f}"


def _ratio(value: Spread | None) -> str:
    return _NONE if value is None else f"{value.median:.2f} [{value.low:.2f}–{value.high:.2f}]"
