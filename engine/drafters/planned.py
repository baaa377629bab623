"""What a drafter with weights does for each row of a round: copy, write, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.drafters.base import ANY, DraftRow, Proposals, pack, pick
from engine.drafters.lookup import Found
from engine.drafters.ngram import NgramLookup

COPY_MATCH = 8  # agreeing tokens: a copy under way, not a chance repeat


@dataclass(slots=True)
class Plan:
    """One row's part of a round: tokens that are copied, or how many are to be drafted."""

    copied: Found | None = None
    num_drafted: int = 0
    _lookup: NgramLookup = field(default_factory=NgramLookup)

    def make(self, seen: DraftRow, depth: int, room: int) -> None:
        """A copy under way goes before the drafter: it is right as often, and costs no forward.

        depth: tokens that may be proposed; room: those of them that the drafter could write itself.
        """
        found = self._lookup.look_up(seen.history, depth) if depth else None
        self.copied = found if found and found.match_length >= COPY_MATCH else None
        self.num_drafted = 0 if self.copied else max(0, min(depth, seen.chain_depth, room))


def combine(plans: Sequence[Plan], drafted: Proposals | None) -> Proposals:
    """Copies of the rows that have one beside what was drafted for all rows; None: nothing was."""
    found = [plan.copied for plan in plans]
    copied = pack([one.token_ids if one else () for one in found], [one.kind if one else ANY for one in found])
    if drafted is None:
        return copied
    order = [index if plan.copied else len(plans) + index for index, plan in enumerate(plans)]
    return pick([copied, drafted], order) if any(found) else drafted
