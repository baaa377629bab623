"""CacheDialog: what the prompt cache holds and may hold, and the button that clears it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.bridge import EngineBridge
from app.chat.notes import Note, NoteBar
from app.figures import write_bytes, write_count
from app.settings.meter import Meter
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.theme import Theme
from app.tooltips import plain_tooltip
from engine.messages import Answer, CacheReport, ClearCache, DescribeCache, Event, Failed

REFRESH_MILLISECONDS = 1000
WIDTH, SIDE = 460, 24
PURPOSE = "What a model has read is kept on disk, so that an old chat goes on without being read again."
QUESTION = "Clear the prompt cache? Chats stay. Each is read again when it goes on."
READ_ONLY = "Another program uses this prompt cache: what it holds is used, and nothing is added or removed."


def facts_of(report: CacheReport) -> dict[str, str]:
    """What is said of a report line by line, under each line's name."""
    return {
        "In memory": _write_share(report.memory_bytes, report.memory_limit_bytes),
        "Written today": _write_share(report.written_today_bytes, report.daily_limit_bytes),
        "Chats": write_count(sum(one.num_bytes > 0 for one in report.conversations)),
        "Folder": report.folder or "none",
    }


def sentence_of(report: CacheReport) -> str:
    """Why nothing is saved; "" where all is well."""
    return report.problem or (READ_ONLY if report.is_read_only else "")


class CacheDialog(QDialog):
    """Asks the engine once a second while it is open."""

    def __init__(self, theme: Theme, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bridge = bridge
        self._request_id = 0  # of the question that is not answered yet
        self._used = _label("big-number")
        self._of_budget = _label("interface", "secondary")
        self._meter = Meter(theme, self)
        self._facts = {name: FactLabel() for name in facts_of(CacheReport())}
        self._note = NoteBar(theme, self)
        self._sentence = ""
        self._question = _label("interface", text=QUESTION, wraps=True)
        self._buttons = {name: self._make_button(name) for name in ("Clear…", "Close", "Clear", "Keep")}
        self._column = QVBoxLayout(self)
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MILLISECONDS)
        self._timer.timeout.connect(self._ask)
        self.setWindowTitle("Prompt cache")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._lay_out()
        self._connect()
        self.resize(WIDTH, 0)
        self.ask_first(False)
        self._ask()
        self._timer.start()

    def _make_button(self, name: str) -> QPushButton:
        button = QPushButton(name, self)
        button.setProperty("kind", "plain")
        button.setFont(font("interface-medium"))
        return button

    def _lay_out(self) -> None:
        column = self._column
        column.setContentsMargins(SIDE, 20, SIDE, 20)
        column.setSpacing(16)
        column.addWidget(_label("page-title", text="Prompt cache"))
        column.addWidget(_label("interface", "secondary", PURPOSE, wraps=True))
        column.addWidget(self._make_card())
        column.addWidget(self._note)
        column.addWidget(self._question)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._buttons["Clear…"])
        row.addStretch(1)
        for name in ("Close", "Keep", "Clear"):
            row.addWidget(self._buttons[name])
        column.addLayout(row)

    def _make_card(self) -> QWidget:
        card = Card(self._theme, self)
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._used, alignment=Qt.AlignmentFlag.AlignBaseline)
        head.addWidget(self._of_budget, 1, Qt.AlignmentFlag.AlignBaseline)
        column.addLayout(head)
        column.addWidget(self._meter)
        grid = QGridLayout()
        grid.setVerticalSpacing(8)
        grid.setHorizontalSpacing(24)
        grid.setColumnStretch(1, 1)
        for place, (name, value) in enumerate(self._facts.items()):
            grid.addWidget(_label("interface", "secondary", name), place, 0)
            grid.addWidget(value, place, 1)
        column.addLayout(grid)
        return card

    def _connect(self) -> None:
        self._bridge.received.connect(self._receive)
        self._buttons["Clear…"].clicked.connect(lambda: self.ask_first(True))
        self._buttons["Keep"].clicked.connect(lambda: self.ask_first(False))
        self._buttons["Clear"].clicked.connect(self._clear)
        self._buttons["Close"].clicked.connect(self.close)

    def ask_first(self, is_asking: bool) -> None:
        """Show the question and its two answers in place of the other buttons, or take them away."""
        for name in ("Clear", "Keep"):
            self._buttons[name].setVisible(is_asking)
        for name in ("Clear…", "Close"):
            self._buttons[name].setVisible(not is_asking)
        self._question.setVisible(is_asking)
        self._buttons["Keep" if is_asking else "Close"].setDefault(True)
        self._buttons["Keep" if is_asking else "Close"].setFocus()
        self._fit()

    def _clear(self) -> None:
        self.ask_first(False)
        self._request_id = self._bridge.next_request_id()
        self._bridge.send(ClearCache(self._request_id))

    def _ask(self) -> None:
        if not self._request_id:
            self._request_id = self._bridge.next_request_id()
            self._bridge.send(DescribeCache(self._request_id))

    def _receive(self, event: Event) -> None:
        match event:
            case Answer(value=CacheReport() as report) if event.request_id == self._request_id:
                self._show(report)
            case Failed(text=text) if event.request_id == self._request_id:
                self._tell(text)
            case _:
                return
        self._request_id = 0

    def _show(self, report: CacheReport) -> None:
        used, budget = write_bytes(report.disk_bytes), write_bytes(report.budget_bytes)
        self._used.setText(used)
        self._of_budget.setText(f"of a {budget} budget on disk" if report.budget_bytes else "on disk")
        self._meter.show_share(report.disk_bytes, report.budget_bytes, f"{used} of {budget} used on disk")
        for name, words in facts_of(report).items():
            self._facts[name].set_words(words)
        is_empty = not (report.disk_bytes or report.memory_bytes)
        self._buttons["Clear…"].setEnabled(not (is_empty or report.is_read_only))
        self._tell(sentence_of(report))

    def _tell(self, sentence: str) -> None:
        if sentence == self._sentence:
            return
        self._sentence = sentence
        self._note.setVisible(bool(sentence))
        if sentence:
            self._note.show_note(Note(sentence))
            self._note.setMinimumHeight(self._note.height_for(self.width() - 2 * SIDE))
        self._fit()

    def _fit(self) -> None:
        """Be as high as the sentences need: wrapped ones are no part of a layout's least height."""
        self._column.activate()
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()))


class FactLabel(QLabel):
    """A value at the end side, cut in its middle where it is too long."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self.setFont(font("interface"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumWidth(60)

    def set_words(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.setToolTip(plain_tooltip(words))
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics = QFontMetrics(self.font())
        self.setText(metrics.elidedText(self._words, Qt.TextElideMode.ElideMiddle, self.width()))


class Card(QFrame):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.tokens_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        draw_round(QPainter(self), QRectF(self.rect()), 10, tokens.raised, tokens.line)


def _label(use: str, kind: str = "", text: str = "", *, wraps: bool = False) -> QLabel:
    label = QLabel(text)
    label.setFont(font(use))
    label.setProperty("kind", kind)
    label.setWordWrap(wraps)
    return label


def _write_share(part: int, whole: int) -> str:
    """Of a limit, where there is one."""
    return f"{write_bytes(part)} of {write_bytes(whole)}" if whole else write_bytes(part)
