"""FindBar: the field at the top of a transcript that looks for words in one chat."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.labels import make_label
from app.theme.theme import Theme

WIDTH, HEIGHT, FIELD_WIDTH = 340, 42, 170


class FindBar(QFrame):
    """Hidden until `open`; the transcript does the finding and answers through `show_place`."""

    words_changed = Signal(str)  # "" when there are none
    step_asked = Signal(int)  # 1 to the next hit, -1 to the one before
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.field = QLineEdit(self)
        self.count = make_label("", "small", "secondary", self)
        self._earlier = SymbolButton(theme, "chevron-up", "Show the hit before", self)
        self._later = SymbolButton(theme, "chevron-down", "Show the next hit", self)
        self._close = SymbolButton(theme, "close", "Close the search in this chat", self)
        self._lay_out()
        self.field.textChanged.connect(self._take_words)
        self._earlier.clicked.connect(lambda: self.step_asked.emit(-1))
        self._later.clicked.connect(lambda: self.step_asked.emit(1))
        self._close.clicked.connect(self.close_bar)
        theme.tokens_changed.connect(self.update)
        self.hide()

    def _lay_out(self) -> None:
        self.setFixedHeight(HEIGHT)
        self.setMaximumWidth(WIDTH)
        self.field.setAccessibleName("Find in this chat")
        self.field.setPlaceholderText("Find in this chat")
        self.field.setFont(font("interface"))
        self.field.setFixedHeight(28)
        self.field.setMinimumWidth(FIELD_WIDTH)
        row = QHBoxLayout(self)
        row.setContentsMargins(7, 0, 6, 0)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        row.addSpacing(6)
        row.addWidget(self.count)
        row.addSpacing(4)
        for button in (self._earlier, self._later, self._close):
            row.addWidget(button)

    def open(self) -> None:
        """Show it with the words of the last time, ready to be typed over."""
        was_hidden = self.isHidden()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if was_hidden and self.field.text():
            self.words_changed.emit(self.field.text())

    def show_words(self, words: str) -> None:
        """Show it with words that were looked for elsewhere; the keyboard stays where it is."""
        self.field.blockSignals(True)
        self.field.setText(words)
        self.field.blockSignals(False)
        self.show()
        self.raise_()

    def close_bar(self) -> None:
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_place(self, place: int, count: int) -> None:
        """ "3 of 17"; place 0 where no hit is shown."""
        words = f"{max(1, place):,} of {count:,}" if count else "No hits"
        self.count.setText(words if self.field.text() else "")
        for button in (self._earlier, self._later):
            button.setEnabled(count > 0)

    def _take_words(self, words: str) -> None:
        if not words:
            self.show_place(0, 0)
        self.words_changed.emit(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that the field leaves."""
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_bar()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.step_asked.emit(-1 if is_back else 1)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self.step_asked.emit(1 if event.key() == Qt.Key.Key_Down else -1)
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        draw_round(QPainter(self), QRectF(self.rect()), 10, tokens.raised, tokens.line)
