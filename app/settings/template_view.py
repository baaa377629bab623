"""TemplateView: a rendered prompt, read-only, in which the turns' texts and the control tokens can be told apart."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from app.chat.blocks.units import UnitPlaces
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.theme import Theme
from app.theme.tokens import Tokens
from engine.messages import PromptSpan, RenderedPrompt

KINDS = (("system", "System"), ("user", "You"), ("assistant", "Reply"), ("control", "Control tokens"))


def ground_of(tokens: Tokens, kind: str) -> str:
    """Behind a part; "" for none."""
    return {"system": tokens.hover, "user": tokens.target_soft, "assistant": tokens.sunken}.get(kind, "")


class TemplateView(QPlainTextEdit):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._spans: tuple[PromptSpan, ...] = ()
        self.setReadOnly(True)
        self.setProperty("kind", "field")
        self.setFont(font("code"))
        self.setAccessibleName("Preview of the prompt")
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        theme.tokens_changed.connect(self._mark)

    def show_prompt(self, prompt: RenderedPrompt) -> None:
        if prompt.text != self.toPlainText():
            place = self.verticalScrollBar().value()
            self.setPlainText(prompt.text)
            self.verticalScrollBar().setValue(place)
        self._spans = prompt.spans
        self._mark()

    def _mark(self) -> None:
        units = UnitPlaces(self.toPlainText())
        self.setExtraSelections([self._selection(span, units) for span in self._spans])

    def _selection(self, span: PromptSpan, units: UnitPlaces) -> QTextEdit.ExtraSelection:
        tokens, look = self._theme.tokens, QTextCharFormat()
        if span.kind == "control":
            look.setForeground(QColor(tokens.code_attribute))
        if ground := ground_of(tokens, span.kind):
            look.setBackground(QColor(ground))
        cursor = QTextCursor(self.document())
        cursor.setPosition(units.of(span.start))
        cursor.setPosition(units.of(span.end), QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, look
        return selection


class Legend(QWidget):
    """What the marks of a TemplateView stand for."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Marked are the system prompt, your messages, replies and control tokens")
        theme.tokens_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(font("small"))
        return QSize(round(sum(metrics.horizontalAdvance(words) + 30 for _, words in KINDS)), scaled(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self._theme.tokens
        metrics, left, middle = QFontMetricsF(font("small")), 0.0, self.height() / 2
        painter.setFont(font("small"))
        for kind, words in KINDS:
            is_control = kind == "control"
            width = metrics.horizontalAdvance(words) + 12
            if not is_control:
                place = QRectF(left, middle - scaled(9), width, scaled(18))
                draw_round(painter, place, 4, ground_of(tokens, kind), tokens.line)
            painter.setPen(QColor(tokens.code_attribute if is_control else tokens.ink2))
            painter.drawText(QRectF(left, 0, width, self.height()), Qt.AlignmentFlag.AlignCenter, words)
            left += width + 8
