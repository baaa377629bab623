"""Labels of plain text in one of the type sizes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.theme.fonts import font


def make_label(
    text: str, use: str = "interface", kind: str = "", parent: QWidget | None = None, *, wraps: bool = False
) -> QLabel:
    """`use` names a font; `kind` is "title", "secondary", "caption" or "" for the text's own colour."""
    return _prepared(QLabel(text, parent), use, kind, wraps)


class StartLabel(QLabel):
    """Begins at the start side, whichever way its own words run."""

    def __init__(self, text: str, use: str = "interface", kind: str = "", *, wraps: bool = True) -> None:
        super().__init__(text)
        _prepared(self, use, kind, wraps)
        self._align()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._align()

    def _align(self) -> None:
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        self.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)


def _prepared(label: QLabel, use: str, kind: str, wraps: bool) -> QLabel:
    label.setFont(font(use))
    label.setProperty("kind", kind)
    label.setWordWrap(wraps)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
