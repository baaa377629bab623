"""Keys and clicks that are taken at once: QTest would let coroutines run outside of their loop."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

NO_MODIFIER = Qt.KeyboardModifier.NoModifier


def press(widget: QWidget, key: Qt.Key) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, NO_MODIFIER))


def click(widget: QWidget, place: QPointF) -> None:
    on_screen, left = QPointF(widget.mapToGlobal(place)), Qt.MouseButton.LeftButton
    pressed = QMouseEvent(QEvent.Type.MouseButtonPress, place, on_screen, left, left, NO_MODIFIER)
    released = QMouseEvent(QEvent.Type.MouseButtonRelease, place, on_screen, left, Qt.MouseButton.NoButton, NO_MODIFIER)
    QApplication.sendEvent(widget, pressed)
    QApplication.sendEvent(widget, released)
