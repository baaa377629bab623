"""TranscriptView: the scrolling area: what is laid out, where the view is held, and what is painted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.chat.transcript import measures
from app.chat.transcript.find import Finder
from app.chat.transcript.painting import Look, caret_rect, paint_section
from app.chat.transcript.places import TranscriptPlaces
from app.chat.transcript.scroll_bar import QuietScrollBar
from app.chat.transcript.sections import Anchor
from app.chat.transcript.selection import Selection
from app.theme.pulse import Pulse
from app.theme.theme import Theme

END_TOLERANCE = 4  # px from the end that still count as the end
RELEASE_MS = 500
_ROUNDS = 6  # of layout until nothing moves
_WHEEL_STEP = 24


class TranscriptView(TranscriptPlaces):
    end_in_view_changed = Signal(bool)
    moved = Signal()  # the text lies elsewhere in the view

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.selection = Selection(self.sections)
        self.finder = Finder(self.sections)
        self.is_end_in_view = True
        self.model = ""
        self.is_tinted = False
        self.focus_index = -1  # section that the keyboard is at
        self.has_keyboard_focus = False  # and shows where it is
        self.focus_block = -1  # block of it that is read, or -1
        self.hover: tuple[int, int, QPointF] | None = None  # section, block and point in the block
        self._pulse = pulse
        self._is_moving = False
        self._is_settling = False
        self._release_timer = self.make_timer(RELEASE_MS, self._release)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBar(QuietScrollBar(Qt.Orientation.Vertical, self))
        # A reserved gutter: the column never moves.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(_WHEEL_STEP)
        self.verticalScrollBar().valueChanged.connect(self._take_scroll)
        pulse.ticked.connect(self._move_caret)

    def make_timer(self, milliseconds: int, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(work)
        return timer

    # Layout and scrolling

    def hold(self, work: Callable[[], None]) -> None:
        """Do what changes heights without moving what the reader sees."""
        anchor = self._anchor()
        work()
        self.settle(anchor)

    def hold_here(self, work: Callable[[], None]) -> None:
        """Hold the view at its top, also where it was at its end: what opens is read from where it opens."""
        anchor = self.sections.anchor_at(self.offset)
        work()
        self.hold_at(anchor)

    def hold_at(self, anchor: Anchor | None) -> None:
        """Lay out with the view's top at a place; it may be at the end then, or no longer."""
        was_at_end, self.is_end_in_view = self.is_end_in_view, False
        self.settle(anchor)
        self.is_end_in_view = self._is_at_end(self.offset)
        if self.is_end_in_view != was_at_end:
            self.end_in_view_changed.emit(self.is_end_in_view)

    def settle(self, anchor: Anchor | None = None, *, is_whole: bool = True) -> None:
        """Lay out what is near the view until nothing moves, and hold the view where it was, or at the end.

        `is_whole` asks for all of it to be painted.
        """
        if self._is_settling:
            return
        self._is_settling = True
        anchor = anchor or self._anchor()
        height = self.viewport().height()
        for _ in range(_ROUNDS):
            value = self._value_of(anchor)
            if not self.sections.lay_out(value - measures.NEAR, value + height + measures.NEAR):
                break
        self._set_scroll(self._value_of(anchor))
        self._is_settling = False
        self._release_timer.start()
        self.moved.emit()
        if is_whole:
            self.viewport().update()

    def scroll_to_end(self) -> None:
        was_there, self.is_end_in_view = self.is_end_in_view, True
        self.settle()
        if not was_there:
            self.end_in_view_changed.emit(True)

    def scroll_to(self, index: int, block: int = -1, offset: float = 0.0) -> None:
        """Bring a section, or a block of it, to the top of the view."""
        self._let_go()
        self.made(index)
        self.settle(Anchor(index, block, offset - measures.TOP))
        self._take_end(self.offset)

    def show_rect(self, rect: QRectF, top: int = measures.TOP) -> None:
        """Scroll as little as is needed to see a rectangle of the viewport under `top`."""
        room = self.viewport().height() - top - measures.TOP
        if rect.top() < top or rect.height() > room:
            self.verticalScrollBar().setValue(self.offset + round(rect.top()) - top)
        elif rect.bottom() > top + room:
            self.verticalScrollBar().setValue(self.offset + round(rect.bottom()) - top - room)

    def _anchor(self) -> Anchor | None:
        return None if self.is_end_in_view else self.sections.anchor_at(self.offset)

    def _value_of(self, anchor: Anchor | None) -> int:
        end = max(0, round(self.sections.height) - self.viewport().height())
        return end if anchor is None else max(0, min(end, round(self.sections.y_of(anchor))))

    def _set_scroll(self, value: int) -> None:
        self._is_moving = True
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, round(self.sections.height) - self.viewport().height()))
        bar.setValue(value)
        self._is_moving = False

    def _take_scroll(self, value: int) -> None:
        if self._is_moving:
            return
        self._take_end(value)
        self.settle()

    def _take_end(self, value: int) -> None:
        is_there = self._is_at_end(value)
        if is_there != self.is_end_in_view:
            self.is_end_in_view = is_there
            self.end_in_view_changed.emit(is_there)

    def _is_at_end(self, value: int) -> bool:
        return value >= self.verticalScrollBar().maximum() - END_TOLERANCE

    def _let_go(self) -> None:
        if self.is_end_in_view:
            self.is_end_in_view = False
            self.end_in_view_changed.emit(False)

    def _release(self) -> None:
        self.sections.release(self.offset - measures.FAR, self.offset + self.viewport().height() + measures.FAR)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_column()

    def fit_column(self) -> None:
        """Set the text in as wide a column as there is room for, where it is read."""
        anchor = self._anchor()
        self.sections.set_column(float(measures.column_within(self.width())))
        self.fit()
        if self.isVisible():
            self.settle(anchor)

    def fit(self) -> None:
        """Give what lies over the text its height, in a column of another width."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.settle()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Everything is painted anew; `settle` asks for that."""

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # each text by its own first letter
        left, scroll = self.column_left, self.offset
        shown = QRectF(event.rect())
        for index in self.sections.between(shown.top() + scroll, shown.bottom() + scroll):
            top = self.sections.tops[index] - scroll
            painter.save()
            painter.translate(left, top)
            paint_section(painter, self.sections[index], self.look_of(index), shown.translated(-left, -top))
            painter.restore()

    def look_of(self, index: int) -> Look:
        section = self.sections[index]
        is_focused = self.has_keyboard_focus and self.hasFocus() and index == self.focus_index
        hover = self.hover
        return Look(
            self.theme.tokens,
            self.model,
            self._pulse.phase,
            selected=lambda block, length: self.selection.span_of(index, block, length),
            found=self.finder.found_in(index),
            current=self.finder.current_in(index),
            drafted=section.drafted_in if self.is_tinted else lambda block: (),
            hover=(hover[1], hover[2]) if hover is not None and hover[0] == index else None,
            focused_block=self.focus_block if is_focused else -1,
            has_focus=is_focused and self.focus_block < 0,
        )

    def _move_caret(self) -> None:
        section = self.last
        if section is None or not section.is_running or not self.isVisible():
            return
        top = self.sections.tops[-1] - self.offset
        place = caret_rect(section).translated(self.column_left, top)
        self.viewport().update(place.toAlignedRect().adjusted(-1, -1, 1, 1))

    def update_section(self, index: int) -> None:
        self.viewport().update(self.rect_of_section(index).adjusted(-16, -12, 16, 12))
