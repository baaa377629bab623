"""Draft: what a composer holds until it is sent."""

from __future__ import annotations

from dataclasses import dataclass

from app.conversations.records import Attachment


@dataclass(frozen=True, slots=True)
class Draft:
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    edits: str = ""  # id of the user's message that it takes the place of, in a new branch; "" for a new message
    num_left_out: int = 0  # oldest messages of the path that the prompt leaves out from here on

    def __bool__(self) -> bool:
        return bool(self.text or self.attachments)
