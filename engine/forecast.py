"""How often a row's proposals are right: learned from every proposal whose tokens are known, verified or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

PRIOR_WEIGHT = 2.0  # observations that a prior stands for
DECAY = 0.9  # of earlier observations with each further one: what a reply does changes as it goes on


@dataclass(frozen=True, slots=True)
class Kind:
    """Proposals that are right about equally often; `prior[i]`: how often token i is where all before it are.

    The last of `prior` holds for all further tokens.
    """

    name: str
    prior: tuple[float, ...]


@dataclass(slots=True)
class Position:
    """Weighted counts of one position of one kind."""

    num_right: float
    num_seen: float

    def count(self, is_right: bool) -> None:
        self.num_right = DECAY * self.num_right + is_right
        self.num_seen = DECAY * self.num_seen + 1

    @property
    def acceptance(self) -> float:
        return self.num_right / self.num_seen


@dataclass(slots=True)
class Forecast:
    """One row's acceptance by kind and position, each position given that all before it were right."""

    _positions: dict[Kind, list[Position]] = field(default_factory=dict)

    def survival(self, kind: Kind, num_tokens: int) -> list[float]:
        """How likely the first 1, 2, … `num_tokens` tokens of a proposal are all right."""
        survival, alive = [], 1.0
        for position in self._known(kind, num_tokens):
            alive *= position.acceptance
            survival.append(alive)
        return survival

    def count(self, kind: Kind, num_right: int, *, ends_wrong: bool) -> None:
        """Add a proposal whose first `num_right` tokens were right and, where it ends wrong, the next was not."""
        positions = self._known(kind, num_right + ends_wrong)
        for index, position in enumerate(positions):
            position.count(index < num_right)

    def _known(self, kind: Kind, num_tokens: int) -> list[Position]:
        positions = self._positions.setdefault(kind, [])
        for index in range(len(positions), num_tokens):
            prior = kind.prior[min(index, len(kind.prior) - 1)]
            positions.append(Position(prior * PRIOR_WEIGHT, PRIOR_WEIGHT))
        return positions[:num_tokens]


@dataclass(frozen=True, slots=True)
class Guess:
    """A proposal whose tokens are known, and where in the row's text it begins."""

    kind: Kind
    token_ids: tuple[int, ...]
    start: int


def score(guess: Guess, text: Sequence[int]) -> tuple[int, bool] | None:
    """How many of its first tokens the text has, and whether the next is another; None while that is open."""
    written = text[guess.start : guess.start + len(guess.token_ids)]
    for index, (guessed, token_id) in enumerate(zip(guess.token_ids, written, strict=False)):
        if guessed != token_id:
            return index, True
    return (len(guess.token_ids), False) if len(written) == len(guess.token_ids) else None
