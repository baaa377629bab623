"""The transcript's one document: a section for each message, edited only at its end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from PySide6.QtGui import QFontMetricsF, QTextBlock, QTextCursor, QTextDocument

from app.chat.notes import note_for
from app.chat.strip import describe, reread_words
from app.chat.transcript_formats import USER_PADDING, Formats, bare_block, kind_of, owner_of
from app.chat.transcript_writer import LiveText
from app.chat.wake import Round, Wake
from app.conversations.records import Message, ReplyState
from app.figures import write_count
from app.theme.fonts import font
from engine.messages import Delta, Progress, Statistics

COLUMN = 720
MARGIN = 12  # of the document at both sides of the column, for the composer's edge to fall on
USER_GAP, USER_INSET, REPLY_GAP, NOTE_GAP = 36, 12, 28, 10
REASON_NOTE_GAP = 16  # a fixed line height puts the text low in its line
USER_SHARE = 0.78
FOLD_LINES, FOLD_CHARACTERS = 40, 20_000
FOLD_SCHEME = "slipstream-unfold"


@dataclass(slots=True)
class Section:
    """One message in the document; a reply's text is `live`, a user's message has none."""

    number: int
    message: Message
    live: LiveText | None = None
    strip: QTextCursor | None = None  # stands in the reply's strip
    text: str = ""
    pending: str = ""  # arrived, but not in the document yet
    wake: Wake = field(default_factory=Wake)
    latest: Statistics = field(default_factory=Statistics)
    statistics: Statistics = field(default_factory=Statistics)  # as shown, which is seldomer than they arrive
    rounds: tuple[Round, ...] = ()
    progress: Progress | None = None
    is_unfolded: bool = False
    has_details: bool = False  # the strip's numbers stand under it as text

    @property
    def is_running(self) -> bool:
        return self.message.state is ReplyState.RUNNING

    def take(self, delta: Delta) -> None:
        """Keep what arrived until it is shown."""
        self.text += delta.text
        self.pending += delta.text
        self.latest = delta.statistics
        self.wake.add(delta)

    def show_latest(self) -> None:
        self.statistics = self.latest
        self.rounds = tuple(self.wake.rounds)


class TranscriptDocument:
    def __init__(self, document: QTextDocument, formats: Formats) -> None:
        self.document = document
        self.formats = formats
        self.sections: list[Section] = []
        self.column = COLUMN
        self.end_margin = MARGIN
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        self.clear()

    def clear(self) -> None:
        self.document.clear()
        self.sections.clear()
        frame = self.document.rootFrame().frameFormat()
        frame.setLeftMargin(MARGIN)
        frame.setRightMargin(self.end_margin)
        frame.setTopMargin(4)
        frame.setBottomMargin(20)
        self.document.rootFrame().setFrameFormat(frame)
        QTextCursor(self.document).setBlockFormat(bare_block("spacer", 0, height=1))

    def add(self, message: Message) -> Section:
        return self._append(Section(len(self.sections) + 1, message, text=message.text))

    def show(self, messages: Iterable[Message]) -> None:
        """Show these messages and no others."""
        self._write([Section(place, one, text=one.text) for place, one in enumerate(messages, start=1)])

    def write_anew(self) -> None:
        """Write every section again, in other formats or with other text."""
        for section in self.sections:
            section.pending = ""
        self._write(list(self.sections))

    def _write(self, sections: list[Section]) -> None:
        """Write all of them in one edit, so that they are laid out once."""
        self.clear()
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        for section in sections:
            self._append(section)
        edit.endEditBlock()

    def _append(self, section: Section) -> Section:
        if self.sections and self.sections[-1].live:
            self.write_tail(self.sections[-1], is_last=False)
        self.sections.append(section)
        cursor = self._at_end()
        cursor.beginEditBlock()
        if section.message.role == "assistant":
            self._add_reply(cursor, section)
        else:
            self._add_user(cursor, section)
        cursor.endEditBlock()
        return section

    def _at_end(self) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _add_user(self, cursor: QTextCursor, section: Section) -> None:
        """The text exactly as typed, one block a line."""
        lines = section.text.split("\n")
        num_lines = len(lines)
        is_folded = not section.is_unfolded and (num_lines > FOLD_LINES or len(section.text) > FOLD_CHARACTERS)
        if is_folded:
            lines = "\n".join(lines[:FOLD_LINES])[:FOLD_CHARACTERS].split("\n")
        left = self._user_left(lines)
        text_format = self.formats.plain("reply")
        for index, line in enumerate(lines):
            block_format = bare_block("user", section.number, gap=USER_GAP if index == 0 else 0)
            block_format.setLeftMargin(left)
            block_format.setRightMargin(USER_PADDING)
            if index == len(lines) - 1 and not is_folded:
                block_format.setBottomMargin(USER_INSET)
            cursor.insertBlock(block_format)
            cursor.insertText(line, text_format)
        if is_folded:
            self._add_fold(cursor, section, left, num_lines)

    def _add_fold(self, cursor: QTextCursor, section: Section, left: float, num_lines: int) -> None:
        block_format = bare_block("user", section.number, gap=4)
        block_format.setLeftMargin(left)
        block_format.setRightMargin(USER_PADDING)
        block_format.setBottomMargin(USER_INSET)
        link = self.formats.plain("interface", "target")
        link.setAnchor(True)
        link.setAnchorHref(f"{FOLD_SCHEME}:{section.number}")
        cursor.insertBlock(block_format)
        cursor.insertText(f"Show all, {write_count(num_lines, 'lines')}", link)

    def _user_left(self, lines: list[str]) -> float:
        """Left margin that puts the widest line's end at the end side."""
        most = self.column * USER_SHARE - 2 * USER_PADDING
        metrics = QFontMetricsF(font("reply"))
        widest = 0.0
        for line in lines:
            widest = max(widest, metrics.horizontalAdvance(line[:200]) + 2 if len(line) < 200 else most)
            if widest >= most:
                break
        return self.column - USER_PADDING - min(most, max(widest, 8.0))

    def _add_reply(self, cursor: QTextCursor, section: Section) -> None:
        cursor.insertBlock(bare_block("spacer", section.number, height=1, gap=REPLY_GAP))
        cursor.insertBlock(bare_block("paragraph", section.number))
        start = cursor.position()
        cursor.insertBlock(bare_block("strip", section.number, gap=6))
        section.strip = QTextCursor(cursor)
        section.strip.setKeepPositionOnInsert(True)
        section.live = LiveText(self.document, start, section.number, self.formats)
        if section.message.statistics and not section.statistics.num_tokens:
            section.statistics = section.latest = section.message.statistics
        self.write_tail(section, is_last=True)
        if section.text:
            section.live.append(section.text, is_live=section.is_running)

    def flush(self, section: Section) -> bool:
        """Put what arrived into the document; False where there was nothing."""
        if not section.pending or section.live is None:
            return False
        section.live.append(section.pending, is_live=section.is_running)
        section.pending = ""
        return True

    def end_reply(self, section: Section) -> None:
        """Show the state of a reply that ended: the last block as finished Markdown, then reasons and note."""
        assert section.live is not None
        section.live.append(section.pending, is_live=section.is_running)
        section.pending = ""
        self.write_tail(section, is_last=True)

    def write_tail(self, section: Section, *, is_last: bool) -> None:
        """Write what stands under a section's strip, in the place of what stood there."""
        assert section.strip is not None
        cursor = QTextCursor(section.strip.block())
        cursor.beginEditBlock()
        cursor.setPosition(_end_of_section(section.strip.block()), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        has_strip = section.is_running or section.statistics.num_tokens > 0
        gap, height = (6, 26) if has_strip else (0, 1)
        cursor.setBlockFormat(bare_block("strip", section.number, gap=gap, height=height))
        if section.live is not None and not section.text:
            section.live.set_empty(24 if section.is_running else 1)
        note = note_for(section.message)
        lines = [("reason", 22, words) for words in section.message.notices]
        if (reason := reread_words(section.statistics)) and not section.has_details:  # which say it too
            lines.append(("reason", 22, reason))
        if section.has_details:
            lines += [("detail", 0, words) for words in describe(section.statistics).split("\n")]
        if note and not is_last:
            lines.append(("state", 0, note.text))
        for kind, left, words in lines:
            block_format = bare_block(kind, section.number, height=22)
            block_format.setLeftMargin(left)
            cursor.insertBlock(block_format)
            cursor.insertText(words, self.formats.plain("small", "ink2"))
        if note and is_last:
            gap = REASON_NOTE_GAP if lines else NOTE_GAP
            cursor.insertBlock(bare_block("note", section.number, gap=gap, height=42))
        cursor.endEditBlock()

    def toggle_details(self, section: Section) -> None:
        """Show or hide the numbers under a strip; no other block is touched."""
        section.has_details = not section.has_details
        self.write_tail(section, is_last=section is self.sections[-1])

    def set_note_height(self, height: int) -> None:
        block = self.document.lastBlock()
        if kind_of(block) == "note" and block.blockFormat().lineHeight() != height:
            gap = round(block.blockFormat().topMargin())
            QTextCursor(block).setBlockFormat(bare_block("note", owner_of(block), gap=gap, height=height))

    def set_end_margin(self, margin: int) -> None:
        """Room between the column and the end of the view; less than MARGIN where a scroll bar takes some."""
        frame = self.document.rootFrame().frameFormat()
        self.end_margin = margin
        if frame.rightMargin() != margin:
            frame.setRightMargin(margin)
            self.document.rootFrame().setFrameFormat(frame)

    def set_column(self, column: int) -> None:
        """Take another width: only the user's messages depend on it."""
        if column == self.column:
            return
        self.column = column
        lefts: dict[int, float] = {}
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        block = self.document.begin()
        while block.isValid():
            if kind_of(block) == "user":
                owner = owner_of(block)
                if owner not in lefts:
                    lefts[owner] = self._user_left(self.sections[owner - 1].text.split("\n")[:FOLD_LINES])
                block_format = block.blockFormat()
                block_format.setLeftMargin(lefts[owner])
                QTextCursor(block).setBlockFormat(block_format)
            block = block.next()
        edit.endEditBlock()


def _end_of_section(block: QTextBlock) -> int:
    """Position behind the last character of the section that a block belongs to."""
    last = block
    while last.next().isValid() and owner_of(last.next()) == owner_of(block):
        last = last.next()
    return last.position() + last.length() - 1
