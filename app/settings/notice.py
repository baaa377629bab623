"""Notice: a sentence on a page, with what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPushButton, QWidget

from app.chat.announcing import announce
from app.settings.form import turn
from app.theme.glyphs import draw_round
from app.theme.labels import StartLabel
from app.theme.theme import Theme

LEAST_WORDS = 240  # px of a sentence beside its buttons


class Notice(QFrame):
    """Hidden while there is nothing to say."""

    def __init__(self, theme: Theme, *buttons: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_alert = False
        self.label = StartLabel("")
        self.buttons = buttons
        self._line = line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        line.setContentsMargins(12, 6, 8, 6)
        line.setSpacing(8)
        line.addWidget(self.label, 1)
        for button in buttons:
            line.addWidget(button)
        self.setMinimumHeight(42)
        self.hide()
        theme.tokens_changed.connect(self.update)

    def say(self, sentence: str, *, is_alert: bool = False) -> None:
        """ "" takes it away; `is_alert` is for what lost something."""
        self._is_alert = is_alert
        if sentence != self.label.text():
            self.label.setText(sentence)
            self.setAccessibleName(sentence)
            if is_alert:
                announce(self, sentence, is_urgent=True)
        self.setVisible(bool(sentence))
        self.update()

    def minimumSizeHint(self) -> QSize:
        widest = max((button.minimumSizeHint().width() for button in self.buttons), default=0)
        return QSize(widest + 20, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = sum(button.sizeHint().width() + 8 for button in self.buttons)
        turn(self._line, bool(self.buttons) and beside + LEAST_WORDS > self.width())

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self.label.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        draw_round(QPainter(self), QRectF(self.rect()), 9, tokens.alert_soft if self._is_alert else tokens.sunken)
