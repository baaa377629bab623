"""Keys that write, told from those that ask for something."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_NO_TEXT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
if sys.platform != "darwin":  # where Option writes letters
    _NO_TEXT |= Qt.KeyboardModifier.AltModifier


def is_typed(event: QKeyEvent) -> bool:
    """Whether a key writes something that is seen; the space bar presses buttons and opens rows."""
    return bool(event.text().strip()) and event.text().isprintable() and not event.modifiers() & _NO_TEXT
