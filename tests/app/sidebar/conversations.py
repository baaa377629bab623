"""Conversations that exist in no database."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.conversations.records import Conversation

TODAY = datetime(2026, 11, 20, 12)


def conversation(name: str, days_ago: int = 0, **others: Any) -> Conversation:
    """With its name for id and title, last used some days before TODAY."""
    return Conversation(name, name, "", "", 0.0, TODAY.timestamp() - 86_400 * days_ago, **others)
