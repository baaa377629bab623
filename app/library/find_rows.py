"""What Find more lists, row by row, and what a row's Download can bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto

from app.figures import NO_BREAK, write_bytes, write_count
from app.library.catalogue import CatalogueEntry, matching
from app.library.naming import name_parts
from app.library.search import Results
from app.library.searching import HubModel, Source
from app.library.verdict import NO_VERDICT, Judge, Verdict
from app.system.machine import PLACE

NOTHING = "The hub has no such model that can be run here."
SEARCHING = "Searching the hub"
SEVERAL = "GGUF"  # quantisation of a repository that has a file of each of several


class Kind(Enum):
    CAPTION = auto()
    CATALOGUE = auto()
    HUB = auto()
    SENTENCE = auto()
    MORE = auto()


@dataclass(frozen=True, slots=True)
class Bring:
    """One thing that Download can do: its words, and the repositories that it queues."""

    words: str
    wanted: tuple[tuple[str, str], ...]  # repository and quantisation of a GGUF, "" for all


@dataclass(frozen=True, slots=True)
class FindRow:
    kind: Kind
    name: str  # or the sentence
    quantisation: str = ""
    repo_id: str = ""
    lines: tuple[str, ...] = ()  # under the name
    drafters: str = ""
    size: str = ""
    verdict: Verdict = NO_VERDICT
    state: str = ""  # instead of Download: "On this computer", "Downloading"
    brings: tuple[Bring, ...] = ()
    is_first: bool = True  # of its card
    is_last: bool = True

    @property
    def key(self) -> tuple[Kind, str]:
        return self.kind, self.repo_id

    @property
    def asks(self) -> bool:
        """Whether Download asks which of them; one quantisation that is left of several is named, too."""
        return len(self.brings) > 1 or (self.quantisation == SEVERAL and bool(self.brings))

    @property
    def is_model(self) -> bool:
        return self.kind in (Kind.CATALOGUE, Kind.HUB)

    @property
    def spoken(self) -> str:
        """The row in words, for a screen reader."""
        drafters = f"drafters: {self.drafters}" if self.drafters else ""
        title = f"{self.name} {self.quantisation}".strip()
        parts = (title, self.size, self.verdict.sentence, *self.lines, drafters, self.state)
        return ", ".join(part.rstrip(".") for part in parts if part)


@dataclass(frozen=True, slots=True)
class Known:
    """What rows ask the rest of the window."""

    judge: Judge
    is_here: Callable[[str], bool]  # whether a repository is on this machine, whole
    coming: Callable[[str], str]  # "Downloading", "Paused" or "In the downloads"; "" where it is not on its way
    is_coming: Callable[[str, str], bool] = lambda repo_id, variant: False  # whether one quantisation is on its way


def make_rows(results: Results, known: Known, today: datetime) -> tuple[FindRow, ...]:
    """The catalogue first, then what the hub answered."""
    rows: list[FindRow] = []
    entries = () if results.source is Source.DRAFTERS else matching(results.words)
    if entries:
        title = "Catalogue: models with drafters made for them"
        rows += [FindRow(Kind.CAPTION, title), *_card([_entry_row(entry, known) for entry in entries])]
    if results.words:
        rows.append(FindRow(Kind.CAPTION, f"On the hub: {results.source.value}"))
        rows += _card([_hub_row(model, known, today) for model in results.models])
        rows += _ends(results)
    return tuple(rows)


def _ends(results: Results) -> list[FindRow]:
    if results.is_searching:
        return [FindRow(Kind.SENTENCE, f"{SEARCHING}…" if not results.models else "Searching for more…")]
    if results.problem is not None:
        return [FindRow(Kind.SENTENCE, results.problem.text)]
    if results.next_url:
        return [FindRow(Kind.MORE, "Show more")]
    return [] if results.models else [FindRow(Kind.SENTENCE, NOTHING)]


def _card(rows: list[FindRow]) -> list[FindRow]:
    last = len(rows) - 1
    return [replace(row, is_first=not place, is_last=place == last) for place, row in enumerate(rows)]


def _entry_row(entry: CatalogueEntry, known: Known) -> FindRow:
    return FindRow(
        Kind.CATALOGUE,
        entry.name,
        entry.quantisation,
        entry.repo_id,
        lines=(f"{entry.sentence} {entry.licence}, {entry.memory_gb}{NO_BREAK}GB of memory or more.",),
        drafters=" · ".join(_together(one.name, _size(one.size_bytes, one.is_exact, "")) for one in entry.drafters),
        size=_size(entry.size_bytes, entry.is_exact),
        verdict=known.judge(entry.size_bytes),
        state=_state(entry.repo_id, known),
        brings=_entry_brings(entry, known),
    )


def _entry_brings(entry: CatalogueEntry, known: Known) -> tuple[Bring, ...]:
    """The target alone and with each drafter; the drafters alone where it is here."""
    target = (entry.repo_id, "")
    is_here = known.is_here(entry.repo_id) or bool(known.coming(entry.repo_id))
    missing = [one for one in entry.drafters if not known.is_here(one.repo_id) and not known.coming(one.repo_id)]
    if is_here:
        return tuple(
            Bring(f"{one.name}, {_size(one.size_bytes, one.is_exact)}", ((one.repo_id, ""),)) for one in missing
        )
    alone = Bring(f"{entry.name}, {_size(entry.size_bytes, entry.is_exact)}", (target,))
    both = (
        Bring(f"With {one.name}, {_size(entry.size_bytes + one.size_bytes, False)}", (target, (one.repo_id, "")))
        for one in missing
    )
    return (alone, *both)


def _hub_row(model: HubModel, known: Known, today: datetime) -> FindRow:
    name, quantisation = name_parts(model.repo_id)
    state = _state(model.repo_id, known)
    smallest = model.variants[0] if model.variants else None
    size = smallest.size if smallest else model.size_bytes
    several = len(model.variants) > 1
    return FindRow(
        Kind.HUB,
        name,
        SEVERAL if several else smallest.name if smallest else quantisation,
        model.repo_id,
        lines=(_facts(model, today),),
        size=("from " if several else "") + write_bytes(size) if size else "",
        verdict=known.judge(size) if size else NO_VERDICT,
        state=state,
        brings=_hub_brings(model, name, known) if several or not state else (),
    )


def _hub_brings(model: HubModel, name: str, known: Known) -> tuple[Bring, ...]:
    """Of several quantisations those that are not on their way."""
    if model.variants:
        return tuple(
            Bring(f"{one.name}, {write_bytes(one.size)}", ((model.repo_id, one.name),))
            for one in model.variants
            if not known.is_coming(model.repo_id, one.name)
        )
    return (Bring(f"{name}, {write_bytes(model.size_bytes)}" if model.size_bytes else name, ((model.repo_id, ""),)),)


def _facts(model: HubModel, today: datetime) -> str:
    owner = model.repo_id.partition("/")[0]
    gate = "asks for a licence on its page" if model.is_gated else ""
    downloads = write_count(model.downloads, "downloads") if model.downloads else ""
    changed = f"changed {write_month(model.changed_at, today)}" if model.changed_at else ""
    return ", ".join(part for part in (owner, model.licence, gate, downloads, changed) if part)


def write_month(timestamp: float, today: datetime) -> str:
    """The day in this year, else the month and its year."""
    when = datetime.fromtimestamp(timestamp)
    return f"{when.day} {when:%b}" if when.year == today.year else f"{when:%b} {when.year}"


def _state(repo_id: str, known: Known) -> str:
    return f"On {PLACE}" if known.is_here(repo_id) else known.coming(repo_id)


def _together(*words: str) -> str:
    """Words that no line is broken between."""
    return NO_BREAK.join(word.replace(" ", NO_BREAK) for word in words)


def _size(count: int, is_exact: bool, about: str = "about ") -> str:
    return ("" if is_exact else about) + write_bytes(count)
