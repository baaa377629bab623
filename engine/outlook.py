"""What one row's proposals have been worth, and what is asked of them next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.drafters.base import NOTHING, Known
from engine.forecast import Forecast, Guess, score


@dataclass(slots=True)
class Outlook:
    """Owned by its row; a proposal whose tokens are known is scored against the row's text, verified or not."""

    forecast: Forecast = field(default_factory=Forecast)
    num_idle: int = 0  # rounds since one verified a proposal
    seconds_since_probe: float = 0.0  # of any row in its batch
    _guess: Guess | None = None
    _drafted: Known = NOTHING  # of the present round, where only its verification tells what it was worth

    @property
    def num_draft_forwards(self) -> int:
        """Forwards of the drafter that this round's proposal took."""
        return self._drafted.num_forwards(self._drafted.num_drafted)

    def expect(self, proposal: Known, num_verified: int, start: int, *, is_probe: bool) -> None:
        """Take note of a proposal for the tokens from `start` on, of which so many are verified.

        A probe of another row counts here, too: all rows of the batch wait for it.
        """
        self.num_idle = 0 if num_verified else self.num_idle + 1
        if is_probe:
            self.seconds_since_probe = 0.0
        self._drafted = NOTHING if proposal.token_ids else proposal
        if proposal.token_ids and self._guess is None:
            self._guess = Guess(proposal.kind, proposal.token_ids, start)

    def observe(self, text: Sequence[int], num_proposed: int, num_accepted: int) -> None:
        """Learn from a round; `text` are the row's tokens after it."""
        drafted = self._drafted
        if drafted.num_drafted and (num_proposed or not drafted.length):
            num_expected = num_proposed + (drafted.num_doubted > 0)  # a token that is doubted was drafted in vain
            self.forecast.count(drafted.kind, num_accepted, ends_wrong=num_accepted < num_expected)
        self._drafted = NOTHING
        if self._guess and (scored := score(self._guess, text)):
            self.forecast.count(self._guess.kind, scored[0], ends_wrong=scored[1])
            self._guess = None
