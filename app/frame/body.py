"""Body: the page that is shown, and beside it, or over it in a narrow window, the inspector."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import QStyle, QVBoxLayout, QWidget

from app.statistics.sizes import scaled
from app.theme.theme import Theme

SIDE_WIDTH = 304  # px at a text size of 100 %
HAIRLINE = 1
OVER_BELOW = 1080  # px of the window
GAP = 8  # px between an inspector that lies over the page and the foot of the page


class Body(QWidget):
    side_toggled = Signal(bool)
    side_left = Signal()  # Escape in the page, while the inspector lies over it

    def __init__(self, pages: QWidget, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages = pages
        self._side: Side | None = None
        self.inspector: QWidget | None = None
        self._foot: QWidget | None = None
        self._theme = theme
        self._is_allowed = False  # by the page that is shown
        self.is_side_wanted = False
        self._is_held_back = False  # wanted, but beside the page only
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)
        self._escape.activated.connect(self.side_left)
        pages.setParent(self)
        theme.tokens_changed.connect(self._place)

    @property
    def is_side_shown(self) -> bool:
        is_wanted = self.is_side_wanted and not self.is_side_held_back
        return self._side is not None and is_wanted and self._is_allowed

    @property
    def is_side_over(self) -> bool:
        return self.is_side_shown and self._is_narrow

    @property
    def is_side_held_back(self) -> bool:
        """Whether what was wanted the last time waits for a window in which it covers nothing."""
        return self._is_held_back and self._is_narrow

    @property
    def _is_narrow(self) -> bool:
        return self.window().width() < OVER_BELOW

    @property
    def side(self) -> QWidget | None:
        return self._side

    def set_side(self, inspector: QWidget) -> None:
        self.inspector = inspector
        self._side = Side(inspector, self._theme, self)
        self._place()

    def keep_free(self, foot: QWidget | None) -> None:
        """A widget at the foot of the page that the inspector never covers."""
        if self._foot is not None:
            self._foot.removeEventFilter(self)
        self._foot = foot
        if foot is not None:
            foot.installEventFilter(self)
            foot.destroyed.connect(self._forget_foot)
        self._place()

    def _forget_foot(self, foot: QObject) -> None:
        if foot is self._foot:
            self._foot = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            self._place()
        return False

    def set_side_wanted(self, is_wanted: bool, *, is_over: bool = True) -> None:
        """`is_over` lets it lie over the page where there is no room beside."""
        self.is_side_wanted = is_wanted
        self._is_held_back = not is_over
        self._place()

    def set_side_allowed(self, is_allowed: bool) -> None:
        if is_allowed != self._is_allowed:
            self._is_allowed = is_allowed
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        is_shown = self.is_side_shown
        is_beside = is_shown and not self._is_narrow
        width = min(scaled(SIDE_WIDTH), self.width())
        page = QRect(0, 0, self.width() - (width if is_beside else 0), self.height())
        self._pages.setGeometry(self._mirrored(page))
        if self._side is not None:
            bottom = self.height() if is_beside or self._foot is None else self._foot.mapTo(self, QPoint(0, -GAP)).y()
            self._side.setGeometry(self._mirrored(QRect(self.width() - width, 0, width, bottom)))
            self._side.setVisible(is_shown)
            self._side.raise_()
        self._escape.setEnabled(self.is_side_over)
        self.side_toggled.emit(is_shown)

    def _mirrored(self, place: QRect) -> QRect:
        return QStyle.visualRect(self.layoutDirection(), self.rect(), place)


class Side(QWidget):
    """The inspector's ground, and the hairline at its foot."""

    def __init__(self, inspector: QWidget, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, HAIRLINE)  # the inspector paints the one at its start
        column.addWidget(inspector)
        theme.tokens_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.tokens.sidebar))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), QColor(self._theme.tokens.line))
