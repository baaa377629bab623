"""Notifier: tells through the system that a reply has ended which nobody sees; never what it says."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.chat.notes import num_tokens_of
from app.conversations.records import Message, ReplyState
from app.desktop.desktop import Desktop
from app.figures import write_count
from app.settings.preferences import Settings
from app.upkeep.running_replies import RunningReplies


def ended_words(message: Message) -> str:
    if message.state is ReplyState.FAILED:
        return "Reply failed."
    return f"Reply finished, {write_count(num_tokens_of(message), 'tokens')}."


class Notifier(QObject):
    chat_asked = Signal(str)  # id of the chat whose notification was clicked

    def __init__(
        self,
        desktop: Desktop,
        running: RunningReplies,
        settings: Settings,
        *,
        is_seen: Callable[[str], bool],
        title_of: Callable[[str], str],
        parent: QObject | None = None,
    ) -> None:
        """Both callables are asked of the id of a chat."""
        super().__init__(parent)
        self._desktop = desktop
        self._settings = settings
        self._is_seen = is_seen
        self._title_of = title_of
        running.ended.connect(self._take_end)
        desktop.activated.connect(self.chat_asked)

    def _take_end(self, message: Message) -> None:
        """One that was stopped by its user is no news."""
        chat = message.conversation_id
        is_news = message.state in (ReplyState.COMPLETE, ReplyState.LIMIT, ReplyState.FAILED)
        if is_news and self._settings.preferences.general.notifies and not self._is_seen(chat):
            self._desktop.notify(chat, self._title_of(chat), ended_words(message))
