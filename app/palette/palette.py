"""CommandPalette: a field over the window that finds what can be done and opened, and does it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLabel, QLineEdit, QListView, QVBoxLayout, QWidget

from app.chat.announcing import announce
from app.palette.entries import Entry, Found, find
from app.palette.rows import ROW, Index, PaletteDelegate, PaletteModel
from app.popover.pointer_row import PointerRow
from app.popover.round_popup import RoundPopup
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.labels import StartLabel
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

NAME = "Command palette"
PLACEHOLDER = "Find an action, a chat or a model"
WIDTH, DROP, FIELD = 560, 96, 46  # px at 100 %; DROP under the window's top
SIDE, MARGIN, SYMBOL = 16, 7, 16
MOST_ROWS = 10  # that are seen at once
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: MOST_ROWS, Qt.Key.Key_PageUp: -MOST_ROWS}


class PaletteList(QListView):
    """Never has the keyboard, which stays in the field."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = PaletteModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(PaletteDelegate(theme, self))
        self.setProperty("kind", "rows")
        self.setAccessibleName("Found")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)


class CommandPalette(RoundPopup):
    """`keys` open it, and close it again."""

    ran = Signal(object)  # Entry

    def __init__(
        self,
        theme: Theme,
        entries: Sequence[Entry],
        parent: QWidget,
        *,
        recent: Sequence[str] = (),
        keys: Sequence[QKeySequence] = (),
    ) -> None:
        super().__init__(theme, parent.window())
        self._window = parent.window()
        self._keys = tuple(keys)
        self._entries = tuple(entries)
        self._recent = tuple(recent)
        self.setAccessibleName(NAME)
        self.field = QLineEdit(self)
        self.field.setProperty("kind", "palette")
        self.field.setFont(font("reply"))
        self.field.setPlaceholderText(PLACEHOLDER)
        self.field.setAccessibleName(PLACEHOLDER)
        self.field.setFixedHeight(scaled(FIELD))
        self.list = PaletteList(theme, self)
        self.nothing: QLabel = StartLabel("", "interface", "secondary")
        self.nothing.setContentsMargins(12, 8, 12, 8)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 0, MARGIN, MARGIN)
        column.setSpacing(MARGIN)
        column.addWidget(self.field)
        column.addWidget(self.list)
        column.addWidget(self.nothing)
        self.setFocusProxy(self.field)
        self.field.textChanged.connect(self._find)
        self.field.installEventFilter(self)
        self.list.clicked.connect(lambda index: self._run(index, is_beside=False))
        PointerRow(self.list)
        self._find("")

    def pop_up(self) -> None:
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    # What is found

    def _find(self, typed: str) -> None:
        found = find(self._entries, typed, self._recent)
        self.list.rows.show(found)
        self.list.setVisible(bool(found))
        self.nothing.setText(f"Nothing is named “{typed.strip()}”.")
        self.nothing.setVisible(not found)
        if found:
            self.list.setCurrentIndex(self.list.rows.index(0))
            self.list.scrollToTop()
        self._fit(len(found))
        self._speak()

    def _fit(self, num_found: int) -> None:
        """The top stays where it is."""
        window = self._window
        width = min(scaled(WIDTH), window.width() - 2 * SIDE)
        top = min(DROP, max(SIDE, window.height() // 6))
        room = window.height() - top - self.field.height() - 2 * MARGIN - SIDE
        height = min(num_found, MOST_ROWS, max(3, room // scaled(ROW))) * scaled(ROW)
        self.list.setFixedHeight(height)
        self.setFixedWidth(width)
        self.nothing.setFixedWidth(width - 2 * MARGIN)
        self.adjustSize()
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, top)))

    def _speak(self) -> None:
        index = self.list.currentIndex()
        if self.isVisible():
            spoken = index.data(Qt.ItemDataRole.AccessibleTextRole) if index.isValid() else self.nothing.text()
            announce(self.field, str(spoken))

    # What is done

    def _run(self, index: Index, *, is_beside: bool) -> None:
        if not index.isValid():
            return
        entry = self._found(index).entry
        if not entry.is_enabled:
            announce(self.field, entry.reason or f"{entry.words} is not available now.")
            return
        self.close()  # before it runs: the keyboard is then where it was
        self.ran.emit(entry)
        deed = entry.open_beside if is_beside and entry.open_beside is not None else entry.run
        deed()

    def _found(self, index: Index) -> Found:
        return self.list.rows.found[index.row()]

    def _step(self, places: int) -> None:
        """One row over the end begins anew at the other; a page does not."""
        count = self.list.rows.rowCount()
        if count:
            row = self.list.currentIndex().row() + places
            row = row % count if abs(places) == 1 else max(0, min(count - 1, row))
            self.list.setCurrentIndex(self.list.rows.index(row))
            self._speak()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the field that are for the list, or for the palette itself."""
        return isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._take(event)

    def _take(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key in STEPS:
            self._step(STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            is_beside = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._run(self.list.currentIndex(), is_beside=is_beside)
        elif key == Qt.Key.Key_Escape or QKeySequence(event.keyCombination()) in self._keys:
            self.close()
        else:
            return key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)  # there is nowhere else to go
        return True

    # How it looks

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, tokens, ground = QPainter(self), self.theme.tokens, QRectF(self.rect())
        field = QRectF(self.field.geometry())
        middle = field.center().y()
        symbol = QRectF(MARGIN + 12, round(middle - SYMBOL / 2), SYMBOL, SYMBOL)
        draw_symbol(painter, "search", tokens.ink2, mirrored(symbol, ground, self.layoutDirection()))
        painter.fillRect(QRectF(1, field.bottom(), ground.width() - 2, 1), QColor(tokens.line))
