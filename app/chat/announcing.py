"""What a screen reader is told beside what has the focus."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, sentence: str, *, is_urgent: bool = False) -> None:
    """Have a sentence read: after what is being read, or at once where something was lost."""
    event = QAccessibleAnnouncementEvent(widget, sentence)
    if is_urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
