"""One row of a drafter that looks up, driven by hand."""

from __future__ import annotations

from collections.abc import Sequence

from engine.drafters.base import Drafter, DrafterState, DraftRow, Known, TargetView
from engine.messages import Sampling
from engine.sampling import Choice


class LookedUp:
    """The last of `token_ids` is pending; the drafter has read those before it."""

    def __init__(self, drafter: Drafter, token_ids: Sequence[int], state: DrafterState | None = None) -> None:
        self.token_ids = list(token_ids)
        self.rows = drafter.open(TargetView(vocab_size=1000, context_length=512))
        self.rows.prepare_append([state]).commit()
        if state is None:
            self.rows.prefill([self.token_ids[:-1]], None)

    def known(self, depth: int) -> Known:
        row = DraftRow(self.token_ids, Choice(Sampling(), 0))
        return self.rows.propose([row], [depth]).known[0]

    def propose(self, depth: int) -> list[int]:
        return list(self.known(depth).token_ids)

    def take(self, token_ids: Sequence[int]) -> None:
        """Let the text go on with tokens that the last of is pending."""
        self.token_ids += token_ids
        self.rows.commit([len(token_ids)], None)
