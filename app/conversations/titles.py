"""A conversation's first title."""

from __future__ import annotations

MAX_LENGTH = 60


def title_from(text: str) -> str:
    """The first line that is not blank, cut at a word's end."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    if len(line) <= MAX_LENGTH:
        return line
    words = line[:MAX_LENGTH].rsplit(" ", 1)[0]
    return f"{words[: MAX_LENGTH - 1]}…"
