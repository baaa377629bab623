"""Draft: what a composer holds until it is sent."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from app.conversations.records import Attachment


def is_blank(text: str) -> bool:
    """Whether nothing in a text can be seen: spaces, controls, zero-width characters."""
    return all(character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Zs") for character in text)


@dataclass(frozen=True, slots=True)
class Draft:
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    edits: str = ""  # id of the user's message that it takes the place of, in a new branch; "" for a new message
    num_left_out: int = 0  # oldest messages of the path that the prompt leaves out from here on

    def __bool__(self) -> bool:
        return bool(self.text or self.attachments)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to send."""
        return not self.attachments and is_blank(self.text)
