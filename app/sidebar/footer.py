"""Footer of the sidebar: what runs, how fast or with what, and the memory that it takes."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.statistics.chart import draw_beside
from app.theme.buttons import PaintedButton
from app.theme.fonts import TextSize, font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

HEIGHT, SIDE = 76, 18
FIRST_LINE, BAR_TOP = 21, 36  # px from the top to the middle of the words, and to the bar
VERB = "Open the statistics"


class Footer(PaintedButton):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, VERB, parent)
        self._words = ("", "")
        self._bar: QWidget | None = None
        theme.tokens_changed.connect(self._make_room)
        self._make_room()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_bar(self, bar: QWidget) -> None:
        """Place a bar with its words under the first line; who presses it presses the footer."""
        bar.setParent(self)
        bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar = bar
        self._place_bar()
        bar.show()

    def _make_room(self) -> None:
        """Be as high as the text size asks for."""
        self.setFixedHeight(HEIGHT + round(0.3 * (TextSize.percent - 100)))
        self._place_bar()

    def _place_bar(self) -> None:
        if self._bar is not None:
            top = BAR_TOP + round(0.12 * (TextSize.percent - 100))
            self._bar.setGeometry(SIDE, top, self.width() - 2 * SIDE, self._bar.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_bar()

    @property
    def words(self) -> tuple[str, str]:
        return self._words

    def set_words(self, start: str, end: str) -> None:
        if (start, end) != self._words:
            self._words = (start, end)
            said = ", ".join(part for part in (start, end) if part)
            self.setAccessibleName(f"{VERB}: {said}" if said else VERB)
            self.setToolTip(plain_tooltip(end))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        painter.fillRect(QRectF(0, 0, self.width(), 1), QColor(tokens.line))
        room = QRectF(self.rect()).adjusted(6, 7, -6, -6)
        if self.is_hovered:
            draw_round(painter, room, 7, tokens.hover)
        self._paint_words(painter)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, room, 7)

    def _paint_words(self, painter: QPainter) -> None:
        tokens = self.theme.tokens
        start, end = self._words
        strong, plain = QFontMetricsF(font("interface-medium")), QFontMetricsF(font("interface"))
        line = QRectF(SIDE, FIRST_LINE - 15, self.width() - 2 * SIDE, 30)
        start = strong.elidedText(start, Qt.TextElideMode.ElideRight, line.width())
        rest = line.adjusted(strong.horizontalAdvance(start) + 12, 0, 0, 0)
        end = plain.elidedText(end, Qt.TextElideMode.ElideRight, max(0.0, rest.width()))
        is_mirrored = self.isRightToLeft()
        draw_beside(painter, tokens.ink, "interface-medium", start, line, is_at_right=is_mirrored)
        room = mirrored(rest, line, self.layoutDirection())
        draw_beside(painter, tokens.ink2, "interface", end, room, is_at_right=not is_mirrored)
