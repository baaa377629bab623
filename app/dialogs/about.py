"""AboutSheet: which Slipstream this is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from app.system.machine import PLACE, program_version
from app.theme.fonts import font
from app.theme.labels import make_label
from app.theme.symbols import app_pixmap

WIDTH, SIDE, ICON = 360, 28, 76
PROMISE = f"It answers from {PLACE}: no account, no telemetry, no open port."


def version_words() -> str:
    """Such as "Version 0.1.0"; where it is not installed, there is no number."""
    number = program_version()
    return f"Version {number}" if number else "Not installed, run from its source"


class AboutSheet(QDialog):
    """Goes when it is closed; Esc closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About Slipstream")
        icon = QLabel(self)
        icon.setPixmap(app_pixmap(ICON, self.devicePixelRatioF()))
        close = QPushButton("Close", self)
        close.setProperty("kind", "plain")
        close.setFont(font("interface-medium"))
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, SIDE, SIDE, 20)
        column.setSpacing(8)
        middle = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(icon, 0, middle)
        column.addWidget(make_label("Slipstream", "page-title", "title", self), 0, middle)
        column.addWidget(make_label(version_words(), "interface", "secondary", self), 0, middle)
        promise = make_label(f"{PROMISE} MIT License.", "interface", "secondary", self, wraps=True)
        promise.setAlignment(middle)
        column.addWidget(promise)
        column.addSpacing(12)
        column.addWidget(close, 0, middle)
        self.setFixedWidth(WIDTH)
