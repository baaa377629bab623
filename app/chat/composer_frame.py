"""ComposerFrame: the composer's parts in their places, and how it looks."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.chat.attachments_row import AttachmentRow
from app.chat.composer_attaching import Attaching
from app.chat.composer_foot import ComposerFoot
from app.chat.composer_note import ComposerNote
from app.chat.field import Field, is_undo, local_files
from app.chat.queued import Queued
from app.chat.spelling import Spelling
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

SPACING = 8


class ComposerFrame(QFrame):
    """`foot` has the choices for the next reply, `queued` what waits, `attachments` what the message quotes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._most_height = 240
        self._is_under_files = False  # that are dragged
        self.note = ComposerNote(theme, self)
        self.limit = ComposerNote(theme, self)  # that the prompt does not fit
        self.editing = ComposerNote(theme, self)
        self.queued = Queued(theme, self)
        self.attachments = AttachmentRow(theme, self)
        self.field = Field(self)
        self.foot = ComposerFoot(theme, self)
        self.field.spelling = Spelling(theme, self.field)
        self.attaching = Attaching(self.field, self.attachments, self.note)
        self._lay_out()
        self.foot.attach_button.clicked.connect(self.attaching.choose_files)
        self.field.installEventFilter(self)
        theme.tokens_changed.connect(self.update)
        self.setAcceptDrops(True)

    def _lay_out(self) -> None:
        text = QVBoxLayout()
        text.setContentsMargins(8, 0, 0, 0)
        text.setSpacing(SPACING)
        for widget in (self.note, self.limit, self.editing):
            text.addWidget(widget)
        text.addWidget(self.queued, 0, Qt.AlignmentFlag.AlignLeft)
        text.addWidget(self.attachments)
        text.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 12, 10, 7)
        column.setSpacing(6)
        column.addLayout(text)
        column.addWidget(self.foot)

    def focus_chain(self) -> tuple[QWidget, ...]:
        """What Tab comes to, in order."""
        of_notes = (self.note.button, self.note.close_button, self.limit.button, self.editing.button)
        waiting = [widget for chip in self.queued.chips for widget in (chip, chip.send_button)]
        attached = [widget for chip in self.attachments.chips for widget in (chip, chip.remove_button)]
        return (self.field, *of_notes, *waiting, *attached, *self.foot.focus_chain())

    def take_files(self, paths: list[Path]) -> None:
        """Attach files that were dropped or chosen elsewhere."""
        self.attaching.take_files(paths)

    def set_most_height(self, height: int) -> None:
        """The most that waiting messages, attachments and text may take together; the text keeps two lines."""
        self._most_height = height
        self._fit_field()

    def _fit_field(self) -> None:
        others = [widget.height() + SPACING for widget in (self.queued, self.attachments) if not widget.isHidden()]
        self.field.set_most_height(self._most_height - sum(others))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_field()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        is_undone = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and is_undo(event)
        return (is_undone and self.attaching.undo_paste()) or super().eventFilter(watched, event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self._is_under_files = True
            self.update()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._is_under_files = False
        self.update()

    def dropEvent(self, event: QDropEvent) -> None:
        self._is_under_files = False
        self.update()
        if paths := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.take_files(paths)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        border = tokens.target if self.field.hasFocus() or self._is_under_files else tokens.line
        draw_round(QPainter(self), QRectF(self.rect()), 14, tokens.raised, border)
