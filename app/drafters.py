"""Which drafters a chat can choose, and with which one it begins."""

from __future__ import annotations

DRAFTERS = {"none": "None", "ngram": "n-gram"}
DRAFTER_WORDS = {
    "none": "The model writes alone.",
    "ngram": "Guesses from words that the chat already has.",
}
DEFAULT_DRAFTER = "ngram"
