"""ShortcutList: every key of the window, by menu."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from app.theme.labels import make_label

SIZE, SIDE = (460, 620), 24
IN_THE_COMPOSER = (
    ("Send", "Return"),
    ("A new line", "Shift+Return"),
    ("An earlier message, in an empty field", "Up"),
    ("Stop the reply", "Esc"),
)

Group = tuple[str, Sequence[QAction]]


class ShortcutList(QDialog):
    """Goes when it is closed; Esc closes it."""

    def __init__(self, groups: Iterable[Group], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        page = QWidget()
        self._grid = QGridLayout(page)
        self._grid.setContentsMargins(SIDE, 20, SIDE, 20)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self._add_group("Composer", [(words, (QKeySequence(keys),)) for words, keys in IN_THE_COMPOSER])
        for title, actions in groups:
            self._add_group(title, [(action.text(), action.shortcuts()) for action in actions if action.shortcuts()])
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        area = QScrollArea(self)
        area.setWidget(page)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setAccessibleName("Keyboard shortcuts")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(area)
        width = page.sizeHint().width() + area.verticalScrollBar().sizeHint().width()
        self.resize(max(SIZE[0], width), SIZE[1])  # or two keys for one action would be cut off

    def _add_group(self, title: str, lines: Sequence[tuple[str, Sequence[QKeySequence]]]) -> None:
        row = self._grid.rowCount()
        if row > 1:
            self._grid.setRowMinimumHeight(row, 8)
        self._grid.addWidget(make_label(title, "small-strong", "secondary", self), row + 1, 0, 1, 2)
        for place, (words, keys) in enumerate(lines, row + 2):
            native = (key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
            self._grid.addWidget(make_label(words, "interface", "", self), place, 0)
            self._grid.addWidget(make_label(", ".join(native), "interface", "secondary", self), place, 1)
