"""Tells a screen reader what has happened, politely: when it has come to a pause."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, words: str) -> None:
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))
