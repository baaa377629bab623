"""Conversations that exist in no database, and a sidebar that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pytestqt.qtbot import QtBot

from app.conversations.records import Conversation
from app.sidebar.panel import Sidebar
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.theme.tokens import LIGHT, Tokens

TODAY = datetime(2026, 11, 20, 12)


def conversation(name: str, days_ago: int = 0, **others: Any) -> Conversation:
    """With its name for id and title, last used some days before TODAY."""
    return Conversation(name, name, "", "", 0.0, TODAY.timestamp() - 86_400 * days_ago, **others)


def shown_sidebar(qtbot: QtBot, chats: Sequence[Conversation], tokens: Tokens = LIGHT) -> Sidebar:
    """The sidebar in a window of its own, with these chats."""
    theme = Theme()
    theme.apply(tokens)
    sidebar = Sidebar(theme, Pulse())
    qtbot.addWidget(sidebar)
    sidebar.resize(256, 700)
    sidebar.show()
    sidebar.show_conversations(tuple(chats))
    return sidebar
