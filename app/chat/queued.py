"""Queued: messages that are sent one after the other, each when a reply ends, and can be taken back until then."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.chat.chips import SMALL, SmallButton
from app.chat.draft import Draft
from app.figures import write_count
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

MAX_WIDTH = 420
MOST_SHOWN = 3  # chips; more would leave a small window no room to write


class Queued(QWidget):
    """One chip for each message, the next one on top; hidden while nothing waits.

    A message that is held goes by itself no more: its chip sends it.
    """

    taken_back = Signal(object, int)  # Draft, and the place that its chip had
    sent = Signal(object)  # Draft of a chip, which is to be sent while no reply runs

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_busy = False  # whether a reply runs
        self.chips: list[QueuedChip] = []
        self._theme = theme
        self._more = QLabel(self)
        self._more.setFont(font("small"))
        self._more.setProperty("kind", "caption")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self._more)
        self.hide()

    @property
    def drafts(self) -> tuple[Draft, ...]:
        return tuple(chip.draft for chip in self.chips)

    def add(self, draft: Draft, after: QWidget, *, is_held: bool = False, place: int | None = None) -> None:
        """Let a message wait, as the last or at a place; Tab comes to its chip from the one before, or from `after`."""
        place = len(self.chips) if place is None else place
        chip = QueuedChip(self._theme, draft, self)
        chip.is_held = is_held
        chip.clicked.connect(lambda: self._take_back(chip))
        chip.send_button.clicked.connect(lambda: self._go_on(chip))
        self._column.insertWidget(place, chip, 0, Qt.AlignmentFlag.AlignLeft)
        QWidget.setTabOrder(self.chips[place - 1].send_button if place else after, chip)
        QWidget.setTabOrder(chip, chip.send_button)
        self.chips.insert(place, chip)
        self._refresh()

    def next_draft(self) -> Draft | None:
        """The message that has waited longest and is not held."""
        return next((chip.draft for chip in self.chips if not chip.is_held), None)

    def take(self, draft: Draft) -> bool:
        """Let go of a message that waits; False where it does not wait any more."""
        chip = next((chip for chip in self.chips if chip.draft == draft), None)
        if chip is not None:
            self._take(chip)
        return chip is not None

    def take_back_last(self) -> bool:
        """Have the message written on that came last; False where none waits."""
        if self.chips:
            self._take_back(self.chips[-1])
            return True
        return False

    def explain(self, draft: Draft, reason: str) -> None:
        """Say of a message why it was not sent."""
        for chip in self.chips:
            if chip.draft == draft:
                chip.set_reason(reason)

    def hold(self) -> None:
        """Send nothing more by itself: each message stays until it is sent or taken back by hand."""
        for chip in self.chips:
            chip.is_held = True
        self._refresh()

    def _go_on(self, chip: QueuedChip) -> None:
        if self.is_busy:
            chip.is_held = False
            self._refresh()
        else:
            self.sent.emit(chip.draft)

    def _take_back(self, chip: QueuedChip) -> None:
        place = self.chips.index(chip)
        self.taken_back.emit(self._take(chip), place)

    def _take(self, chip: QueuedChip) -> Draft:
        self.chips.remove(chip)
        self._column.removeWidget(chip)
        chip.hide()
        chip.deleteLater()
        self._refresh()
        return chip.draft

    def _refresh(self) -> None:
        following = next((chip for chip in self.chips if not chip.is_held), None)
        for place, chip in enumerate(self.chips):
            chip.set_lead("Not sent" if chip.is_held else "Next" if chip is following else "Then")
            chip.setVisible(place < MOST_SHOWN)
        num_more = len(self.chips) - MOST_SHOWN
        self._more.setText(f"and {num_more} more")
        self._more.setVisible(num_more > 0)
        self.setVisible(bool(self.chips))


class QueuedChip(PaintedButton):
    """The beginning of a message that waits; a press takes it back."""

    def __init__(self, theme: Theme, draft: Draft, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Take back the waiting message", parent)
        self.draft = draft
        self.is_held = False
        self.send_button = SmallButton(theme, "send", "Send the waiting message", self)
        self._summary = summary_of(draft)
        self._lead = "Next"
        self.setAccessibleDescription(self._summary)
        self.setFixedHeight(SMALL)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_lead(self, lead: str) -> None:
        self._lead = lead
        self.send_button.setVisible(self.is_held)
        self.updateGeometry()
        self.update()

    def set_reason(self, reason: str) -> None:
        self.setToolTip(reason)
        self.setAccessibleDescription(f"{self._summary}. {reason}")

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(font("interface")).horizontalAdvance(self._words()) + 12 + self._buttons_width()
        return QSize(min(MAX_WIDTH, round(width) + 2), SMALL)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, SMALL)

    def _buttons_width(self) -> int:
        return 28 + (SMALL if self.is_held else 0)

    def _words(self) -> str:
        return f"{self._lead}: {self._summary}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.send_button.move(self.width() - 26 - SMALL, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        draw_round(painter, rect, 7, tokens.hover if self.is_hovered else tokens.sunken)
        metrics = QFontMetricsF(font("interface"))
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink2))
        room = rect.width() - 12 - self._buttons_width()
        words = metrics.elidedText(self._words(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QPointF(12, rect.center().y() + metrics.capHeight() / 2), words)
        draw_symbol(painter, "close", tokens.ink2, QRectF(rect.right() - 21, rect.center().y() - 6, 12, 12))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)


def summary_of(draft: Draft) -> str:
    """The beginning of a draft in one line, and what is attached to it."""
    text = " ".join(draft.text[:200].split())
    num_files = len(draft.attachments)
    files = draft.attachments[0].name if num_files == 1 else write_count(num_files, "files")
    return text if not num_files else f"{text}, with {files}" if text else files
