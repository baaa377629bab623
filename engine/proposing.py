"""What a group's rows propose in a round: who is asked, how deep, and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from engine.companions import Companions
from engine.costs import Place, place
from engine.depth import Candidate, Decision, DepthPolicy
from engine.drafters.base import Known, Proposals
from engine.measuring import Measuring
from engine.messages import Event
from engine.row import Row


class Proposing:
    """Owns the group's last decision on depths; the rows are handed in as they are in the batch."""

    def __init__(
        self, companions: Companions, policy: DepthPolicy, measuring: Measuring, emit: Callable[[Event], None]
    ) -> None:
        self.decision = Decision((), (), runs_ahead=False)
        self._companions = companions
        self._policy = policy
        self._measuring = measuring
        self._emit = emit

    def propose(self, rows: Sequence[Row], can_rewind: bool, is_steady: bool) -> Proposals:
        """Ask each row's own drafter, and cut its proposal to the depth that is chosen for it."""
        chain_depths, candidates = self._plan(rows, can_rewind, is_steady)
        proposals = self._ask(rows, candidates, chain_depths)
        self.decision = self._policy.decide(candidates, proposals.known, place_of(rows))
        self._note(rows, proposals.known)
        return proposals.cut(self.decision.lengths)

    def stays_plain(self, rows: Sequence[Row], can_rewind: bool, is_steady: bool) -> bool:
        """Whether nothing that the rows' drafters find, one token behind, is worth the pause of a round that waits."""
        chain_depths, candidates = self._plan(rows, can_rewind, is_steady)
        if any(chain_depths):
            return False
        proposals = self._ask(rows, candidates, chain_depths)
        self.decision = self._policy.decide(candidates, proposals.known, place_of(rows))
        if self.decision.runs_ahead:
            self._note(rows, proposals.known)
        return self.decision.runs_ahead

    def _plan(self, rows: Sequence[Row], can_rewind: bool, is_steady: bool) -> tuple[list[int], list[Candidate]]:
        """How far drafters that need forwards should write, and the rows as the choice of depths sees them."""
        for notice in filter(None, [row.leave_drafter_context() for row in rows]):
            self._emit(notice)
        candidates = [row.candidate(can_rewind, is_steady) for row in rows]
        return self._policy.plan(candidates, place_of(rows)), candidates

    def _ask(self, rows: Sequence[Row], candidates: Sequence[Candidate], chain_depths: Sequence[int]) -> Proposals:
        started = time.monotonic()
        proposals = self._companions.propose(rows, [row.room for row in candidates], chain_depths)
        self._measuring.propose(time.monotonic() - started)
        return proposals

    def _note(self, rows: Sequence[Row], known: Sequence[Known]) -> None:
        """Tell each row what was decided of its proposal."""
        decision = self.decision
        for row, proposal, length, reason in zip(rows, known, decision.lengths, decision.reasons, strict=True):
            row.counter.depth, row.counter.depth_reason = length, reason
            row.outlook.expect(proposal, length, row.num_tokens, is_probe=decision.is_probe)


def place_of(rows: Sequence[Row]) -> Place:
    """Where the costs of these rows' forwards are measured; the rows of a batch share one KV scheme."""
    return place(len(rows), max(row.num_tokens for row in rows), rows[0].kv)
