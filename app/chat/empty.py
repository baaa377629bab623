"""What an empty tab shows: the welcome at the first start, afterwards only what will answer."""

from __future__ import annotations

import sys

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.model_chooser import ModelChooser
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.symbols import app_pixmap
from app.theme.theme import Theme

PLACE = "this Mac" if sys.platform == "darwin" else "this computer"
TITLE = f"Ask something. It answers from {PLACE}."
STORY = (
    "A small drafter runs ahead of the model and guesses the next words; the model checks them and keeps those that "
    "it would have written itself. The text stays the same, and you see how many guesses were kept."
)
STARTER_WORDS = "Came with Slipstream. Quick, for trying things out; often wrong on facts."
COLUMN = 720
LOW, LOWER = 400, 280  # px of height
ICON, ICON_MARGIN = 76, 9  # px; icon.svg keeps the system's margin, which would indent it


class EmptyPage(QWidget):
    def __init__(self, theme: Theme, chooser: ModelChooser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_first = False
        self._icon = QLabel(self)
        self._title = _label(TITLE, "first-title", "title")
        self._story = _label(STORY, "reply", "secondary")
        self._caption = _label("Answer with", "heading", "title")
        self._card = ModelCard(theme, chooser, self)
        self._foot = _label("No account, no telemetry, no open port.", "interface", "caption")
        self._plain = _label("", "interface", "secondary")
        self._chooser = chooser
        self._icon.setPixmap(self._trimmed_icon())
        self._lay_out()
        self._welcome = (self._icon, self._title, self._story, self._caption, self._card, self._foot)
        chooser.changed.connect(self._refresh)
        self.show_welcome(False)
        self._refresh()

    def _lay_out(self) -> None:
        inner = QVBoxLayout()
        inner.setSpacing(0)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addStretch(3)
        for widget, space in ((self._icon, 20), (self._title, 8), (self._story, 26), (self._caption, 10)):
            inner.addWidget(widget)
            inner.addSpacing(space)
        inner.addWidget(self._card)
        inner.addSpacing(12)
        inner.addWidget(self._foot, 0, Qt.AlignmentFlag.AlignRight)
        inner.addWidget(self._plain, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addStretch(4)
        holder = QWidget(self)
        holder.setLayout(inner)
        holder.setMaximumWidth(COLUMN)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(20, 0, 20, 0)
        outer.addStretch(1)
        outer.addWidget(holder, 1000)
        outer.addStretch(1)

    def _trimmed_icon(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        whole = app_pixmap(ICON + 2 * ICON_MARGIN, ratio)
        start, size = round(ICON_MARGIN * ratio), round(ICON * ratio)
        return whole.copy(start, start, size, size)

    def show_welcome(self, is_first: bool) -> None:
        self._is_first = is_first
        for widget in self._welcome:
            widget.setVisible(is_first)
        self._plain.setVisible(not is_first)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """In a low window the picture goes first, then the story."""
        self._icon.setVisible(self._is_first and self.height() >= LOW)
        self._story.setVisible(self._is_first and self.height() >= LOWER)

    def _refresh(self) -> None:
        name = f"{self._chooser.name} {self._chooser.quantisation}".rstrip()
        self._plain.setText(self._chooser.words or f"{name} answers here.")


def _label(text: str, use: str, kind: str) -> QLabel:
    label = QLabel(text)
    label.setFont(font(use))
    label.setProperty("kind", kind)
    label.setWordWrap(use in ("first-title", "reply"))
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


class ModelCard(QWidget):
    """The model that answers, as a painted row."""

    def __init__(self, theme: Theme, chooser: ModelChooser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chooser = chooser
        self.setMinimumHeight(64)
        chooser.changed.connect(self._refresh)
        theme.tokens_changed.connect(self.update)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(COLUMN, 64)

    @property
    def _state(self) -> str:
        if self._chooser.error:
            return "Not loaded"
        return "Loaded" if self._chooser.is_loaded else "Loading"

    def _refresh(self) -> None:
        self.setAccessibleName(f"{self._chooser.name}: {self._state}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        draw_round(painter, QRectF(self.rect()), 10, tokens.raised, tokens.line)
        middle = self.height() / 2
        draw_round(painter, QRectF(18, middle - 8, 16, 16), 8, tokens.target)
        draw_round(painter, QRectF(23, middle - 3, 6, 6), 3, tokens.on_target)
        state = self._state
        metrics = QFontMetricsF(font("interface"))
        right = self.width() - 18 - metrics.horizontalAdvance(state)
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.target if state == "Loaded" else tokens.ink2))
        painter.drawText(QPointF(right, middle + metrics.capHeight() / 2), state)
        self._paint_words(painter, right - 12)

    def _paint_words(self, painter: QPainter, right: float) -> None:
        tokens = self._theme.tokens
        middle = self.height() / 2
        strong, small = QFontMetricsF(font("interface-medium")), QFontMetricsF(font("small"))
        painter.setFont(font("interface-medium"))
        painter.setPen(QColor(tokens.ink))
        painter.drawText(QPointF(48, middle - 5), self._chooser.name)
        painter.setFont(font("small"))
        painter.setPen(QColor(tokens.ink3))
        left = 48 + strong.horizontalAdvance(self._chooser.name) + 6
        painter.drawText(QPointF(left, middle - 5), self._chooser.quantisation)
        words = STARTER_WORDS if self._chooser.is_starter else self._chooser.target
        painter.setPen(QColor(tokens.ink2))
        shown = small.elidedText(words, Qt.TextElideMode.ElideRight, right - 48)
        painter.drawText(QPointF(48, middle + 15), shown)
