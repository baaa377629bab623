"""ThoughtMeter: how long a reply that is generated reasons, and in how many tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from app.conversations.reasoning import split_reasoning
from engine.messages import ReasoningTags

_CLOSING_ENDS = frozenset(">]▷")  # a tag that every program knows ends with one of them


class ThoughtMeter:
    """Counts from the state that it begins with: the text that a reply is continued from adds nothing."""

    def __init__(self, text: str, opening: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = 0.0
        self.num_tokens = 0
        self._clock = clock
        self._pieces = [text]
        self._opening = opening
        self._tags: tuple[ReasoningTags, ...] = ()
        self._closing_ends = _CLOSING_ENDS
        self._latest: float | None = None  # when the last of it came
        self._is_thinking = False
        self._has_answer = False  # which goes on to the end
        self._look()

    def use_tags(self, tags: Sequence[ReasoningTags]) -> None:
        """Know a model's tags beside the common ones."""
        self._tags = tuple(tags)
        self._closing_ends = _CLOSING_ENDS.union(each.closing[-1:] for each in tags)
        self._look()

    def begin(self, opening: str) -> None:
        """Generation begins, behind an opening that the prompt ends with."""
        self._opening = opening
        self._latest = self._clock()
        self._look()

    def take(self, text: str, num_tokens: int) -> None:
        """What one round added."""
        if self._has_answer:
            return
        self._pieces.append(text)
        if self._is_thinking:
            self._count(num_tokens)
        self._latest = self._clock()
        if not self._is_thinking or not self._closing_ends.isdisjoint(text):
            self._look()

    def _count(self, num_tokens: int) -> None:
        self.num_tokens += num_tokens
        if self._latest is not None:
            self.seconds += self._clock() - self._latest

    def _look(self) -> None:
        self._pieces = ["".join(self._pieces)]
        parts = split_reasoning(self._pieces[0], self._opening, self._tags, is_growing=True)
        self._is_thinking = bool(parts) and parts[-1].is_open
        self._has_answer = bool(parts) and parts[-1].kind == "answer"
