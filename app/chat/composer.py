"""Composer: where a message is written, with the choices that hold for the next reply."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from app.chat.chips import Chip, SendButton
from app.chat.field import Field
from app.chat.queued import Queued
from app.drafters import DEFAULT_DRAFTER, DRAFTER_WORDS, DRAFTERS, drafter_name
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

NARROW = 520  # px; below it the chips say less


def is_blank(text: str) -> bool:
    """Whether nothing in a text can be seen: spaces, controls, zero-width characters."""
    return all(character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Zs") for character in text)


class Composer(QFrame):
    sent = Signal(str)
    stop_requested = Signal()
    drafter_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_busy = False
        self._drafter = DEFAULT_DRAFTER
        self._with_paths: dict[str, None] = {}  # drafters that the chat has had and no list names, oldest first
        self._last_sent = ""
        self._model = ("", "")
        self.field = Field(self)
        self.queued = Queued(theme, self)
        self.model_chip = Chip(theme, "model", "Model", parent=self)
        self.drafter_chip = Chip(theme, "drafter", "Choose the drafter", "draft", self)
        self.hint = QLabel(self)
        self.send_button = SendButton(theme, self)
        self._lay_out()
        self._connect()
        self.set_busy(False)

    def _lay_out(self) -> None:
        self.hint.setFont(font("small"))
        self.hint.setProperty("kind", "caption")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.model_chip)
        row.addWidget(self.drafter_chip)
        row.addStretch(1)
        row.addWidget(self.hint)
        row.addSpacing(8)
        row.addWidget(self.send_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 12, 10, 7)
        column.setSpacing(6)
        text = QVBoxLayout()
        text.setContentsMargins(8, 0, 0, 0)
        text.setSpacing(8)
        text.addWidget(self.queued, 0, Qt.AlignmentFlag.AlignLeft)
        text.addWidget(self.field)
        column.addLayout(text)
        column.addLayout(row)

    def _connect(self) -> None:
        self.field.submitted.connect(self._submit)
        self.field.escaped.connect(self._escape)
        self.field.recalled.connect(lambda: self.field.replace_text(self._last_sent))
        self.field.textChanged.connect(self._refresh_button)
        self.field.installEventFilter(self)
        self.send_button.clicked.connect(self._press)
        self.queued.taken_back.connect(self._take_back)
        self.drafter_chip.clicked.connect(self.open_drafters)
        self.model_chip.clicked.connect(self._open_model)
        self._theme.tokens_changed.connect(self.update)

    # State, as the tab tells it

    def set_busy(self, is_busy: bool) -> None:
        """While a reply runs the button stops it, and what is sent waits for its end."""
        self._is_busy = is_busy
        self.send_button.set_stop(is_busy)
        words = "Write a follow-up. It is sent when this reply ends." if is_busy else "Ask something"
        self.field.setPlaceholderText(words)
        self.field.viewport().update()  # Qt repaints only where the words come or go
        self._refresh_button()

    def set_model(self, name: str, quantisation: str = "") -> None:
        self._model = (name, quantisation)
        self.model_chip.set_words(name or "No model", quantisation)

    def set_drafter(self, drafter: str) -> None:
        self._drafter = drafter
        if drafter not in DRAFTERS:
            self._with_paths[drafter] = None
        self.drafter_chip.set_words(drafter_name(drafter))

    def put_back(self, text: str) -> None:
        """Give a text that was not sent back to its writer, before anything typed since."""
        typed = self.field.toPlainText()
        self.field.replace_text(f"{text}\n{typed}" if typed else text)

    def unsent(self) -> str:
        """What waits for replies to end, then what is written."""
        return "\n".join(text for text in (*self.queued.texts, self.field.toPlainText()) if text)

    def take_queued(self) -> str:
        """All that waited for replies to end, as one text, or ""."""
        return self.queued.take_all()

    def take_next(self) -> str:
        """What is to be sent at the end of this reply, or ""."""
        return self.queued.take_next()

    # What the user does

    def _submit(self) -> None:
        text = self.field.toPlainText()
        if is_blank(text):
            return
        if self._is_busy:
            self.queued.add(text, self.field)
        else:
            self.sent.emit(text)
        self._last_sent = text
        self.field.replace_text("")

    def _press(self) -> None:
        if self._is_busy:
            self.stop_requested.emit()
        else:
            self._submit()
        self.field.setFocus()

    def _escape(self) -> None:
        if self._is_busy:
            self.stop_requested.emit()

    def _take_back(self, text: str) -> None:
        self.put_back(text)
        self.field.setFocus()

    def _refresh_button(self) -> None:
        has_text = self.field.document().characterCount() > 1
        self.send_button.setEnabled(self._is_busy or (has_text and not is_blank(self.field.toPlainText()[:4096])))

    def open_drafters(self) -> None:
        menu = QMenu("Drafter", self)
        menu.setToolTipsVisible(True)
        for drafter in (*DRAFTERS, *self._with_paths):
            action = menu.addAction(drafter_name(drafter))
            action.setCheckable(True)
            action.setChecked(drafter == self._drafter)
            action.setToolTip(DRAFTER_WORDS.get(drafter, drafter))
            action.triggered.connect(lambda checked=False, chosen=drafter: self._choose(chosen))
        menu.addSeparator()
        menu.addAction("The choice is for this tab, from the next reply.").setEnabled(False)
        self._pop_up(menu, self.drafter_chip)

    def _choose(self, drafter: str) -> None:
        self.set_drafter(drafter)
        self.drafter_chosen.emit(drafter)

    def _open_model(self) -> None:
        menu = QMenu("Model", self)
        name, quantisation = self._model
        action = menu.addAction(f"{name or 'No model'}  {quantisation}".rstrip())
        action.setCheckable(True)
        action.setChecked(bool(name))
        self._pop_up(menu, self.model_chip)

    def _pop_up(self, menu: QMenu, chip: Chip) -> None:
        """Open a menu above its chip, without waiting for it."""
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(chip.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))

    # Look

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW
        self.model_chip.set_short(is_narrow)
        self.hint.setVisible(not is_narrow)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        border = tokens.target if self.field.hasFocus() else tokens.line
        draw_round(QPainter(self), QRectF(self.rect()), 14, tokens.raised, border)
