"""Mouse: selecting across messages, following links, and pressing what blocks offer."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QPointF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QMouseEvent, QStatusTipEvent
from PySide6.QtWidgets import QApplication

from app.chat.markdown_inline import is_allowed
from app.chat.transcript.view import TranscriptView

SCROLL_MS = 40
_SCROLL_SHARE = 0.4  # of the distance outside of the view, each time


class Mouse(QObject):
    """What the pointer does in one transcript."""

    section_hovered = Signal(int)  # index, or -1
    selected = Signal()  # the pointer has marked something
    block_pressed = Signal(int, int)  # section and block that took a click

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view
        self._is_selecting = False
        self._has_dragged = False
        self._pressed_at = QPointF()
        self._point = QPointF()
        self._num_clicks = 0
        self._clicked_at = 0.0
        self._link = ""
        self._hovered_section = -1
        self._scroll_timer = QTimer(self)
        self._scroll_timer.setInterval(SCROLL_MS)
        self._scroll_timer.timeout.connect(self._scroll)

    def press(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position()
        self._count_click(point)
        place = self._view.place_at(point)
        if place is None:
            return
        self._is_selecting, self._has_dragged = True, self._num_clicks > 1
        self._pressed_at = self._point = point
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._has_dragged = True
            self._view.selection.extend(place)
        else:
            self._view.selection.begin(place, min(3, self._num_clicks))
        self._view.viewport().update()

    def move(self, event: QMouseEvent) -> None:
        self._point = event.position()
        if not self._is_selecting:
            self.hover(self._point)
            return
        distance = (self._point - self._pressed_at).manhattanLength()
        self._has_dragged |= distance >= QApplication.startDragDistance()
        if self._has_dragged:
            self._extend()
        is_outside = not 0 <= self._point.y() <= self._view.viewport().height()
        if is_outside and not self._scroll_timer.isActive():
            self._scroll_timer.start()
        elif not is_outside:
            self._scroll_timer.stop()

    def release(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._is_selecting:
            return
        self._is_selecting = False
        self._scroll_timer.stop()
        if not self._has_dragged:
            self._view.selection.clear()
            self._click(event.position())
        if not self._view.selection.is_empty:
            self.selected.emit()
        self._view.viewport().update()

    def leave(self) -> None:
        self._view.hover = None
        self._tell_section(-1)
        self._tell_link("")
        self._view.viewport().update()

    def _count_click(self, point: QPointF) -> None:
        hints = QGuiApplication.styleHints()
        is_quick = time.monotonic() - self._clicked_at < hints.mouseDoubleClickInterval() / 1000
        is_near = (point - self._pressed_at).manhattanLength() < hints.mouseDoubleClickDistance()
        self._num_clicks = self._num_clicks % 3 + 1 if is_quick and is_near else 1
        self._clicked_at = time.monotonic()

    def _click(self, point: QPointF) -> None:
        under = self._view.block_at(point)
        if under is None:
            return
        index, block, inside = under
        shown = self._view.sections[index].blocks[block]
        if address := shown.link_at(inside):
            open_link(address)
        elif shown.press(inside):
            self._num_clicks = 0
            self.block_pressed.emit(index, block)

    def _extend(self) -> None:
        place = self._view.place_at(self._point)
        if place is not None:
            self._view.selection.extend(place)
            self._view.viewport().update()

    def _scroll(self) -> None:
        """Go on while the pointer is held outside."""
        over = min(0.0, self._point.y()) or max(0.0, self._point.y() - self._view.viewport().height())
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + round(over * _SCROLL_SHARE))
        self._extend()

    def hover(self, point: QPointF) -> None:
        under = self._view.block_at(point)
        before, self._view.hover = self._view.hover, under
        for place in (before, under):
            if place is not None and place[0] < len(self._view.sections):
                self._view.viewport().update(self._view.rect_of_block(place[0], place[1]).toAlignedRect())
        shown = self._view.sections[under[0]].blocks[under[1]] if under else None
        link = shown.link_at(under[2]) if shown and under else ""
        self._tell_link(link)
        shape = Qt.CursorShape.ArrowCursor
        if shown is not None and shown.length:
            shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        self._view.viewport().setCursor(shape)
        y = point.y() + self._view.offset
        has_any = len(self._view.sections) and y < self._view.sections.height
        self._tell_section(self._view.sections.index_at(y) if has_any else -1)

    def _tell_section(self, index: int) -> None:
        if index != self._hovered_section:
            self._hovered_section = index
            self.section_hovered.emit(index)

    def _tell_link(self, address: str) -> None:
        """The status tip shows where a link leads."""
        if address != self._link:
            self._link = address
            QApplication.sendEvent(self._view.window(), QStatusTipEvent(address))
            self._view.setToolTip("")

    @property
    def link(self) -> str:
        return self._link


def open_link(address: str) -> None:
    """Ask the system's browser, for the schemes that are allowed only."""
    if is_allowed(address):
        QDesktopServices.openUrl(QUrl(address))
