"""Attaching: how files and long pastes become attachments of the message that is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog
from shiboken6 import isValid

from app.chat.attachments import MOST_AT_ONCE, MOST_CHARACTERS, AttachmentError, pasted, read_attachment
from app.chat.attachments_row import AttachmentRow
from app.chat.composer_note import ComposerNote
from app.chat.field import Field
from app.conversations.records import Attachment
from app.figures import write_count
from app.file_dialogs import FileDialog
from app.tasks import start

MOST_TEXT = 100_000  # characters; a line of a million takes the field most of a second with each key


class Attaching(QObject):
    """`row` shows the attachments, `note` says what was not attached, and offers a long paste as text again."""

    def __init__(self, field: Field, row: AttachmentRow, note: ComposerNote) -> None:
        super().__init__(field)
        self._field = field
        self._row = row
        self._note = note
        self._undo: Callable[[], None] | None = None  # of the last paste, until something else is done
        self._pasted: tuple[Attachment, str] | None = None  # the last paste, and what is said of it
        field.files_given.connect(self.take_files)
        field.long_pasted.connect(self._take_paste)
        field.refused.connect(note.tell)
        field.textChanged.connect(self._forget_paste)
        row.changed.connect(self._forget_paste)
        row.changed.connect(self._take_row)

    def choose_files(self) -> None:
        """Open the system's dialog, without waiting for it."""
        dialog = FileDialog(self._field.window(), "Attach files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.take_files([Path(name) for name in names]))
        dialog.open()

    def take_files(self, paths: list[Path]) -> None:
        start(self._read(paths))
        self._field.setFocus()

    @property
    def can_undo_paste(self) -> bool:
        return self._undo is not None

    def undo_paste(self) -> bool:
        """Put the last paste into the field after all; False where something else was done since."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
        return undo is not None

    async def _read(self, paths: list[Path]) -> None:
        loop = asyncio.get_running_loop()
        found: list[Attachment] = []
        refusals: list[str] = []
        for path in paths[: MOST_AT_ONCE + 1]:
            try:
                found.append(await loop.run_in_executor(None, read_attachment, path))
            except AttachmentError as error:
                refusals.append(str(error))
        if isValid(self):  # the tab may be closed meanwhile
            self._add(found, refusals)

    def _add(self, found: Iterable[Attachment], refusals: list[str]) -> None:
        """Attach what is not attached already, and say what was refused."""
        attached = list(dict.fromkeys((*self._row.attachments, *found)))
        num_taken = num_that_fit(attached)
        if num_taken < len(attached):
            most = f"{write_count(MOST_AT_ONCE, 'files')} with {write_count(MOST_CHARACTERS, 'characters')}"
            refusals = [*refusals, f"A message can quote {most}. Send the others with the next one."]
        if num_taken > len(self._row.chips):
            self._row.set_attachments(attached[:num_taken], self._field)
        if refusals:
            self._note.tell(" ".join(refusals[:3]))

    def _take_paste(self, text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            size, most = write_count(len(text), "characters"), write_count(MOST_CHARACTERS)
            self._note.tell(f"The paste has {size}; a message can quote {most}. Paste a part of it.")
            return
        attachment = pasted(text, {attachment.name for attachment in self._row.attachments})
        self._add((attachment,), [])
        if attachment not in self._row.attachments:
            return
        self._undo = lambda: self._turn_to_text(attachment)
        sentence = f"The paste has {write_count(len(text), 'characters')}, so it is attached."
        self._pasted = attachment, sentence
        self._note.tell(sentence, "Undo", self._undo)

    def _turn_to_text(self, attachment: Attachment) -> None:
        """Undo what the paste became; one that no field can lay out quickly is taken back altogether."""
        self._note.hide()
        if attachment not in self._row.attachments:
            return
        self._row.set_attachments([one for one in self._row.attachments if one is not attachment], self._field)
        if len(attachment.text) <= MOST_TEXT:
            self._field.insertPlainText(attachment.text)
        self._field.setFocus()

    def _take_row(self) -> None:
        """A paste that is attached no more has nothing said of it."""
        if self._pasted is not None and self._pasted[0] not in self._row.attachments:
            if self._note.text == self._pasted[1]:
                self._note.hide()
            self._pasted = None

    def _forget_paste(self) -> None:
        self._undo = None


def num_that_fit(attachments: Sequence[Attachment]) -> int:
    """How many of them, from the first on, one message may quote."""
    lengths = accumulate(len(attachment.text) for attachment in attachments[:MOST_AT_ONCE])
    return sum(length <= MOST_CHARACTERS for length in lengths)
