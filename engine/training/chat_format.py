"""A target's chat template as training needs it: whole prompts, and what stands before a user's words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from engine.messages import Turn
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer

RENDER_SECONDS = 5.0  # for one prompt: nobody waits, and the machine is busy
_PROBES = ("apple", "River 7")  # which begin with different tokens


class ChatFormat:
    """Renders with the template that the app uses, so that a drafter sees in training what it will see."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def prompt(self, turns: Sequence[str]) -> list[int]:
        """Token ids before the reply to the last of `turns`, which are a user's and a reply's in turn."""
        roles = ("user", "assistant")
        messages = [Turn(roles[index % 2], text) for index, text in enumerate(turns)]
        prompt = build_prompt(self._tokenizer, messages, 0, limit_seconds=RENDER_SECONDS, with_boundaries=False)
        return list(prompt.token_ids)

    @cached_property
    def user_header(self) -> list[int]:
        """What every prompt begins with before the user's first word: after it the target writes a user's turn."""
        first, second = (self.prompt([probe]) for probe in _PROBES)
        length = next(index for index, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1])
        return first[:length]

    @property
    def end_ids(self) -> frozenset[int]:
        """Tokens that end a turn."""
        return self._tokenizer.end_ids

    def text(self, token_ids: Sequence[int]) -> str:
        """The text of ids, without control tokens."""
        return self._tokenizer.decode(token_ids)
