"""AutomaticCard: the choice that needs none, what it comes to, and the button that measures everything."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.settings.drafters.row_parts import draw_radio
from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

TITLE = "Automatic"
SIDE, START, GAP, TOP, LINE = 16, 44, 16, 13, 19
LEAST_WORDS = 260  # px beside the button; where there is less, the button goes under the words


class AutomaticCard(QWidget):
    """A radio button as wide as the page, with another button on it."""

    def __init__(self, theme: Theme, measure: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = AutomaticChoice(theme, self)
        self.measure = measure
        measure.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.tokens_changed.connect(self.refit)

    def show_choice(self, *, is_chosen: bool, sentence: str) -> None:
        self.choice.show_choice(is_chosen=is_chosen, sentence=sentence)
        self.refit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refit()

    def refit(self) -> None:
        """The button at the end side, or under the words where both have no room side by side."""
        button, width = self.measure.sizeHint(), self.width()
        if self.measure.isHidden():
            button = QSize(0, 0)
        is_beside = width - START - SIDE - GAP - button.width() >= scaled(LEAST_WORDS)
        room = width - START - SIDE - (button.width() + GAP if button.width() and is_beside else 0)
        words = self.choice.set_room(room)
        height = words + (0 if is_beside or not button.width() else button.height() + 10)
        top = (height - button.height()) / 2 if is_beside else words - 4
        place = QRectF(width - SIDE - button.width() if is_beside else START, top, button.width(), button.height())
        self.setFixedHeight(round(height))
        self.choice.setGeometry(0, 0, width, round(height))
        self.measure.setGeometry(mirrored(place, QRectF(self.rect()), self.layoutDirection()).toRect())
        self.measure.raise_()


class AutomaticChoice(PaintedButton):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, f"Use the drafter that suits best: {TITLE}", parent)
        self.setToolTip("")
        self.setCheckable(True)
        self._sentence = ""
        self._room = 0.0

    def nextCheckState(self) -> None:
        """Only what is chosen elsewhere lets go of it."""

    def show_choice(self, *, is_chosen: bool, sentence: str) -> None:
        self.setChecked(is_chosen)
        self._sentence = sentence
        self.setAccessibleDescription(sentence)
        self.update()

    def set_room(self, width: float) -> float:
        """Px for the words; returns how high the card has to be."""
        self._room = width
        return 2 * TOP + scaled(LINE) + self._sentence_rect(0).height()

    def _sentence_rect(self, top: float) -> QRectF:
        metrics = QFontMetricsF(font("interface"))
        most = QRectF(START, top, max(40.0, self._room), 1000)
        return metrics.boundingRect(most, Qt.TextFlag.TextWordWrap.value, self._sentence or " ")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens, whole = QPainter(self), self.theme.tokens, QRectF(self.rect())
        draw_round(painter, whole, 10, tokens.raised, tokens.target if self.isChecked() else tokens.line)
        radio = mirrored(QRectF(SIDE, 0, scaled(18), whole.height()), whole, self.layoutDirection())
        draw_radio(painter, tokens, QPointF(radio.center()), is_chosen=self.isChecked())
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        flags = side.value | Qt.AlignmentFlag.AlignAbsolute.value | Qt.TextFlag.TextWordWrap.value
        title = QRectF(START, TOP, self._room, scaled(LINE))
        painter.setFont(font("interface-strong"))
        painter.setPen(QColor(tokens.ink))
        painter.drawText(mirrored(title, whole, self.layoutDirection()), flags, TITLE)
        words = QRectF(START, title.bottom(), self._room + 1, self._sentence_rect(0).height())
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink2))
        with running_as_written(painter):
            painter.drawText(mirrored(words, whole, self.layoutDirection()), flags, self._sentence)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, whole, 10)
