"""The starting catalogue: targets that are known to run, each with drafters made for it or of its tokenizer.

Data of resources/catalogue; sizes without `is_exact` are computed from the number of parameters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from app.figures import NO_BREAK

# In the order in which they are shown.
FAMILIES = ("smollm", "qwen", "llama", "gemma", "others")


@dataclass(frozen=True, slots=True)
class CatalogueDrafter:
    kind: str  # as DrafterFacts has it
    name: str  # "DFlash", or that of the second model
    repo_id: str
    size_bytes: int
    is_exact: bool
    licence: str


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    name: str
    quantisation: str
    repo_id: str
    size_bytes: int
    is_exact: bool
    licence: str
    memory_gb: int  # of the machine that it runs well on, at least
    sentence: str
    drafters: tuple[CatalogueDrafter, ...]


@cache
def read_catalogue() -> tuple[CatalogueEntry, ...]:
    folder = files("resources") / "catalogue"
    listed = (json.loads((folder / f"{family}.json").read_text(encoding="utf-8")) for family in FAMILIES)
    return tuple(_entry(fields) for family in listed for fields in family)


@cache
def known_names() -> dict[str, tuple[str, str]]:
    """Name and quantisation by repository: of each target, and of drafters what they are made for."""
    names = {}
    for entry in read_catalogue():
        for one in entry.drafters:
            if one.kind != "model":
                names[one.repo_id] = (f"{one.name} for {entry.name}", "")
    return names | {entry.repo_id: (entry.name, entry.quantisation) for entry in read_catalogue()}


def smallest() -> CatalogueEntry:
    return min(read_catalogue(), key=lambda entry: entry.size_bytes)


def matching(words: str) -> tuple[CatalogueEntry, ...]:
    """Entries that have all words in their own or their drafters' names."""
    wanted = words.casefold().split()
    return tuple(entry for entry in read_catalogue() if all(word in _text(entry) for word in wanted))


def _text(entry: CatalogueEntry) -> str:
    drafters = (f"{one.name} {one.repo_id}" for one in entry.drafters)
    return " ".join((entry.name, entry.quantisation, entry.repo_id, *drafters)).casefold()


def _entry(fields: dict[str, Any]) -> CatalogueEntry:
    return CatalogueEntry(
        name=fields["name"],
        quantisation=fields["quantisation"],
        repo_id=fields["repo"],
        size_bytes=fields["bytes"],
        is_exact=fields["is_exact"],
        licence=fields["licence"],
        memory_gb=fields["memory_gb"],
        sentence=fields["sentence"].replace(" GB", f"{NO_BREAK}GB"),
        drafters=tuple(_drafter(one) for one in fields["drafters"]),
    )


def _drafter(fields: dict[str, Any]) -> CatalogueDrafter:
    return CatalogueDrafter(
        kind=fields["kind"],
        name=fields["name"],
        repo_id=fields["repo"],
        size_bytes=fields["bytes"],
        is_exact=fields["is_exact"],
        licence=fields["licence"],
    )
