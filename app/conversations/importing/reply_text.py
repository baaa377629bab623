"""A reply of another program, with its reasoning in the tags that the transcript folds."""

from __future__ import annotations

from collections.abc import Iterable

REASONING_BEGIN, REASONING_END = "<think>", "</think>"


def write_reply(reasoning: Iterable[str], answer: Iterable[str]) -> str:
    """Reasoning goes first, where tags count; what stood between parts of an answer comes together there."""
    thoughts = "\n\n".join(part.strip("\n") for part in reasoning if part.strip())
    text = "\n\n".join(part.strip("\n") for part in answer if part.strip())
    return f"{REASONING_BEGIN}\n{thoughts}\n{REASONING_END}\n\n{text}" if thoughts else text
