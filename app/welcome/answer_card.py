"""AnswerCard: the models that may answer, one of them chosen, as rows of one card."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from app.statistics.sizes import scaled
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.theme import Theme
from app.welcome.answers import ModelAnswer

ROW = 62  # px at 100 %
SIDE, TEXT, GAP, DISC = 18.0, 48.0, 12.0, 16.0


class AnswerCard(QFrame):
    chosen = Signal(str)  # a target

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[AnswerRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.setAccessibleName("Answer with")
        theme.tokens_changed.connect(self.update)

    def show_answers(self, answers: Sequence[ModelAnswer]) -> None:
        while len(self.rows) > len(answers):
            self.rows.pop().deleteLater()
        while len(self.rows) < len(answers):
            row = AnswerRow(self._theme, self)
            row.clicked.connect(lambda checked=False, row=row: self.chosen.emit(row.answer.target))
            self._column.addWidget(row)
            self.rows.append(row)
        for place, (row, answer) in enumerate(zip(self.rows, answers, strict=True)):
            row.show_answer(answer, has_line=place > 0)

    def show_most(self, num_rows: int) -> None:
        """Only so many, the chosen one among them."""
        num_others = num_rows - any(row.answer.is_chosen for row in self.rows)
        others = [row for row in self.rows if not row.answer.is_chosen]
        for row in self.rows:
            row.setVisible(row.answer.is_chosen or row in others[:num_others])

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        draw_round(QPainter(self), QRectF(self.rect()), 10, tokens.raised, tokens.line)


class AnswerRow(PaintedButton):
    """A radio button with two lines; arrow keys go to the next one, the space bar chooses it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.answer = ModelAnswer("", "", "", "")
        self._has_line = False
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_answer(self, answer: ModelAnswer, *, has_line: bool) -> None:
        self.answer, self._has_line = answer, has_line
        self.setChecked(answer.is_chosen)
        name = f"{answer.name} {answer.quantisation}".rstrip()
        self.setAccessibleName(f"Answer with {name}: {answer.at_end}" if answer.at_end else f"Answer with {name}")
        self.setAccessibleDescription(answer.words)
        self.setToolTip("")
        self.updateGeometry()
        self.update()

    def nextCheckState(self) -> None:
        """The chooser says which one is chosen."""

    def sizeHint(self) -> QSize:
        return QSize(scaled(320), scaled(ROW))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, scaled(ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens, rect = QPainter(self), self.theme.tokens, QRectF(self.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # as each text begins
        if self.is_hovered and not self.isChecked():
            draw_round(painter, rect.adjusted(4, 4, -4, -4), 7, tokens.hover)
        if self._has_line:
            painter.fillRect(QRectF(1, 0, rect.width() - 2, 1), QColor(tokens.line))
        self._paint_disc(painter, rect)
        metrics = QFontMetricsF(font("interface"))
        width = metrics.horizontalAdvance(self.answer.at_end) + 1 if self.answer.at_end else 0.0
        end = QRectF(rect.right() - SIDE - width, rect.top(), width, rect.height())
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.target if self.answer.is_loaded else tokens.ink2))
        painter.drawText(self._mirrored(end), Qt.AlignmentFlag.AlignCenter, self.answer.at_end)
        self._paint_words(painter, end.left() - GAP)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect.adjusted(3, 3, -3, -3), 8)

    def _paint_disc(self, painter: QPainter, rect: QRectF) -> None:
        tokens = self.theme.tokens
        place = self._mirrored(QRectF(SIDE, rect.center().y() - DISC / 2, DISC, DISC))
        if self.isChecked():
            draw_round(painter, place, DISC / 2, tokens.target)
            draw_round(painter, place.adjusted(5, 5, -5, -5), 3, tokens.on_target)
        else:
            draw_round(painter, place, DISC / 2 - 0.5, None, tokens.edge)

    def _paint_words(self, painter: QPainter, right: float) -> None:
        tokens, answer = self.theme.tokens, self.answer
        strong, small = QFontMetricsF(font("interface-medium")), QFontMetricsF(font("small"))
        middle = self.height() / 2
        name = strong.elidedText(answer.name, Qt.TextElideMode.ElideRight, right - TEXT)
        top, below = middle - strong.height() - 1, middle + 2
        left = TEXT
        parts = ((name, "interface-medium", tokens.ink), (answer.quantisation, "small", tokens.ink3))
        for words, use, colour in parts:
            width = QFontMetricsF(font(use)).horizontalAdvance(words) + 1
            if left + width <= right:
                self._write(painter, QRectF(left, top, width, strong.height()), words, use, colour)
            left += width + 6
        words = small.elidedText(answer.words, Qt.TextElideMode.ElideRight, right - TEXT)
        width = small.horizontalAdvance(words) + 1
        self._write(painter, QRectF(TEXT, below, width, small.height()), words, "small", tokens.ink2)

    def _write(self, painter: QPainter, place: QRectF, words: str, use: str, colour: str) -> None:
        painter.setFont(font(use))
        painter.setPen(QColor(colour))
        painter.drawText(self._mirrored(place), Qt.AlignmentFlag.AlignCenter, words)

    def _mirrored(self, place: QRectF) -> QRectF:
        return mirrored(place, QRectF(self.rect()), self.layoutDirection())
