"""How an exception is told to the user."""

from __future__ import annotations

import re

from engine.messages import Failed


def sentence(error: Exception) -> str:
    """The exception's text with one full stop at its end and a capital at its start, unless that is a name."""
    text = str(error).rstrip(".") + "."
    begins_with_word = re.match(r"[a-z]+[ ,:;.]", text + " ") and not re.match(r"\w+\.\w", text)
    return text[:1].upper() + text[1:] if begins_with_word else text


def clause(text: str) -> str:
    """A sentence as a part of another one: without its capital and its full stop."""
    return text[:1].lower() + text[1:].rstrip(".")


def failed(request_id: int, code: str, error: Exception) -> Failed:
    """The event for a request that an exception with a text for the user ends."""
    return Failed(request_id, code, sentence(error))
