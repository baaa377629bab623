"""Which drafters a chat can choose, and with which one it begins."""

from __future__ import annotations

from pathlib import PurePath

DRAFTERS = {"none": "None", "ngram": "n-gram", "suffix": "Suffix"}
DRAFTER_WORDS = {
    "none": "The model writes alone.",
    "ngram": "Guesses from words that the chat already has.",
    "suffix": "Guesses from words of this chat and of earlier replies, what followed them most often.",
}
MODEL = "model:"  # and the path of a smaller model
DEFAULT_DRAFTER = "ngram"


def is_drafter(name: str) -> bool:
    """Whether the engine may know it; what lies at a path is found out when it is loaded."""
    return name in DRAFTERS or (name.startswith(MODEL) and name != MODEL)


def drafter_name(name: str) -> str:
    """A drafter's short name, a model's by its folder or file."""
    if name.startswith(MODEL):
        return PurePath(name.removeprefix(MODEL)).name or name
    return DRAFTERS.get(name, name)
