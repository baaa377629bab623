"""TranscriptView: the scrolling text, its column, its painting, and what the mouse does on painted things."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QGuiApplication,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QScrollBar, QTextBrowser, QToolTip, QWidget

from app.chat.markdown import is_allowed
from app.chat.strip import describe
from app.chat.transcript_copy import code_text, selected_text
from app.chat.transcript_document import COLUMN, FOLD_SCHEME, MARGIN, Section, TranscriptDocument
from app.chat.transcript_formats import Formats, kind_of, owner_of
from app.chat.transcript_paint import COPY_WIDTH, TranscriptPainter
from app.theme.pulse import Pulse
from app.theme.theme import Theme

SIDE = 20  # px beside the column in a narrow window
COPIED_MS = 1500
END_TOLERANCE = 4  # px from the end that still count as the end


class QuietScrollBar(QScrollBar):
    """Shows nothing where there is nothing to scroll."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class TranscriptView(QTextBrowser):
    end_in_view_changed = Signal(bool)

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.is_end_in_view = True
        self._pulse = pulse
        self._is_moving = False
        self.content = TranscriptDocument(self.document(), Formats(theme))
        self.painted = TranscriptPainter(self.content, theme.tokens)
        self._copied_timer = self.make_timer(COPIED_MS, lambda: self._mark_copied(-1))
        self.setAccessibleName("Transcript")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBar(QuietScrollBar(Qt.Orientation.Vertical, self))
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        )  # a reserved gutter: the column never moves
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.anchorClicked.connect(self._follow_link)
        self.verticalScrollBar().valueChanged.connect(self._take_scroll)
        self.verticalScrollBar().rangeChanged.connect(self.keep_end)
        pulse.ticked.connect(self._move_caret)

    def make_timer(self, milliseconds: int, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(work)
        return timer

    @property
    def last(self) -> Section | None:
        return self.content.sections[-1] if self.content.sections else None

    def place_extras(self) -> None:
        """Called when the text has moved under widgets that lie over it."""

    # Column and scrolling

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_extras()

    def _place_column(self) -> None:
        column = max(200, min(COLUMN, self.width() - 2 * SIDE))
        side = max(0, (self.width() - column) // 2 - MARGIN)
        bar = self.verticalScrollBar().sizeHint().width()
        right = max(0, side - bar)
        self.content.set_end_margin(MARGIN - max(0, bar - side))
        margins = self.viewportMargins()
        if (margins.left(), margins.right()) != (side, right):
            self.setViewportMargins(side, 0, right, 0)
        self.content.set_column(column)

    def scroll_to_end(self) -> None:
        self.is_end_in_view = True
        self.keep_end()
        self.end_in_view_changed.emit(True)

    def keep_end(self) -> None:
        if self.is_end_in_view:
            self.set_scroll(self.verticalScrollBar().maximum())
        self.place_extras()

    def set_scroll(self, value: int) -> None:
        self._is_moving = True
        self.verticalScrollBar().setValue(value)
        self._is_moving = False

    def write_anew(self) -> None:
        """Write the whole document again without moving the reader."""
        self._edit_unmoved(self.content.write_anew)

    def _edit_unmoved(self, work: Callable[[], None]) -> None:
        value = self.verticalScrollBar().value()
        self._is_moving = True
        work()
        self._is_moving = False
        self.set_scroll(self.verticalScrollBar().maximum() if self.is_end_in_view else value)
        self.place_extras()

    def _take_scroll(self, value: int) -> None:
        self.place_extras()
        is_at_end = value >= self.verticalScrollBar().maximum() - END_TOLERANCE
        if not self._is_moving and is_at_end != self.is_end_in_view:
            self.is_end_in_view = is_at_end
            self.end_in_view_changed.emit(is_at_end)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place_column()  # before the text is laid out, so that this happens once
        # The margins beside the column belong to the frame, which would not scroll.
        if isinstance(event, QWheelEvent):
            self.verticalScrollBar().event(event)
            return True
        is_taken = super().event(event)
        if event.type() == QEvent.Type.Resize:
            self.place_extras()  # the viewport had its size before the column had its
        return is_taken

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        offset = self.verticalScrollBar().value()
        painter.translate(0, -offset)
        painter.setClipRect(event.rect().translated(0, offset))
        first = self.cursorForPosition(QPoint(MARGIN, event.rect().top())).block()
        if first.previous().isValid():
            first = first.previous()
        self.painted.paint(painter, first, event.rect().bottom() + offset)
        painter.end()
        super().paintEvent(event)
        if self.last is not None and self.last.is_running and self.last.progress is None:
            painter = QPainter(self.viewport())
            painter.translate(0, -offset)
            self.painted.paint_live_end(painter, self.last, self._pulse.phase)
            painter.end()

    def _move_caret(self) -> None:
        if self.isVisible() and self.last is not None and self.last.is_running:
            self.viewport().update()

    # Mouse on what is painted

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self._copy_target(event.position().toPoint()) is not None:
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        target = self._copy_target(point)
        if target is None or self.textCursor().hasSelection():
            super().mouseReleaseEvent(event)
            self._press_strip(point)
            return
        section = self.content.sections[owner_of(target) - 1]
        QGuiApplication.clipboard().setText(code_text(target) if kind_of(target) == "code-head" else section.text)
        self._mark_copied(target.position())
        self._copied_timer.start()

    def _press_strip(self, point: QPoint) -> None:
        block = self.cursorForPosition(point).block()
        rect = self.painted.rect_of(block).translated(0, -self.verticalScrollBar().value())
        if kind_of(block) == "strip" and rect.contains(point) and not self.textCursor().hasSelection():
            self.toggle_details(self.content.sections[owner_of(block) - 1])

    def toggle_details(self, section: Section) -> None:
        """Show or hide all numbers of a reply that has ended, as text under its strip."""
        if not section.is_running and section.statistics.num_tokens:
            self._edit_unmoved(lambda: self.content.toggle_details(section))

    def _copy_target(self, point: QPoint) -> QTextBlock | None:
        """The code header or strip whose Copy lies under a point."""
        block = self.cursorForPosition(point).block()
        kind = kind_of(block)
        rect = self.painted.rect_of(block).translated(0, -self.verticalScrollBar().value())
        width = COPY_WIDTH if kind == "code-head" else 30
        is_there = rect.contains(point) and point.x() > rect.right() - width
        section = self.content.sections[owner_of(block) - 1] if owner_of(block) else None
        if kind == "code-head" and is_there:
            return block
        return block if kind == "strip" and is_there and section and not section.is_running and section.text else None

    def _mark_copied(self, position: int) -> None:
        self.painted.copied_at = position
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._words_at(event.pos()), self)
            return True
        return super().viewportEvent(event)

    def _words_at(self, point: QPoint) -> str:
        if address := self.anchorAt(point):
            return "" if address.startswith(FOLD_SCHEME) else address
        block = self.cursorForPosition(point).block()
        if kind_of(block) != "strip":
            return ""
        section = self.content.sections[owner_of(block) - 1]
        return describe(section.latest) if section.latest.num_tokens else ""

    # Links, pictures and the clipboard

    def _follow_link(self, url: QUrl) -> None:
        if url.scheme() == FOLD_SCHEME:
            self.content.sections[int(url.path()) - 1].is_unfolded = True
            self.write_anew()
        elif is_allowed(url.toString()):
            QDesktopServices.openUrl(url)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing is ever fetched for a text."""
        return None

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(selected_text(self.textCursor()))
        return data
