"""How long a Markdown source would take to parse, judged by counting: a source over a limit is shown as it is."""

from __future__ import annotations

import re

# In marks, each some 20 microseconds of parsing on a slow machine.
MAX_LIVE = 1_500  # an open block is parsed at each arrival
MAX_WHOLE = 40_000  # once, where a reply ends or a conversation is opened
_MARKS = re.compile(r"[*_`\]!~|#]+|[<&$\\]")
_FENCES = ("```", "~~~")
_LINE = 3
_BRACKET_SQUARE = 50  # each open bracket is looked at again for every later one of its block


def is_too_dear(source: str, max_marks: int) -> bool:
    """Whether parsing would hold up the window."""
    return len(source) > max_marks // 4 and count_marks(source) > max_marks


def count_marks(source: str) -> int:
    if source.startswith(_FENCES) and sum(map(source.count, _FENCES)) <= 2:
        return 0  # code is cut into lines, not parsed
    marks = _LINE * source.count("\n") + len(_MARKS.findall(source)) + _count_cells(source)
    return marks + sum(block.count("[") ** 2 // _BRACKET_SQUARE for block in source.split("\n\n"))


def _count_cells(source: str) -> int:
    """Cells of the tables, whose rows are all as wide as the widest."""
    widths = [line.count("|") for line in source.split("\n") if "|" in line] if "|" in source else []
    return len(widths) * max(widths, default=0)
