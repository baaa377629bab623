"""Labels of plain text in one of the type sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.theme.fonts import font


def make_label(
    text: str, use: str = "interface", kind: str = "", parent: QWidget | None = None, *, wraps: bool = False
) -> QLabel:
    """`use` names a font; `kind` is "title", "secondary", "caption" or "" for the text's own colour."""
    label = QLabel(text, parent)
    label.setFont(font(use))
    label.setProperty("kind", kind)
    label.setWordWrap(wraps)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
