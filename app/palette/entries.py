"""What the palette offers, and the order in which it does."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.conversations.folding import Span
from app.palette.matching import name_of, query_of, rank, spans_in

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """`key` is by which it is known from one time to the next; `kind` is a word for it, "" for an action."""

    key: str
    words: str
    run: Callable[[], object] = field(compare=False)
    kind: str = ""
    detail: Callable[[], str] = field(default=str, compare=False)  # asked of those that are shown
    at_end: str = ""  # keys, or what it is at present
    open_beside: Callable[[], object] | None = field(default=None, compare=False)  # in a new tab
    is_enabled: bool = True
    reason: str = ""  # why it is not enabled, a sentence where there is one


@dataclass(frozen=True, slots=True)
class Found:
    entry: Entry
    spans: tuple[Span, ...] = ()  # of the words, that were typed

    @property
    def spoken(self) -> str:
        entry = self.entry
        parts = (entry.words, entry.detail(), entry.kind, entry.at_end)
        return ", ".join(part for part in parts if part)


class Source(Protocol):
    """Asked whenever the palette opens."""

    def entries(self) -> Sequence[Entry]: ...


def find(entries: Iterable[Entry], typed: str, recent: Sequence[str]) -> list[Found]:
    """Those that fit what was typed, the best first; among equals those run lately, then as they came.

    With nothing typed that is all of them.
    """
    query = query_of(typed)
    order = {key: place for place, key in enumerate(recent)}
    if query.is_empty:
        ordered = heapq.nsmallest(MOST_SHOWN, enumerate(entries), key=lambda each: _unasked(each, order))
        return [Found(entry) for _, entry in ordered]
    ranked = []
    for number, entry in enumerate(entries):
        found = rank(name_of(entry.words), query)
        if found is not None:
            ranked.append(((found, not entry.is_enabled, order.get(entry.key, len(order)), number), entry))
    best = heapq.nsmallest(MOST_SHOWN, ranked, key=lambda each: each[0])
    return [Found(entry, spans_in(name_of(entry.words), query)) for _, entry in best]


def _unasked(each: tuple[int, Entry], order: Mapping[str, int]) -> tuple[int, int]:
    """What cannot be done now is not offered first."""
    number, entry = each
    return (order.get(entry.key, len(order)) if entry.is_enabled else len(order), number)
