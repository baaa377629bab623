"""Parts of a painted row: words, a radio button, a button and a bar, each at its place from the start."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from app.settings.drafters.columns import Columns, Span
from app.settings.drafters.rows import Act, Row
from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_dot, draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.tokens import Tokens

BUTTON, PAD, SQUARE, RADIO = 28, 12, 8, 8.5  # px: a button's height and sides, Stop's square, a radio's radius
AGAIN = "Measure again"


@dataclass(frozen=True, slots=True)
class Canvas:
    """A row that is being painted."""

    painter: QPainter
    tokens: Tokens
    whole: QRectF
    columns: Columns

    def place(self, span: Span, height: float = 0.0) -> QRectF:
        """In the middle of the row; as high as it, where no height is given."""
        tall = height or self.whole.height()
        top = self.whole.center().y() - tall / 2
        rect = QRectF(self.whole.left() + span.start, top, span.width, tall)
        return mirrored(rect, self.whole, self.painter.layoutDirection())

    def words(self, span: Span, words: str, use: str, colour: str, *, at_end: bool = False, drop: float = 0.0) -> float:
        """One line, cut where it is too long; returns where it ends, from the row's start."""
        metrics = QFontMetricsF(font(use))
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, span.width + 1)
        is_right = at_end != (self.painter.layoutDirection() == Qt.LayoutDirection.RightToLeft)
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self.painter.setFont(font(use))
        self.painter.setPen(QColor(getattr(self.tokens, colour)))
        place = self.place(span).translated(0, drop)
        with running_as_written(self.painter):
            self.painter.drawText(place, flags, shown)
        return span.start + metrics.horizontalAdvance(shown)

    def wrapped(self, span: Span, words: str, use: str, colour: str) -> None:
        """Two lines at most."""
        metrics = QFontMetricsF(font(use))
        shown = words
        if metrics.horizontalAdvance(words) > 1.8 * span.width:
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, 1.8 * span.width)
        is_right = self.painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        flags = side.value | Qt.AlignmentFlag.AlignAbsolute.value | Qt.AlignmentFlag.AlignVCenter.value
        self.painter.setFont(font(use))
        self.painter.setPen(QColor(getattr(self.tokens, colour)))
        place = self.place(span)
        with running_as_written(self.painter):
            self.painter.drawText(place, flags | Qt.TextFlag.TextWordWrap.value, shown)

    def radio(self, *, is_chosen: bool, is_faint: bool = False) -> None:
        centre = self.place(self.columns.radio).center()
        draw_radio(self.painter, self.tokens, centre, is_chosen=is_chosen, is_faint=is_faint)

    def button(self, rect: QRectF, words: str, *, is_warm: bool, is_focused: bool) -> None:
        draw_round(self.painter, rect, 7, self.tokens.hover if is_warm else self.tokens.raised, self.tokens.line)
        self.painter.setFont(font("interface-medium"))
        self.painter.setPen(QColor(self.tokens.ink))
        self.painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)
        if is_focused:
            draw_focus_ring(self.painter, self.tokens, rect, 7)

    def stop(self, rect: QRectF, *, is_warm: bool, is_focused: bool) -> None:
        if is_warm:
            draw_round(self.painter, rect, 7, self.tokens.hover)
        square = QRectF(0, 0, SQUARE, SQUARE)
        square.moveCenter(rect.center())
        draw_round(self.painter, square, 2, self.tokens.ink2)
        if is_focused:
            draw_focus_ring(self.painter, self.tokens, rect, 7)

    def bar(self, span: Span, share: float) -> None:
        rect = self.place(span, 4)
        draw_round(self.painter, rect, 2, self.tokens.hover)
        done = QRectF(rect.left(), rect.top(), rect.width() * share, rect.height())
        if share:
            draw_round(self.painter, mirrored(done, rect, self.painter.layoutDirection()), 2, self.tokens.target)


def draw_radio(painter: QPainter, tokens: Tokens, centre: QPointF, *, is_chosen: bool, is_faint: bool = False) -> None:
    if is_chosen:
        draw_dot(painter, tokens.target, centre, RADIO)
        draw_dot(painter, tokens.on_target, centre, RADIO * 0.42)
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.edge), 1.5))
    painter.setOpacity(0.45 if is_faint else 1.0)
    painter.drawEllipse(centre, RADIO - 0.75, RADIO - 0.75)
    painter.restore()


def button_words(row: Row) -> str:
    return AGAIN if row.act is Act.MEASURE and row.alone and not row.is_old else row.act.value


def button_span(row: Row, columns: Columns) -> Span:
    """Where the button of a row is; it has no width where the row has none, or no room for it."""
    if row.act is Act.NONE or not columns.measured.width:
        return Span(columns.measured.end, columns.measured.end)
    if row.act is Act.STOP:
        return Span(columns.measured.end + 10 - scaled(BUTTON), columns.measured.end + 10)
    width = QFontMetricsF(font("interface-medium")).horizontalAdvance(button_words(row)) + 2 * PAD
    return Span(columns.measured.end - width, columns.measured.end)
