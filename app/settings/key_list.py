"""KeyList: actions with their keys; the keys of the row that has the keyboard can be pressed anew."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.frame.action_keys import ActionKeys, KnownAction, native
from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

ROW, CAPTION, SIDE, PAD, SPACE = 36, 34, 16, 8, 12
NAME = Qt.ItemDataRole.UserRole  # of the action; "" for a caption
RECORDING, NO_KEYS, RESTORE = "Press the keys", "none", "Restore"
HELP = "Return: press other keys. Backspace: no keys. Delete: its own keys again."
_MODIFIER_KEYS = (
    *(Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr, Qt.Key.Key_Mode_switch),
    *(Qt.Key.Key_Super_L, Qt.Key.Key_Super_R, Qt.Key.Key_Hyper_L, Qt.Key.Key_Hyper_R, Qt.Key.Key_Multi_key),
    *(Qt.Key.Key_CapsLock, Qt.Key.Key_NumLock, Qt.Key.Key_ScrollLock, Qt.Key.Key_unknown),
)
_DEAD_KEYS = range(Qt.Key.Key_Dead_Grave.value, Qt.Key.Key_Dead_Longsolidusoverlay.value + 1)
Index = QModelIndex | QPersistentModelIndex


def words_of(keys: ActionKeys, name: str) -> str:
    return ", ".join(native(one) for one in keys.keys_of(name)) or NO_KEYS


class KeyList(QListView):
    """As high as its rows."""

    told = Signal(str)  # why keys were not taken, a sentence; "" once all is well

    def __init__(self, theme: Theme, keys: ActionKeys, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.keys = keys
        self.recorded = ""  # the action whose keys are pressed next
        self.has_keyboard_focus = False
        self._pattern = ""
        self.setModel(QStandardItemModel(self))
        self.setItemDelegate(KeyDelegate(self))
        self.setAccessibleName("Shortcuts")
        self.setAccessibleDescription(HELP)
        self.setProperty("kind", "rows")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        keys.changed.connect(self.refresh)
        theme.tokens_changed.connect(self._fit)
        self.refresh()

    def search(self, pattern: str) -> None:
        """Show actions whose words, menu or keys have this."""
        self._pattern = pattern.casefold().strip()
        self.refresh()

    def refresh(self) -> None:
        """Rows that stay keep the keyboard."""
        rows = self._rows()
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        place = self.currentIndex().row()
        is_same = [one.data(NAME) for one in map(model.item, range(model.rowCount()))] == [name for name, _ in rows]
        if not is_same:
            model.clear()
            for name, _ in rows:
                model.appendRow(self._make_item(name))
        for row, (_, words) in enumerate(rows):
            model.item(row).setText(words)
        if is_same and place >= 0:
            self.setCurrentIndex(model.index(place, 0))
        self._fit()

    def _make_item(self, name: str) -> QStandardItem:
        item = QStandardItem()
        item.setData(name, NAME)
        item.setEditable(False)
        item.setEnabled(bool(name))
        return item

    def _rows(self) -> list[tuple[str, str]]:
        """Names and what a screen reader says; captions have no name."""
        rows: list[tuple[str, str]] = []
        group = ""
        for known in self._found():
            if known.group != group:
                group = known.group
                rows.append(("", group))
            rows.append((known.name, f"{known.action.text()}: {words_of(self.keys, known.name)}"))
        return rows

    def _found(self) -> Sequence[KnownAction]:
        found = self.keys.actions.values()
        return [
            one for one in found if self._pattern in f"{one.action.text()} {one.group} {self._keys(one)}".casefold()
        ]

    def _keys(self, known: KnownAction) -> str:
        return words_of(self.keys, known.name)

    def record(self, name: str) -> None:
        """Take what is pressed next for this action; "" for none."""
        self.recorded = name
        self.told.emit("")
        self.viewport().update()

    # What the user does

    def event(self, event: QEvent) -> bool:
        if self.recorded and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # or the keys would do what they do
            return True
        if self.recorded and event.type() == QEvent.Type.KeyPress:  # Tab too
            assert isinstance(event, QKeyEvent)
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        name = str(self.currentIndex().data(NAME) or "")
        if self.recorded:
            self._take(event)
        elif name and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.record(name)
        elif name and event.key() == Qt.Key.Key_Backspace:
            self.told.emit(self.keys.choose(name, ""))
        elif name and event.key() == Qt.Key.Key_Delete:
            self.told.emit(self.keys.restore(name))
        else:
            super().keyPressEvent(event)

    def _take(self, event: QKeyEvent) -> None:
        if event.key() in _MODIFIER_KEYS or event.key() in _DEAD_KEYS:  # what makes a shortcut is still to come
            return
        name = self.recorded
        self.record("")
        combination = event.keyCombination()
        if combination.toCombined() != Qt.Key.Key_Escape.value:
            modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
            refusal = self.keys.choose(name, QKeySequence(modifiers | combination.key()).toString())
            if refusal:
                self.record(name)  # which tells that all is well
            self.told.emit(refusal)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        name = str(index.data(NAME) or "")
        if not name or event.button() != Qt.MouseButton.LeftButton:
            self.record("")
            return
        restore = self.restore_place(QRectF(self.visualRect(index)), name)
        if restore.contains(event.position()):
            self.told.emit(self.keys.restore(name))
        else:
            self.record("" if name == self.recorded else name)

    def restore_place(self, row: QRectF, name: str) -> QRectF:
        """Of the word that gives an action its own keys again; empty where it has them."""
        if not self.keys.is_changed(name):
            return QRectF()
        metrics = QFontMetricsF(font("interface"))
        width = metrics.horizontalAdvance(RESTORE) + 2 * PAD
        keys = (
            max(metrics.horizontalAdvance(self.shown_keys(name, row.width())), metrics.horizontalAdvance(RECORDING))
            + 2 * PAD
        )
        place = QRectF(row.right() - SIDE - keys - SPACE - width, row.center().y() - 13, width, 26)
        return mirrored(place, row, self.layoutDirection())

    def shown_keys(self, name: str, width: float) -> str:
        """All keys of an action, or the first ones where all would take more than half of a row's width."""
        words, first = words_of(self.keys, name), self.keys.keys_of(name)[:1]
        is_wide = QFontMetricsF(font("interface")).horizontalAdvance(words) > width / 2
        return f"{native(first[0])}, …" if is_wide and first else words

    def _fit(self) -> None:
        heights = (self.height_of(self.model().index(row, 0)) for row in range(self.model().rowCount()))
        self.setFixedHeight(max(scaled(ROW), sum(heights)))
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def height_of(self, index: Index) -> int:
        return scaled(ROW if index.data(NAME) else CAPTION)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)
        if self.has_keyboard_focus and not self.currentIndex().data(NAME):
            self.setCurrentIndex(self.model().index(1, 0))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = False
        super().focusOutEvent(event)
        self.record("")


class KeyDelegate(QStyledItemDelegate):
    def __init__(self, view: KeyList) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, self._view.height_of(index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, tokens, row = self._view, self._view.theme.tokens, QRectF(option.rect)
        name = str(index.data(NAME) or "")
        if not name:
            self._write(painter, row, str(index.data()), "caption", tokens.ink3)
            return
        if index.row():
            painter.fillRect(QRectF(SIDE, row.top(), row.width() - 2 * SIDE, 1), QColor(tokens.line))
        self._write(painter, row, view.keys.actions[name].action.text(), "interface", tokens.ink)
        self._paint_keys(painter, row, name)
        restore = view.restore_place(row, name)
        if not restore.isEmpty():
            painter.setPen(QColor(tokens.target))
            painter.drawText(restore, Qt.AlignmentFlag.AlignCenter, RESTORE)
        if index == view.currentIndex() and view.has_keyboard_focus:
            draw_focus_ring(painter, tokens, row.adjusted(3, 2, -3, -2), 7)

    def _paint_keys(self, painter: QPainter, row: QRectF, name: str) -> None:
        view, tokens = self._view, self._view.theme.tokens
        is_recorded = name == view.recorded
        words = RECORDING if is_recorded else view.shown_keys(name, row.width())
        width = QFontMetricsF(font("interface")).horizontalAdvance(words) + 2 * PAD
        place = QRectF(row.right() - SIDE - width, row.center().y() - 13, width, 26)
        place = mirrored(place, row, view.layoutDirection())
        draw_round(
            painter, place, 7, tokens.target_soft if is_recorded else None, tokens.target if is_recorded else None
        )
        painter.setFont(font("interface"))
        quiet = tokens.ink3 if words == NO_KEYS else tokens.ink2
        painter.setPen(QColor(tokens.ink if is_recorded else quiet))
        with running_as_written(painter):
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _write(self, painter: QPainter, row: QRectF, words: str, use: str, colour: str) -> None:
        is_mirrored = self._view.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        painter.setFont(font(use))
        painter.setPen(QColor(colour))
        with running_as_written(painter):
            way = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(row.adjusted(SIDE, 0, -SIDE, 0), way, words)
