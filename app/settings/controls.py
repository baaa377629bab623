"""Switch and Slider: the painted controls of a form."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QWidget

from app.statistics.sizes import scaled
from app.theme.buttons import KEYBOARD_REASONS, PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_dot, draw_focus_ring, draw_round
from app.theme.labels import make_label
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

TRACK = QSize(36, 20)  # of a switch
GROOVE, KNOB, EDGE = 4, 9, 3  # of a slider, px; the edge leaves room for the focus ring


class Switch(PaintedButton):
    """On or off; the place of the knob tells it beside the colour. `toggled` and `isChecked` are Qt's."""

    def __init__(self, theme: Theme, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self.setToolTip("")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(TRACK.width() + 8, 32)

    def set_on(self, is_on: bool) -> None:
        """Show it without telling of a choice."""
        self.blockSignals(True)
        self.setChecked(is_on)
        self.blockSignals(False)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self.theme.tokens
        track = QRectF(4, (self.height() - TRACK.height()) / 2, TRACK.width(), TRACK.height())
        if not self.isEnabled():
            draw_round(painter, track, 10, tokens.hover, tokens.line)
        else:
            draw_round(painter, track, 10, tokens.target if self.isChecked() else tokens.edge)
        is_right = self.isChecked() != (self.layoutDirection() == Qt.LayoutDirection.RightToLeft)
        knob = QPointF(track.right() - 10 if is_right else track.left() + 10, track.center().y())
        draw_dot(painter, tokens.on_target if self.isChecked() and self.isEnabled() else tokens.raised, knob, 7.0)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, track.adjusted(-4, -4, 4, 4), 13)


class PaintedSlider(QSlider):
    """Goes to where it is clicked; the wheel scrolls the page."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._has_keyboard_focus = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.tokens_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(160, 32)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 32)

    @property
    def _room(self) -> QRectF:
        """Where the middle of the knob may be."""
        side = KNOB + EDGE
        return QRectF(side, self.height() / 2, max(1.0, self.width() - 2 * side), 0)

    def _position_at(self, x: float) -> int:
        share = min(1.0, max(0.0, (x - self._room.left()) / self._room.width()))
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            share = 1 - share
        steps = round(share * (self.maximum() - self.minimum()) / self.singleStep())
        return min(self.maximum(), self.minimum() + steps * self.singleStep())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setSliderPosition(self._position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setSliderPosition(self._position_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._has_keyboard_focus = False
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens, room = QPainter(self), self._theme.tokens, self._room
        share = (self.sliderPosition() - self.minimum()) / max(1, self.maximum() - self.minimum())
        groove = QRectF(room.left(), room.top() - GROOVE / 2, room.width(), GROOVE)
        done = QRectF(groove)
        done.setWidth(share * groove.width())
        draw_round(painter, groove, 2, tokens.hover)
        draw_round(painter, mirrored(done, groove, self.layoutDirection()), 2, self._colour(tokens.target))
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        middle = room.left() + (1 - share if is_mirrored else share) * room.width()
        draw_dot(painter, self._colour(tokens.edge), QPointF(middle, room.top()), KNOB)
        draw_dot(painter, tokens.raised, QPointF(middle, room.top()), KNOB - 1.5)
        if self._has_keyboard_focus:
            ring = QRectF(0, 0, 2 * (KNOB + EDGE), 2 * (KNOB + EDGE))
            ring.moveCenter(QPointF(middle, room.top()))
            draw_focus_ring(painter, tokens, ring, KNOB + EDGE)

    def _colour(self, colour: str) -> str:
        return colour if self.isEnabled() else self._theme.tokens.line


class Slider(QWidget):
    """A slider and its value in words beside it; `changed` tells of a choice once the slider is let go."""

    changed = Signal(int)

    def __init__(
        self,
        theme: Theme,
        low: int,
        high: int,
        write: Callable[[int], str],
        *,
        step: int = 1,
        width: int = 240,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.slider = PaintedSlider(theme, self)
        self._write = write
        self._width = width
        self._label = make_label("", "interface", "", self)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self.slider.setRange(low, high)
        self.slider.setSingleStep(step)
        self.slider.setPageStep(step)
        self.slider.setTracking(False)
        self.setFocusProxy(self.slider)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        line.addWidget(self.slider, 1)
        line.addWidget(self._label)
        self.slider.sliderMoved.connect(self._show)
        self.slider.valueChanged.connect(self._show)
        self.slider.valueChanged.connect(self.changed)
        theme.tokens_changed.connect(self._fit)
        self._fit()
        self._show(low)

    @property
    def value(self) -> int:
        return self.slider.value()

    def set_value(self, value: int) -> None:
        """Show it without telling of a choice."""
        if not self.slider.isSliderDown():
            self.slider.blockSignals(True)
            self.slider.setValue(value)
            self.slider.blockSignals(False)
            self.slider.update()
            self._show(self.slider.value())

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._width), 32)

    def _fit(self) -> None:
        """Keep the slider's place whatever the value says."""
        metrics = QFontMetricsF(font("interface"))
        ends = (self._write(self.slider.minimum()), self._write(self.slider.maximum()))
        self._label.setMinimumWidth(round(max(metrics.horizontalAdvance(words) for words in ends)) + 2)

    def _show(self, value: int) -> None:
        self._label.setText(self._write(value))
        self.slider.setAccessibleDescription(self._write(value))
