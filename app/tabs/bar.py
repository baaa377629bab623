"""TabBar: the painted tabs, and TabRow, the header that they stand in."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QStyle, QTabBar, QWidget

from app.sidebar.delegate import draw_title
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.glyphs import GLYPH_WIDTH, draw_dot, draw_focus_ring, draw_round, draw_running
from app.theme.mirroring import mirrored
from app.theme.pulse import Pulse
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

ROW_HEIGHT = 48
MIN_WIDTH, MAX_WIDTH = 120, 240
ONE_TAB_BELOW = 720  # px of the window; narrower ones show one tab
CLOSE = 16
WORDS_AT, CHEVRON = 10, 14  # px in the button of the other tabs


class TabBar(QTabBar):
    """Each tab's data is its mark ("running", "failed", "unread" or "") and the symbol of a page that is no chat."""

    close_asked = Signal(int)
    menu_asked = Signal(int, QPoint)  # which tab, and the place on the screen
    chosen = Signal()  # a tab, with the pointer

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pulse = pulse
        self._hovered = -1
        self._tab_width = MAX_WIDTH
        self.setAccessibleName("Open chats")
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        pulse.ticked.connect(self.update)
        theme.tokens_changed.connect(self.update)

    def fit(self, room: int, num_most: int) -> int:
        """Show as many tabs as fit, the current one among them; returns how many are left out."""
        count = self.count()
        shown = max(1, min(count, num_most, room // MIN_WIDTH))
        self._tab_width = max(MIN_WIDTH, min(MAX_WIDTH, room // max(1, shown)))
        first = min(max(0, self.currentIndex() - shown + 1), max(0, count - shown))
        for index in range(count):
            self.setTabVisible(index, first <= index < first + shown)
        self.setFixedWidth(shown * self._tab_width if count else 0)
        return count - shown if count else 0

    def set_tab(self, index: int, title: str, mark: str, symbol: str = "") -> None:
        self.setTabText(index, title.replace("&", "&&"))
        self.setTabData(index, (mark, symbol))
        self.setTabToolTip(index, plain_tooltip(title))
        self.setAccessibleTabName(index, f"{title}, {mark}" if mark else title)
        self.update()

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(self._tab_width, ROW_HEIGHT)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for index in range(self.count()):
            if self.isTabVisible(index):
                self._paint_tab(painter, index)

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        tokens = self._theme.tokens
        is_current = index == self.currentIndex()
        rect = QRectF(self.tabRect(index)).adjusted(2, 8, -2, -8)
        if is_current:
            draw_round(painter, rect, 8, tokens.raised, tokens.line)
        elif index == self._hovered:
            draw_round(painter, rect, 8, tokens.hover)
        if is_current and self.hasFocus():
            draw_focus_ring(painter, tokens, rect, 8)
        direction = self.layoutDirection()
        left = rect.left() + 12 + self._paint_mark(painter, rect, index)
        end = rect.right() - 12
        if is_current or index == self._hovered:
            close = QRectF(self._close_rect(index))
            end = mirrored(close, rect, direction).left() - 6.0
            draw_symbol(painter, "close", tokens.ink2, close.adjusted(2, 2, -2, -2))
        title = self.tabText(index).replace("&&", "&")
        room = mirrored(QRectF(left, rect.top(), end - left - 4, rect.height()), rect, direction)
        colour = tokens.ink if is_current else tokens.ink2
        draw_title(painter, room, title, colour, "interface-medium" if is_current else "interface")

    def _paint_mark(self, painter: QPainter, rect: QRectF, index: int) -> float:
        """A page's symbol or a chat's mark at the tab's start; returns the width that it takes."""
        tokens = self._theme.tokens
        mark, symbol = self.tabData(index) or ("", "")
        start = QRectF(rect.left() + 12, rect.center().y() - 8, 16, 16)
        place = mirrored(start, rect, self.layoutDirection())
        if symbol:
            draw_symbol(painter, symbol, tokens.ink2, place)
            return 24
        if mark == "running":
            draw_running(painter, tokens, place.left(), rect.center().y(), self._pulse.phase)
            return GLYPH_WIDTH + 7
        if mark == "failed":
            draw_symbol(painter, "warning", tokens.alert, place.adjusted(0, 1, -2, -1))
            return 20
        if mark:
            draw_dot(painter, tokens.target, QPointF(place.left() + 3, rect.center().y()))
            return 14
        return 0

    def _close_rect(self, index: int) -> QRect:
        tab = self.tabRect(index)
        close = QRect(tab.right() - 10 - CLOSE, tab.center().y() - CLOSE // 2 + 1, CLOSE, CLOSE)
        return QStyle.visualRect(self.layoutDirection(), tab, close)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        is_close = index >= 0 and self._close_rect(index).adjusted(-6, -6, 6, 6).contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.RightButton:
            return
        if is_close or event.button() == Qt.MouseButton.MiddleButton:
            if index >= 0:
                self.close_asked.emit(index)
            return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the tab under the pointer, or with the keyboard of the one that is shown."""
        is_by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.tabAt(event.pos()) if is_by_mouse else self.currentIndex()
        if index >= 0:
            place = event.globalPos() if is_by_mouse else self.mapToGlobal(self.tabRect(index).bottomLeft())
            self.menu_asked.emit(index, place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.tabAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, index: int) -> None:
        if index != self._hovered:
            self._hovered = index
            self.update()


class TabRow(QWidget):
    """Sidebar button (while the sidebar is hidden), tabs, "2 more", new tab, menu."""

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.bar = TabBar(theme, pulse, self)
        self.sidebar_button = SymbolButton(theme, "sidebar", "Show the sidebar", self)
        self.more_button = MoreButton(theme, self)
        self.new_button = SymbolButton(theme, "new-tab", "New chat", self)
        self.inspector_button = SymbolButton(theme, "statistics", "Show the inspector", self)
        self.inspector_button.setCheckable(True)
        self.menu_button = SymbolButton(theme, "more", "Open the menu", self)
        self.setFixedHeight(ROW_HEIGHT + 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 1)
        row.setSpacing(4)
        for widget in (self.sidebar_button, self.bar, self.more_button, self.new_button):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.inspector_button)
        row.addWidget(self.menu_button)
        self.more_button.clicked.connect(self._open_more)
        self.more_button.hide()
        theme.tokens_changed.connect(self.update)

    def take_sidebar(self, is_shown: bool) -> None:
        """While the sidebar is hidden a button here shows it."""
        self.sidebar_button.setVisible(not is_shown)
        self.refit()

    def refit(self) -> None:
        """Share the room out anew; called when tabs come, go or change places."""
        is_narrow = self.window().width() < ONE_TAB_BELOW
        self.inspector_button.setVisible(not is_narrow)
        buttons = (self.sidebar_button, self.inspector_button)
        taken = 8 + 8 + 30 + 30 + 16 + sum(34 for button in buttons if button.isVisibleTo(self))
        num_most = 1 if is_narrow else 99
        has_more = self.bar.count() > min(num_most, max(1, (self.width() - taken) // MIN_WIDTH))
        self.more_button.set_words(f"{self.bar.count()} more")
        room = self.width() - taken - (self.more_button.width() + 4 if has_more else 0)
        left_out = self.bar.fit(room, num_most)
        self.more_button.setVisible(left_out > 0)
        self.more_button.set_words(f"{left_out} more")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refit()

    def _open_more(self) -> None:
        menu = QMenu("Open chats", self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index in range(self.bar.count()):
            if not self.bar.isTabVisible(index):
                action = menu.addAction(self.bar.tabText(index))
                action.triggered.connect(lambda checked=False, place=index: self._choose(place))
        menu.popup(self.more_button.mapToGlobal(QPoint(0, self.more_button.height() + 2)))

    def _choose(self, index: int) -> None:
        self.bar.setCurrentIndex(index)
        self.bar.chosen.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        painter.fillRect(self.rect(), QColor(tokens.sidebar))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), QColor(tokens.line))


class MoreButton(SymbolButton):
    """ "2 more" with a chevron."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "chevron-down", "Show the other open chats", parent)
        self._words = ""
        self.set_words("")
        theme.tokens_changed.connect(self._fit)

    def set_words(self, words: str) -> None:
        self._words = words
        self.setAccessibleName(f"Show the other open chats: {words}")
        self._fit()

    def _fit(self) -> None:
        """As wide as the words are at the size of text that was chosen."""
        width = ceil(QFontMetricsF(font("interface")).horizontalAdvance(self._words))
        self.setFixedSize(width + WORDS_AT + CHEVRON + 14, 30)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        if self.is_hovered:
            draw_round(painter, QRectF(self.rect()), 7, tokens.hover)
        metrics = QFontMetricsF(font("interface"))
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink2))
        width, middle = metrics.horizontalAdvance(self._words), self.height() / 2
        whole, direction = QRectF(self.rect()), self.layoutDirection()
        words = mirrored(QRectF(WORDS_AT, 0, width, self.height()), whole, direction)
        painter.drawText(QPointF(words.left(), middle + metrics.capHeight() / 2), self._words)
        place = QRectF(self.width() - CHEVRON - 8, middle - CHEVRON / 2, CHEVRON, CHEVRON)
        draw_symbol(painter, "chevron-down", tokens.ink3, mirrored(place, whole, direction))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, QRectF(self.rect()), 7)
