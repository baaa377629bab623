"""Candidate: something that drafts for a target, or would, were it not for a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from app.models.drafters import DRAFTERS
from app.models.names import model_name
from app.settings.drafters.found import Place
from engine.messages import DrafterFacts

PLAIN = "none"  # the drafter that proposes nothing
SUFFIX_BYTES = 26_000_000  # of the engine's store of replies, when it is full
HEADS = "Built-in MTP heads"
CANNOT = "' cannot draft for '"  # with which the engine begins what it says of a pair
NO_HEADS = "These weights carry none."
WHOLE = "model"  # the kind of a whole model that drafts by itself
KIND_NAMES = {
    "assistant": "Assistant",
    "dflash": "DFlash",
    "dspark": "DSpark",
    "eagle3": "EAGLE-3",
    "mtp": "MTP heads",
}
WEIGHTLESS_NOTES = {"none": "plain decoding", "ngram": "repeats from this chat", "suffix": "repeats from all chats"}


class Group(Enum):
    """The title that a candidate stands under, in the order of the page."""

    WEIGHTLESS = "No weights"
    SECOND_MODEL = "A second model"
    LAYERS = "Reads the model’s layers"
    BUILT_IN = "Built into the model"
    MISFIT = "Does not fit"


@dataclass(frozen=True, slots=True)
class Candidate:
    drafter: str  # as Submit has it; of a misfit its path
    name: str
    note: str
    group: Group
    num_bytes: int = 0  # that its weights take
    refusal: str = ""  # why it does not fit, a sentence
    path: str = ""
    state: str = ""  # of its files
    needed_bytes: int = 0  # of target and drafter together, with a reply; 0 where nobody knows
    limit_bytes: int = 0  # what they may take

    @property
    def fits(self) -> bool:
        return not self.refusal

    @property
    def has_memory(self) -> bool:
        """Whether target and drafter may be in memory together."""
        return not (self.needed_bytes and self.limit_bytes) or self.needed_bytes <= self.limit_bytes


def weightless() -> tuple[Candidate, ...]:
    """The drafters that every model can have."""
    sizes = {"suffix": SUFFIX_BYTES}
    return tuple(
        Candidate(drafter, name, WEIGHTLESS_NOTES[drafter], Group.WEIGHTLESS, sizes.get(drafter, 0))
        for drafter, name in DRAFTERS.items()
    )


def in_short(refusal: str) -> str:
    """A refusal without the names of the pair, which stand beside it."""
    names, middle, rest = refusal.partition("': ")
    return rest[:1].upper() + rest[1:] if middle and CANNOT in names else refusal


def candidate_of(place: Place, facts: DrafterFacts, state: str) -> Candidate:
    """What lies in a folder that is not the target's own."""
    is_whole = facts.kind == WHOLE or facts.kind not in KIND_NAMES
    return Candidate(
        facts.drafter if not facts.refusal else place.path,
        place.name if is_whole else KIND_NAMES[facts.kind],
        facts.quantisation if is_whole else head_note(place, facts),
        Group.MISFIT if facts.refusal else Group.SECOND_MODEL if is_whole else Group.LAYERS,
        facts.weight_bytes,
        in_short(facts.refusal),
        place.path,
        state,
    )


def head_note(place: Place, facts: DrafterFacts) -> str:
    """Of a misfit the folder's name: another of its kind may fit."""
    if facts.refusal:
        return model_name(place.path)
    return f"block of {facts.block_size}" if facts.block_size else ""


def heads_of(target: str, facts: DrafterFacts, state: str) -> Candidate:
    """The MTP heads in the target's own weights, or that it carries none."""
    refusal = in_short(facts.refusal) if facts.has_mtp else NO_HEADS
    group = Group.MISFIT if refusal else Group.BUILT_IN
    return Candidate(facts.drafter or target, HEADS, "", group, facts.weight_bytes, refusal, target, state)


def unread(place: Place, reason: str) -> Candidate:
    """What could not be read at all."""
    return Candidate(place.path, place.name, "", Group.MISFIT, refusal=reason, path=place.path)


def told_apart(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """In the order of their groups; of those that would look the same the note is the folder's name."""
    order = {group: place for place, group in enumerate(Group)}
    ordered = sorted(candidates, key=lambda one: order[one.group])
    counts = Counter((one.group, one.name, one.note) for one in ordered)
    return tuple(
        replace(one, note=model_name(one.path)) if one.path and counts[(one.group, one.name, one.note)] > 1 else one
        for one in ordered
    )
