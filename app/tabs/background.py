"""Background: replies that go on without a tab, and the chats in which such a reply has ended unseen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.chat.session import ChatSession
from app.tabs.unsent import Unsent
from app.tasks import start


class Background(QObject):
    """Owns the sessions that it is given, until their reply has ended."""

    changed = Signal()

    def __init__(self, unsent: Unsent, is_open: Callable[[str], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sessions: list[ChatSession] = []
        self.unread: set[str] = set()  # ids of chats
        self._unsent = unsent
        self._is_open = is_open

    def keep(self, session: ChatSession) -> None:
        """Let a busy session come to its end; a message that it could not send waits for its chat to be opened."""
        self.sessions.append(session)
        session.not_sent.connect(lambda draft: self._unsent.keep(session.conversation_id, (draft,)))
        session.busy_changed.connect(lambda is_busy: self._end(session))

    def forget(self, conversation_id: str) -> None:
        """Let go of a chat that was deleted, whatever runs in it."""
        self.unread.discard(conversation_id)
        for session in [one for one in self.sessions if one.conversation_id == conversation_id]:
            self.sessions.remove(session)
            end_session(session)

    def _end(self, session: ChatSession) -> None:
        if session.is_busy or session not in self.sessions:
            return
        self.sessions.remove(session)
        if session.conversation_id and not self._is_open(session.conversation_id):
            self.unread.add(session.conversation_id)
        end_session(session)
        self.changed.emit()


def end_session(session: ChatSession) -> None:
    """Close it; what was begun with its chat comes to its end before it is gone."""
    session.close()
    start(_delete(session))


async def _delete(session: ChatSession) -> None:
    await session.come_to_rest()
    session.deleteLater()
