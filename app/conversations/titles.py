"""Titles of conversations."""

from __future__ import annotations

import unicodedata

MAX_LENGTH = 60
NEW_TITLE = "New chat"  # of a chat that has none


def title_from(text: str) -> str:
    """The first line that is not blank, cut at a word's end."""
    line = next((line for line in map(clean_title, text.splitlines()) if line), "")
    if len(line) <= MAX_LENGTH:
        return line
    words = line[:MAX_LENGTH].rsplit(" ", 1)[0]
    return f"{words[: MAX_LENGTH - 1]}…"


def clean_title(text: str) -> str:
    """One line without controls and halves of characters, which lists and files cannot hold."""
    line = " ".join(text.split())
    if line.isprintable():  # almost every title of a long list
        return line
    return " ".join("".join(one for one in line if unicodedata.category(one) not in ("Cc", "Cs")).split())
