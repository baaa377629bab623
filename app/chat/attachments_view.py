"""AttachmentView: the text of an attachment in a window of its own, to be read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from app.conversations.records import Attachment
from app.theme.fonts import font

SIZE = (680, 520)


class AttachmentView(QDialog):
    """Goes when it is closed; Esc closes it."""

    def __init__(self, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(attachment.name)
        self.text = QPlainTextEdit(self)
        self.text.setFont(font("code"))
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setAccessibleName(f"Text of {attachment.name}")
        self.text.setPlainText(attachment.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 4, 4)
        column.addWidget(self.text)
        self.resize(*SIZE)


def show_attachment(attachment: Attachment, parent: QWidget) -> None:
    """Open its text over a window; the focus returns when it is closed."""
    AttachmentView(attachment, parent.window()).open()
