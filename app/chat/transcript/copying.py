"""Copying: what goes to the clipboard, in slices where it is long."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import QClipboard, QGuiApplication

from app.chat.transcript.marked import join_text
from app.chat.transcript.section import Section, left_out_words
from app.chat.transcript.slices import Slices
from app.conversations.reasoning import answer_of


class Copying(QObject):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._slices = Slices(self)

    def copy(self, parts: Iterator[str], mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> None:
        """Put the parts on the clipboard once all of them are there, a blank line between."""
        copied: list[str] = []
        self._slices.start(_gather(parts, copied), lambda: _put(copied, mode))


def text_of(section: Section) -> Iterator[str]:
    """A message's words without their Markdown."""
    yield join_blocks(section)


def source_of(section: Section) -> str:
    """A message as it was written, in Markdown; a reply's reasoning is not copied with its answer."""
    if not section.is_reply:
        return section.text
    return answer_of(section.text, section.message.opening, section.reading.tags)


def join_blocks(section: Section) -> str:
    return join_text([(block, (0, block.length)) for block in section.contents.blocks if not block.is_hidden])


def shown_text(section: Section) -> str:
    """Everything that is shown of a message, as text: also what stands around its words."""
    left_out = left_out_words(section.num_left_out_above) if section.num_left_out_above else ""
    details = "\n".join(block.text(0, block.length) for block in section.details.blocks)
    state = section.note.text if section.note is not None else ""
    parts = (left_out, join_blocks(section), *section.reasons, section.more_words, details, state)
    return "\n".join(part for part in parts if part)


def _gather(parts: Iterator[str], copied: list[str]) -> Iterator[None]:
    for part in parts:
        copied.append(part)
        yield


def _put(parts: list[str], mode: QClipboard.Mode) -> None:
    if text := "\n\n".join(part for part in parts if part):
        QGuiApplication.clipboard().setText(text, mode)
