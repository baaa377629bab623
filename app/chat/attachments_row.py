"""AttachmentRow: what a message is to quote, one chip each; as many lines of them as the width needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.chat.chips import SMALL, SmallButton
from app.conversations.records import Attachment
from app.figures import write_count
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

GAP = 6
MAX_WIDTH = 280
_REMOVING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class AttachmentRow(QWidget):
    """Hidden while nothing is attached."""

    changed = Signal()
    opened = Signal(object)  # Attachment, to be read

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chips: list[AttachmentChip] = []
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(chip.attachment for chip in self.chips)

    def set_attachments(self, attachments: Iterable[Attachment], after: QWidget) -> None:
        """Show these and no others; Tab comes to them from `after`."""
        for chip in self.chips:
            chip.hide()
            chip.deleteLater()
        self.chips = [self._make(attachment) for attachment in attachments]
        for chip in self.chips:
            QWidget.setTabOrder(after, chip)
            QWidget.setTabOrder(chip, chip.remove_button)
            after = chip.remove_button
        self._refresh()

    def remove(self, chip: AttachmentChip) -> None:
        self.chips.remove(chip)
        chip.hide()
        chip.deleteLater()
        self._refresh()

    def set_tokens(self, num_tokens_of: Callable[[Attachment], int | None]) -> None:
        """Show how many tokens each has, where that is known."""
        for chip in self.chips:
            chip.set_tokens(num_tokens_of(chip.attachment))
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _make(self, attachment: Attachment) -> AttachmentChip:
        chip = AttachmentChip(self._theme, attachment, self)
        chip.clicked.connect(lambda: self.opened.emit(attachment))
        chip.removed.connect(lambda: self.remove(chip))
        chip.show()
        return chip

    def _refresh(self) -> None:
        self.setVisible(bool(self.chips))
        self._place()
        self.changed.emit()

    def _place(self) -> None:
        left = top = 0
        for chip in self.chips:
            width = min(chip.sizeHint().width(), max(self.width(), 120))
            if left and left + width > self.width():
                left, top = 0, top + SMALL + GAP
            chip.setGeometry(left, top, width, SMALL)
            left += width + GAP
        self.setFixedHeight(top + SMALL)


class AttachmentChip(PaintedButton):
    """Name and tokens; a press shows the text, its × takes it off the message."""

    removed = Signal()

    def __init__(self, theme: Theme, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(theme, f"Show {attachment.name}", parent)
        self.attachment = attachment
        self.remove_button = SmallButton(theme, "close", f"Remove {attachment.name}", self)
        self.remove_button.setToolTip(plain_tooltip(f"Remove {attachment.name}"))
        self.remove_button.clicked.connect(self.removed)
        self._tokens = ""
        self.set_tokens(None)

    def set_tokens(self, num_tokens: int | None) -> None:
        self._tokens = "" if num_tokens is None else write_count(num_tokens, "tokens")
        self.setAccessibleName(f"Show {self.attachment.name} {self._tokens}".rstrip())
        self.setToolTip(plain_tooltip(f"{self.attachment.name}  {self._tokens}".rstrip()))
        self.update()

    def sizeHint(self) -> QSize:
        width = 10 + QFontMetricsF(font("interface")).horizontalAdvance(self.attachment.name) + SMALL
        return QSize(min(MAX_WIDTH, round(width + self._tokens_width()) + 2), SMALL)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _REMOVING:
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.remove_button.move(self.width() - SMALL, 0)

    def _tokens_width(self) -> float:
        return QFontMetricsF(font("small")).horizontalAdvance(self._tokens) + 8 if self._tokens else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        is_warm = self.is_hovered or self.isDown()
        draw_round(painter, rect, 7, tokens.hover if is_warm else tokens.sunken, tokens.line)
        metrics = QFontMetricsF(font("interface"))
        room = rect.width() - 10 - SMALL - self._tokens_width()
        name = metrics.elidedText(self.attachment.name, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink))
        base = rect.center().y() + metrics.capHeight() / 2
        painter.drawText(QPointF(10, base), name)
        painter.setFont(font("small"))
        painter.setPen(QColor(tokens.ink3))
        painter.drawText(QPointF(18 + metrics.horizontalAdvance(name), base), self._tokens)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)
