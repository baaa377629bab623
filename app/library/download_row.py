"""DownloadRow: one model on its way: bar, speed, time left, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.library.card import start_side
from app.library.download import Download, State
from app.library.title_line import TitleLine
from app.settings.meter import Meter
from app.statistics.sizes import scaled
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.labels import make_label
from app.theme.theme import Theme

SIDE, BAR = 16, 5
NARROW = 460  # px of a row, at the text size of 100 %
_BARS = frozenset((State.ASKING, State.RUNNING, State.CHECKING, State.PAUSED))


class DownloadRow(QWidget):
    buttons_changed = Signal()
    chosen = Signal(str, str)  # key of the download, "Pause", "Cancel" or a remedy

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._download = Download("")
        self._remedies: tuple[str, ...] = ()
        self.is_first = True  # and has no hairline over it
        self.title = TitleLine(theme, self)
        self.bar = Meter(theme, self)
        self.sentence = make_label("", "small", "secondary", self, wraps=True)
        self.pause = SymbolButton(theme, "pause", "Pause", self)
        self.cancel = SymbolButton(theme, "close", "Cancel", self)
        self.buttons: list[QPushButton] = []
        self._ends = QHBoxLayout()
        self._row = QHBoxLayout(self)
        self.bar.setFixedHeight(BAR)
        self.pause.clicked.connect(lambda: self.chosen.emit(self._download.key, "Pause"))
        self.cancel.clicked.connect(lambda: self.chosen.emit(self._download.key, "Cancel"))
        self._lay_out()
        theme.tokens_changed.connect(self.update)

    def _lay_out(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(5)
        for part in (self.title, self.bar, self.sentence):
            column.addWidget(part)
        self._ends.setSpacing(6)
        self._ends.addStretch(1)
        self._ends.addWidget(self.pause)
        self._ends.addWidget(self.cancel)
        self._row.setContentsMargins(SIDE, 12, 10, 12)
        self._row.setSpacing(16)
        self._row.addLayout(column, 1)
        self._row.addLayout(self._ends)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What the keyboard goes through."""
        return (*self.buttons, self.pause, self.cancel)

    def show_download(self, download: Download) -> None:
        if download == self._download:
            return
        self._download = download
        name = f"{download.name} {download.quantisation}".strip()
        self.title.show_title(download.name, download.quantisation, download.amount)
        self.bar.setVisible(download.state in _BARS and download.total_bytes > 0)
        self.bar.show_share(download.done_bytes, download.total_bytes, f"{name}: {download.amount} downloaded")
        self.sentence.setText(download.sentence)
        self.sentence.setAlignment(start_side(self))
        self.pause.setVisible(download.can_pause)
        _rename(self.pause, f"Pause the download of {name}")
        _rename(self.cancel, f"Cancel the download of {name}")
        self.setAccessibleName(", ".join(part for part in (name, download.amount, download.sentence) if part))
        self._offer(download.remedies, name)
        self._tint()

    def _offer(self, remedies: tuple[str, ...], name: str) -> None:
        if remedies == self._remedies:
            return
        had_focus = any(part.hasFocus() for part in self.stops)
        self._remedies = remedies
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = [self._make_button(words, name) for words in remedies]
        for place, button in enumerate(self.buttons):
            self._ends.insertWidget(place + 1, button)
            button.show()
        self._place()
        self.buttons_changed.emit()
        if had_focus:  # it stays in the row where its button has gone
            (self.buttons[0] if self.buttons else self.cancel).setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_button(self, words: str, name: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setProperty("kind", "plain")
        button.setFont(font("interface-medium"))
        button.setAccessibleName(f"{words}: {name}")
        button.clicked.connect(lambda: self.chosen.emit(self._download.key, words))
        return button

    def _tint(self) -> None:
        kind = "alert" if self._download.state is State.FAILED else "secondary"
        if self.sentence.property("kind") != kind:
            self.sentence.setProperty("kind", kind)
            self.sentence.style().polish(self.sentence)

    def _place(self) -> None:
        """Buttons with words go under the sentence where they would squeeze it."""
        is_narrow = self.width() < scaled(NARROW) and bool(self._remedies)
        direction = QHBoxLayout.Direction.TopToBottom if is_narrow else QHBoxLayout.Direction.LeftToRight
        self._row.setDirection(direction)
        self._row.setSpacing(8 if is_narrow else 16)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_first:
            QPainter(self).fillRect(0, 0, self.width(), 1, QColor(self._theme.tokens.line))


def _rename(button: SymbolButton, name: str) -> None:
    button.setAccessibleName(name)
    button.setToolTip(name)
