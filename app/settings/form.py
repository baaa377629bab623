"""The one style of a form: a page with cards, rows with a label and a control, and the words between them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.frame.focus_order import chain_of, in_order
from app.settings.choice import Choice
from app.settings.controls import Slider, Switch
from app.settings.fields import NumberField, TextField
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.labels import StartLabel
from app.theme.theme import Theme

__all__ = [
    "Card",
    "Choice",
    "Ends",
    "Heading",
    "NumberField",
    "Row",
    "SettingsPage",
    "Slider",
    "Switch",
    "TextField",
    "make_button",
]

INSET, SIDE, ROW_HEIGHT, SPACE = 28, 16, 44, 16
MOST_LABEL, LEAST_SENTENCE = 140, 170  # px that a label and its sentence are sure to have beside their control
RESTORE = "Restore this page"


def make_button(words: str, do: Callable[[], object], *, name: str = "", kind: str = "plain") -> QPushButton:
    """`kind` is "plain", "link" or "primary"; `name` says verb and object where the words do not."""
    button = QPushButton(words)
    button.setProperty("kind", kind)
    button.setFont(font("interface-medium"))
    button.setAccessibleName(name or words)
    button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    button.clicked.connect(lambda checked=False: do())
    return button


class Row(QWidget):
    """Label at the start, control at the end; where both have no room in one line, the control goes under the label."""

    def __init__(
        self, label: str, control: QWidget | None = None, sentence: str = "", *, is_wide: bool = False
    ) -> None:
        """`is_wide`: the control takes all the room that the label leaves."""
        super().__init__()
        self.label = StartLabel(label)
        self.sentence = StartLabel("", "small", "secondary")
        self.problem = StartLabel("", "small", "alert")
        self.control = control
        self._is_wide = is_wide
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(SIDE, 6, SIDE, 6)
        self._line.setSpacing(SPACE)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.setContentsMargins(0, 4, 0, 4)
        words.addStretch(1)
        for part in (self.label, self.sentence, self.problem):
            words.addWidget(part)
        words.addStretch(1)
        self._line.addLayout(words, 0 if is_wide else 1)
        self.problem.hide()
        if control is not None:
            self._take(control, is_wide)
        self.set_sentence(sentence)

    def _take(self, control: QWidget, is_wide: bool) -> None:
        self._line.addWidget(control, 1 if is_wide else 0)
        speaker = control.focusProxy() or control
        if not speaker.accessibleName():
            speaker.setAccessibleName(self.label.text())
        if isinstance(control, NumberField | TextField):
            control.refused.connect(self.set_problem)

    def set_sentence(self, sentence: str) -> None:
        """What is not plain about the effect; "" for nothing."""
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        if self.control is not None:
            (self.control.focusProxy() or self.control).setAccessibleDescription(sentence)

    def set_problem(self, sentence: str) -> None:
        """Why what was chosen cannot be; "" for nothing."""
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def minimumSizeHint(self) -> QSize:
        """As with the control under the label: or the page could not become narrow enough for that."""
        control = self.control.minimumSizeHint().width() if self.control is not None else 0
        return QSize(max(scaled(MOST_LABEL), control) + 2 * SIDE, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LayoutRequest):
            self._place()

    def _place(self) -> None:
        if self.control is None:
            return
        words = min(QFontMetricsF(font("interface")).horizontalAdvance(self.label.text()), scaled(MOST_LABEL))
        words = scaled(LEAST_SENTENCE) if self.sentence.text() and not self._is_wide else words
        needed = words + self.control.sizeHint().width() + 2 * SIDE + SPACE
        is_narrow = needed > self.width()
        self._line.setSpacing(0 if is_narrow else SPACE)
        turn(self._line, is_narrow)


class Ends(QWidget):
    """One part at the start and one at the end of a line, or under the first where both have no room."""

    def __init__(self, first: QWidget, last: QWidget) -> None:
        super().__init__()
        self._parts = (first, last)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(2)
        self._line.addWidget(first, 1)
        self._line.addWidget(last)

    def minimumSizeHint(self) -> QSize:
        widest = max(part.minimumSizeHint().width() for part in self._parts)
        return QSize(widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        turn(self._line, sum(part.sizeHint().width() for part in self._parts) + SPACE > self.width())


def turn(line: QBoxLayout, is_narrow: bool) -> None:
    """Set what stands side by side under each other, or back."""
    direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
    if direction != line.direction():
        line.setDirection(direction)


class Card(QFrame):
    """Rows with hairlines between them, on raised ground."""

    def __init__(self, theme: Theme, *rows: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        for row in rows:
            self.add(row)
        theme.tokens_changed.connect(self._refit)

    def add(self, row: QWidget) -> None:
        self._rows.append(row)
        self._column.addWidget(row)
        self._refit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self._theme.tokens
        draw_round(painter, QRectF(self.rect()), 10, tokens.raised, tokens.line)
        for row in [row for row in self._rows if not row.isHidden()][1:]:
            painter.fillRect(SIDE, row.y(), self.width() - 2 * SIDE, 1, QColor(tokens.line))

    def _refit(self) -> None:
        for row in self._rows:
            if isinstance(row, Row):  # what else stands in a card has a height of its own
                row.setMinimumHeight(scaled(ROW_HEIGHT))
        self.update()


class Heading(QWidget):
    """Over a card: what it holds, and at the end what can be done about all of it."""

    def __init__(self, words: str, end: QWidget | None = None) -> None:
        super().__init__()
        self.label = StartLabel(words, "interface-medium", "secondary", wraps=False)
        line = QHBoxLayout(self)
        line.setContentsMargins(SIDE, 4, 4, 0)
        line.addWidget(self.label, 1)
        if end is not None:
            line.addWidget(end)


class SettingsPage(QWidget):
    """Title, a sentence, and under them what `add` puts there; it scrolls, and ends with "Restore this page"."""

    restore_asked = Signal()

    def __init__(
        self,
        theme: Theme,
        title: str,
        sentence: str = "",
        *,
        end: QWidget | None = None,
        can_restore: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        """`end` stands beside the title."""
        super().__init__(parent)
        self.theme = theme
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.sentence = StartLabel(sentence, "interface", "secondary")
        self.restore = make_button(RESTORE, self.restore_asked.emit, name=f"Restore the page {title}", kind="link")
        self._content = QWidget()
        self._parts = QVBoxLayout()
        self._scroll = QScrollArea(self)
        self._make_page(title, end)
        self.sentence.setVisible(bool(sentence))  # not before it has a parent: it would be a window of its own
        self.restore.setVisible(can_restore)

    def _make_page(self, title: str, end: QWidget | None) -> None:
        first, head = QHBoxLayout(), QVBoxLayout()
        first.setSpacing(SPACE)
        first.addWidget(StartLabel(title, "page-title"), 1)
        if end is not None:
            first.addWidget(end, alignment=Qt.AlignmentFlag.AlignTop)
        head.setSpacing(4)
        head.addLayout(first)
        head.addWidget(self.sentence)
        self._parts.setSpacing(12)
        column = QVBoxLayout(self._content)
        column.setContentsMargins(INSET, 24, INSET, INSET)
        column.setSpacing(SPACE)
        column.addLayout(head)
        column.addLayout(self._parts)
        column.addWidget(self.restore)
        column.addStretch(1)
        self._scroll.setWidget(self._content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addWidget(self._scroll)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        in_order([*(one for one in chain_of(self) if one is not self.restore), self.restore])

    def add(self, part: QWidget) -> None:
        """Put it under what is there; it takes the page's width."""
        self._parts.addWidget(part)

    def pin(self, part: QWidget) -> None:
        """Put it under all that scrolls, where it is always in sight."""
        line = QHBoxLayout()
        line.setContentsMargins(INSET, 8, INSET, 12)
        line.addWidget(part)
        self._whole.addLayout(line)

    def follow(self, view: QAbstractItemView) -> None:
        """Keep the row that has the keyboard in sight, of a view that is as high as its rows."""

        def show_row(index: QModelIndex) -> None:
            if index.isValid() and view.hasFocus():
                middle = view.viewport().mapTo(self._content, view.visualRect(index).center())
                self._scroll.ensureVisible(0, middle.y(), 0, 60)

        view.selectionModel().currentChanged.connect(show_row)

    def show_part(self, part: QWidget) -> None:
        """Scroll to it."""
        self._scroll.ensureWidgetVisible(part)
