"""What a request must hold before it is worth rendering; each check gives a sentence, "" where all is well."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from engine.messages import Sampling, Turn

ROLES = ("system", "user", "assistant")
_INVISIBLE = {"Cc", "Cf", "Zs", "Zl", "Zp"}  # controls, formats such as zero-width spaces, separators


def check_turns(turns: Sequence[Turn]) -> str:
    """Refuse a conversation without a question."""
    unknown = [turn.role for turn in turns if turn.role not in ROLES]
    if unknown:
        return f"A message has the role {unknown[0]!r}; choose one of: {', '.join(ROLES)}."
    questions = [turn.text for turn in turns if turn.role == "user"]
    if not questions:
        return "There is no message to answer. Write one first."
    if all(is_invisible(character) for character in questions[-1]):
        return "The message is blank. Write something to answer first."
    return ""


def check_sampling(sampling: Sampling) -> str:
    """Refuse settings that no reply can be sampled with."""
    if not (math.isfinite(sampling.temperature) and sampling.temperature >= 0):
        return f"The temperature is {sampling.temperature}; it must be 0 or more."
    if not 0 <= sampling.seed < 2**63:
        return f"The seed is {sampling.seed}; it must be 0 or more and below 2^63."
    if sampling.max_tokens < 1:
        return f"The token limit is {sampling.max_tokens:,}; it must be 1 or more."
    if not all(sampling.stops):
        return "A stop string is empty. Remove it or write one."
    return ""


def check_length(num_prompt: int, context_length: int) -> str:
    """Refuse a prompt that leaves no room for a token of the reply."""
    excess = num_prompt + 1 - context_length
    if excess <= 0:
        return ""
    return (
        f"The prompt has {num_prompt:,} tokens; the context holds {context_length:,}, one of them for the reply. "
        f"Remove {excess:,} or choose a longer context."
    )


def is_invisible(character: str) -> bool:
    """Whether a character leaves nothing to see."""
    return character.isspace() or unicodedata.category(character) in _INVISIBLE
