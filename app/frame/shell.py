"""Shell: places sidebar and content; in a narrow window the sidebar lies over the content."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from app.sidebar.grip import MAX_WIDTH, MIN_WIDTH, WIDTH

OVERLAY_BELOW = 900  # px


class Shell(QWidget):
    sidebar_toggled = Signal(bool)
    focus_left = Signal()  # the sidebar went while it had the keyboard

    def __init__(self, sidebar: QWidget, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sidebar = sidebar
        self._content = content
        self.sidebar_width = WIDTH
        self.is_sidebar_wanted = True  # beside the content
        self._is_over = False  # opened over it
        self._is_tabbing = False
        for widget in (content, sidebar):
            widget.setParent(self)
        content.installEventFilter(self)
        if isinstance(application := QApplication.instance(), QApplication):
            application.focusChanged.connect(self._take_focus)

    @property
    def is_sidebar_shown(self) -> bool:
        return self._is_over if self._is_narrow else self.is_sidebar_wanted

    @property
    def _is_narrow(self) -> bool:
        return self.width() < OVERLAY_BELOW

    def restore_sidebar(self, width: int, *, is_wanted: bool) -> None:
        self.sidebar_width = max(MIN_WIDTH, min(MAX_WIDTH, width))
        self.is_sidebar_wanted = is_wanted
        self._place()

    def toggle_sidebar(self) -> None:
        if self._is_narrow:
            self._is_over = not self._is_over
        else:
            self.is_sidebar_wanted = not self.is_sidebar_wanted
        self._place()

    def show_sidebar(self) -> None:
        if not self.is_sidebar_shown:
            self.toggle_sidebar()

    def close_overlay(self) -> None:
        if self._is_narrow and self._is_over:
            self.toggle_sidebar()

    def _take_focus(self, before: QWidget | None, following: QWidget | None) -> None:
        """A sidebar over the content goes when the keyboard leaves it, or writes there; Tab only passes by."""
        if following is None or self._is_tabbing or not self._content.isAncestorOf(following):
            return
        is_left = before is not None and self._sidebar.isAncestorOf(before)
        if is_left or following.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled):
            self.close_overlay()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        self._is_tabbing = True
        is_moved = super().focusNextPrevChild(is_next)
        self._is_tabbing = False
        return is_moved

    def set_sidebar_width(self, width: int) -> None:
        self.sidebar_width = width
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_narrow:
            self._is_over = False
        self._place()

    def _place(self) -> None:
        is_shown = self.is_sidebar_shown
        focus = QApplication.focusWidget()
        is_left = not is_shown and focus is not None and self._sidebar.isAncestorOf(focus)
        left = self.sidebar_width if is_shown and not self._is_narrow else 0
        direction = self.layoutDirection()
        content = QRect(left, 0, self.width() - left, self.height())
        sidebar = QRect(0, 0, self.sidebar_width, self.height())
        self._content.setGeometry(QStyle.visualRect(direction, self.rect(), content))
        self._sidebar.setGeometry(QStyle.visualRect(direction, self.rect(), sidebar))
        self._sidebar.setVisible(is_shown)
        self._sidebar.raise_()
        self.sidebar_toggled.emit(is_shown)
        if is_left:
            self.focus_left.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            self.close_overlay()
        return super().eventFilter(watched, event)
