"""FocusRing: the ring of keyboard focus, two pixels off the drawing that it surrounds."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme.glyphs import draw_focus_ring
from app.theme.theme import Theme

OFF = 5  # px around the widget: the ring's own two and room before it


class FocusRing(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.tokens_changed.connect(self.update)

    def surround(self, widget: QWidget) -> None:
        """Stand around a widget, among its siblings; around one without a parent there is no room."""
        parent = widget.parentWidget()
        if parent is None:
            return
        if self.parentWidget() is not parent:
            self.setParent(parent)
        self.setGeometry(widget.geometry().adjusted(-OFF, -OFF, OFF, OFF))
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_focus_ring(QPainter(self), self._theme.tokens, QRectF(self.rect()), 7)
