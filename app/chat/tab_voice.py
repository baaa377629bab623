"""TabVoice: tells a screen reader when a reply begins and ends; nothing in between."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QWidget

from app.chat.announcing import announce
from app.chat.notes import num_tokens_of
from app.conversations.records import Message, ReplyState
from app.figures import write_amount, write_count


class TabVoice:
    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._began_at = time.monotonic()

    def say_begun(self) -> None:
        self._began_at = time.monotonic()
        announce(self._widget, "Reply started.")

    def say_ended(self, message: Message, place: str) -> None:
        """`place` names the chat where it is not in view."""
        if message.state is ReplyState.FAILED:
            announce(self._widget, f"Reply failed{place}: {message.error}", is_urgent=True)
            return
        seconds = write_amount(max(1, round(time.monotonic() - self._began_at)), "second")
        tokens = write_count(num_tokens_of(message), "tokens")
        announce(self._widget, f"Reply finished{place}, {tokens}, {seconds}.")
