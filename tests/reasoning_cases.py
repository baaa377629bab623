"""What reasoning and what answer the text of a reply holds: cases that the engine and the app both have to meet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.messages import ReasoningTags

Parts = list[tuple[str, str]]


@dataclass(frozen=True)
class Case:
    """A reply's text behind an opening; `parts` are kinds and texts, without white space around them."""

    text: str
    parts: Parts
    opening: str
    tags: tuple[ReasoningTags, ...]


def read_cases() -> list[Case]:
    """All of the table."""
    path = Path(__file__).parent / "data" / "reasoning.json"
    return [_read(**one) for one in json.loads(path.read_text("utf-8"))]


def bare(parts: Iterable[tuple[str, str]]) -> Parts:
    """Parts without white space around them, those of nothing else left out."""
    return [(kind, text.strip()) for kind, text in parts if text.strip()]


def _read(text: str, parts: list[list[str]], opening: str = "", tags: Iterable[list[str]] = ()) -> Case:
    return Case(text, [(kind, part) for kind, part in parts], opening, tuple(ReasoningTags(*pair) for pair in tags))
