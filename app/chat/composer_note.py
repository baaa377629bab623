"""ComposerNote: a sentence above what is written, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.chat.announcing import announce
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

SIDE = 12
MIN_HEIGHT = 42
SYMBOL_SIDE = 38
NARROW = 260  # px; a sentence in less is a column of single words


class ComposerNote(QFrame):
    """Hidden while there is nothing to say; a screen reader is told what it says."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_alert = False
        self._do: Callable[[], object] = lambda: None
        self._label = QLabel(self)
        self._label.setFont(font("interface"))
        self._label.setProperty("kind", "secondary")
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = QPushButton(self)
        self.button.setAccessibleName("Follow this note")
        self.button.setProperty("kind", "plain")
        self.button.setFont(font("interface-medium"))
        self.close_button = SymbolButton(theme, "close", "Close this note", self)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(4)
        self._buttons.addStretch(1)
        self._buttons.addWidget(self.button)
        self._buttons.addWidget(self.close_button)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(SIDE, 5, 5, 5)
        self._row.setSpacing(8)
        self._row.addWidget(self._label, 1)
        self._row.addLayout(self._buttons)
        self.button.clicked.connect(self._press)
        self.close_button.clicked.connect(self.hide)
        theme.tokens_changed.connect(self.update)
        self.setMinimumHeight(MIN_HEIGHT)
        self.hide()

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._label.text()

    def tell(
        self,
        sentence: str,
        offer: str = "",
        do: Callable[[], object] | None = None,
        *,
        is_alert: bool = False,
        can_close: bool = True,
    ) -> None:
        """Show a sentence, and a button that ends the note and does what it says."""
        if sentence == self.text and offer == self.button.text():
            return
        self._is_alert, self._do = is_alert, do or self._do
        self._label.setText(sentence)
        self._label.setProperty("kind", "title" if is_alert else "secondary")
        self._label.style().polish(self._label)
        top = self._row.contentsMargins().top()
        self._row.setContentsMargins(SYMBOL_SIDE if is_alert else SIDE, top, 5, 5)
        self.button.setText(offer)
        self.button.setAccessibleName(offer)
        self.button.setVisible(bool(offer))
        self.close_button.setVisible(can_close)
        self.show()
        self.update()
        announce(self, sentence, is_urgent=is_alert)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window a long button stands under the sentence."""
        super().resizeEvent(event)
        is_narrow = not self.button.isHidden() and self.width() < NARROW + self.button.sizeHint().width()
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)
        margins = self._row.contentsMargins()
        self._row.setContentsMargins(margins.left(), 9 if is_narrow else 5, margins.right(), 5)

    def _press(self) -> None:
        self.hide()
        self._do()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        ground = QRectF(self.rect())
        draw_round(painter, ground, 9, tokens.alert_soft if self._is_alert else tokens.sunken)
        if self._is_alert:
            draw_symbol(painter, "warning", tokens.alert, QRectF(SIDE, ground.center().y() - 8, 16, 16))
