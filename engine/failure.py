"""How an exception is told to the user."""

from __future__ import annotations

from engine.messages import Failed


def sentence(error: Exception) -> str:
    """The exception's text with a capital at its start and one full stop at its end."""
    text = str(error)
    return text[:1].upper() + text[1:].rstrip(".") + "."


def failed(request_id: int, code: str, error: Exception) -> Failed:
    """The event for a request that an exception with a text for the user ends."""
    return Failed(request_id, code, sentence(error))
