"""TranscriptView: the scrolling area: what is laid out, where the view is held, and what is painted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.chat.blocks.block import Block
from app.chat.transcript import measures
from app.chat.transcript.find import Finder
from app.chat.transcript.painting import Look, caret_rect, paint_section
from app.chat.transcript.scroll_bar import QuietScrollBar
from app.chat.transcript.section import Section
from app.chat.transcript.sections import Anchor, Sections
from app.chat.transcript.selection import Place, Selection
from app.theme.pulse import Pulse
from app.theme.theme import Theme

END_TOLERANCE = 4  # px from the end that still count as the end
RELEASE_MS = 500
_ROUNDS = 6  # of layout until nothing moves
_WHEEL_STEP = 24


class TranscriptView(QAbstractScrollArea):
    end_in_view_changed = Signal(bool)
    moved = Signal()  # the text lies elsewhere in the view

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.sections = Sections()
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

    # Where things are

    @property
    def last(self) -> Section | None:
        return self.sections.last

    @property
    def offset(self) -> int:
        return self.verticalScrollBar().value()

    @property
    def column_left(self) -> int:
        return (self.width() - round(self.sections.column)) // 2

    def rect_of_section(self, index: int) -> QRect:
        """A section in the viewport."""
        top = self.sections.tops[index] - self.offset
        height = self.sections[index].parts.height
        return QRectF(self.column_left, top, self.sections.column, height).toRect()

    def rect_of_block(self, index: int, block: int) -> QRectF:
        """A block of a section in the viewport, as wide as its stack."""
        section = self.sections[index]
        is_body = block < len(section.body.blocks)
        stack = section.body if is_body else section.details
        place = block if is_body else block - len(section.body.blocks)
        left = self.column_left + (section.body_left if is_body else 0)
        top = self.sections.tops[index] + section.top_of_block(block) - self.offset
        return QRectF(left, top, stack.width, stack.heights[place])

    def block_at(self, point: QPointF) -> tuple[int, int, QPointF] | None:
        """Section and block under a point of the viewport, and the point in the block."""
        nearest = self._nearest(point)
        if nearest is None:
            return None
        index, block = nearest
        rect = self.rect_of_block(index, block)
        return (index, block, point - rect.topLeft()) if rect.contains(point) else None

    def place_at(self, point: QPointF) -> Place | None:
        """The position that is nearest to a point of the viewport."""
        nearest = self._nearest(point)
        if nearest is None:
            return None
        index, block = nearest
        rect = self.rect_of_block(index, block)
        shown = self._laid_out(index, block)
        if point.y() < rect.top():
            return Place(index, block, 0)
        if point.y() > rect.bottom():
            return Place(index, block, shown.length)
        return Place(index, block, shown.position_at(point - rect.topLeft()))

    def _nearest(self, point: QPointF) -> tuple[int, int] | None:
        if not len(self.sections):
            return None
        y = point.y() + self.offset
        index = self.sections.index_at(y)
        section = self.sections[index]
        if not section.is_made:
            section.make()
            self.sections.place(index)
        while not section.blocks:
            if index == 0:
                return None
            index -= 1
            section = self.sections[index]
        inside = y - self.sections.tops[index]
        if section.details.blocks and inside >= section.parts.details:
            return index, len(section.body.blocks) + section.details.index_at(inside - section.parts.details)
        if not section.body.blocks:
            return index, 0
        return index, section.body.index_at(inside - section.parts.body)

    def _laid_out(self, index: int, block: int) -> Block:
        section = self.sections[index]
        shown = section.blocks[block]
        if not shown.is_laid_out:
            shown.set_width(section.body.width)
        return shown

    def buttons_of(self, section: Section) -> list[QWidget]:
        """Buttons of a message that are seen, from the start."""
        return []

    # Layout and scrolling

    def hold(self, work: Callable[[], None]) -> None:
        """Do what changes heights without moving what the reader sees."""
        anchor = self._anchor()
        work()
        self.settle(anchor)

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
        section = self.sections[index]
        if not section.is_made:
            section.make()
            self.sections.place(index)
        self.settle(Anchor(index, block, offset - measures.TOP))
        self._take_end(self.offset)

    def show_rect(self, rect: QRectF) -> None:
        """Scroll as little as is needed to see a rectangle of the viewport."""
        room = self.viewport().height() - 2 * measures.TOP
        if rect.top() < measures.TOP or rect.height() > room:
            self.verticalScrollBar().setValue(self.offset + round(rect.top()) - measures.TOP)
        elif rect.bottom() > measures.TOP + room:
            self.verticalScrollBar().setValue(self.offset + round(rect.bottom()) - measures.TOP - room)

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
        is_there = value >= self.verticalScrollBar().maximum() - END_TOLERANCE
        if is_there != self.is_end_in_view:
            self.is_end_in_view = is_there
            self.end_in_view_changed.emit(is_there)

    def _let_go(self) -> None:
        if self.is_end_in_view:
            self.is_end_in_view = False
            self.end_in_view_changed.emit(False)

    def _release(self) -> None:
        self.sections.release(self.offset - measures.FAR, self.offset + self.viewport().height() + measures.FAR)

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = self._anchor()
        column = max(200, min(measures.COLUMN, self.width() - 2 * measures.SIDE))
        self.sections.set_column(float(column))
        super().resizeEvent(event)
        if self.isVisible():
            self.settle(anchor)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.settle()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Everything is painted anew; `settle` asks for that."""

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
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
            drafted=section.contents.drafted if self.is_tinted else lambda block: (),
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
