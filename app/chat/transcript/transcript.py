"""Transcript: the messages of one chat, shown as they come."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.chat.blocks.changes import changes
from app.chat.notes import NoteBar
from app.chat.transcript import accessibility, measures
from app.chat.transcript.copying import shown_text, source_of
from app.chat.transcript.end_button import EndButton
from app.chat.transcript.frames import FRAME_MS, frame_milliseconds
from app.chat.transcript.hands import TranscriptHands
from app.chat.transcript.section import Section
from app.conversations.records import Message
from app.theme.fonts import font
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from engine.messages import Delta, Notice, Progress, ReasoningTags

STRIP_MS = 250
_NEW_LINE = 24  # px that count as one new line
_END_GAP = 12


class Transcript(TranscriptHands):
    """What arrives waits for the next frame; in a hidden tab, until it is shown."""

    reply_in_view_changed = Signal(str)  # id of the last reply that is seen, or ""

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(theme, pulse, parent)
        accessibility.install()
        self.setAccessibleName("Transcript")
        self.reply_in_view = ""
        self._height_when_left = 0.0
        self._font_pixels = font("reply").pixelSize()
        self._note_bar = NoteBar(theme, self.viewport())
        self._note_bar.chosen.connect(self._act_on_note)
        self._end_button = EndButton(theme, self)
        self._end_button.clicked.connect(self.scroll_to_end)
        self._frame_timer = self.make_timer(FRAME_MS, self.flush)
        self._strip_timer = self.make_timer(STRIP_MS, self._show_statistics)
        self.moved.connect(self._place_extras)
        self.end_in_view_changed.connect(self._take_end_in_view)
        theme.tokens_changed.connect(self._take_theme)
        changes().changed.connect(self._take_changes)

    def set_model(self, name: str) -> None:
        """The name that "Loading …" says."""
        self.model = name
        self.viewport().update()

    def set_reasoning_tags(self, tags: Sequence[ReasoningTags]) -> None:
        """Know tags that a model's tokenizer names, beside those of models that the chat had before."""
        known = self.sections.reading.tags
        new = tuple(each for each in tags if each not in known)
        self.sections.reading.tags = known + new
        if affected := [section for section in self.sections if section.has_tags(new)]:
            self.selection.clear()
            self.hold(lambda: self._make_anew(affected))
            self.finder.again()

    def set_tint(self, is_tinted: bool) -> None:
        """Tint what accepted drafts wrote."""
        self.is_tinted = is_tinted
        self.viewport().update()

    def show_messages(self, messages: list[Message], siblings: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """Show a path; `siblings` has the branches of messages that have some, by their ids.

        Another path of the same chat leaves the view where it is; another chat is shown from its end.
        """
        anchor = self.sections.anchor_at(self.offset) if self._is_same_chat(messages) else None
        self.selection.clear()
        self.focus_block = -1
        self.hover = None
        self.sections.show(messages)
        self.sections.set_siblings(siblings or {})
        accessibility.forget_gone(self)
        self.focus_index = min(self.focus_index, len(messages) - 1) if anchor else -1
        self._show_note()
        if anchor is None or self.sections.items[-1].is_running:
            self.scroll_to_end()
        else:
            self.hold_at(anchor)
        self.finder.again()

    def _is_same_chat(self, messages: Sequence[Message]) -> bool:
        shown = {section.message.conversation_id for section in self.sections}
        return bool(messages) and messages[-1].conversation_id in shown

    def set_siblings(self, siblings: Mapping[str, tuple[str, ...]]) -> None:
        self.sections.set_siblings(siblings)
        self.settle()

    def add_message(self, message: Message) -> None:
        """Add below the others; the user's own message is always scrolled to."""
        anchor = self._anchor()
        self.sections.add(message)
        self._show_note()
        if message.role == "user":
            self.scroll_to_end()
        else:
            self.settle(anchor)

    def extend(self, delta: Delta) -> None:
        section = self.last
        if section is None or not section.is_reply:
            return
        section.take(delta)
        if self.isVisible():
            for timer in (self._frame_timer, self._strip_timer):
                if not timer.isActive():
                    timer.start()

    def change(self, message: Message) -> None:
        """Take another state, other reasons or another text of a message."""
        index = self.sections.find(message.id)
        if index is None:
            return
        anchor = self._anchor()
        section = self.sections[index]
        section.change(message)
        accessibility.forget_gone(self)
        self.sections.mark_left_out()
        self.sections.place_again(index)
        self._show_note()
        self.settle(anchor)
        if section is self.last:
            self.finder.follow(0)
        accessibility.tell_change(self, index)

    def set_progress(self, progress: Progress | Notice | None) -> None:
        if self.last is not None:
            anchor, self.last.progress = self._anchor(), progress
            self._show_note()
            self.settle(anchor)

    def set_remark(self, message_id: str, sentence: str, *, can_stop: bool = False) -> None:
        """Say something under a message that is not kept, such as how far a check is; "" takes it away."""
        index = self.sections.find(message_id)
        if index is not None:
            self.sections[index].remark, self.sections[index].can_stop = sentence, can_stop
            self.hold(lambda: self.sections.place_again(index))

    def scroll_to_message(self, message_id: str) -> None:
        index = self.sections.find(message_id)
        if index is not None:
            self.scroll_to(index)

    def last_reply_text(self) -> str:
        replies = [section for section in self.sections if section.is_reply]
        return source_of(replies[-1]) if replies else ""

    def plain_text(self) -> str:
        """Everything that is shown as text, message by message."""
        return "\n\n".join(shown_text(section) for section in self.sections)

    # What arrives

    def flush(self) -> None:
        """Put what arrived into its blocks; the slower that is, the seldomer it is done."""
        start = time.perf_counter()
        index = len(self.sections) - 1
        section = self.last
        if section is None or not section.pending:
            return
        before = (self.offset, self.sections.height)
        anchor = self._anchor()
        num_blocks = len(section.body.blocks)
        first = section.write()
        if len(section.body.blocks) > num_blocks:
            accessibility.tell_change(self, index)  # a block was closed
        self.finder.follow(first)
        self.sections.place_again(index)
        self.settle(anchor, is_whole=False)
        if before == (self.offset, self.sections.height):
            self._update_from(index, first)
        else:
            self.viewport().update()
        self._count_new_lines()
        self._frame_timer.setInterval(frame_milliseconds(time.perf_counter() - start))

    def _update_from(self, index: int, block: int) -> None:
        """Paint the blocks that changed, and the caret behind them."""
        place = self.rect_of_section(index)
        if block < len(self.sections[index].body.blocks):
            place.setTop(round(self.rect_of_block(index, block).top()) - 2)
        self.viewport().update(place.adjusted(-16, 0, 16, 0))

    def _show_statistics(self) -> None:
        section = self.last
        if section is None or not section.is_running:
            return
        before = len(section.reasons), section.details.height
        section.show_latest()
        section.show_thinking()
        if before != (len(section.reasons), section.details.height):
            self.hold(lambda: self.sections.place_again(len(self.sections) - 1))
        self.update_section(len(self.sections) - 1)
        self._rows.place()

    def showEvent(self, event: QShowEvent) -> None:
        self._take_theme()
        super().showEvent(event)
        self.flush()
        self._show_statistics()

    # What lies over the text

    def _show_note(self) -> None:
        """The buttons of the last message's note; those of earlier ones are lines."""
        section = self.last
        note = section.note if section is not None else None
        if section is None or note is None:
            self._note_bar.hide()
        else:
            self._note_bar.show_note(note)
        self.fit()

    def fit(self) -> None:
        section = self.last
        if section is None:
            return
        is_there = section.note is not None
        section.note_height = self._note_bar.height_for(round(self.sections.column)) if is_there else 0
        self.sections.place_again(len(self.sections) - 1)

    def note_buttons(self) -> list[QWidget]:
        return list(self._note_bar.buttons) if not self._note_bar.isHidden() else []

    def _place_extras(self) -> None:
        self._tell_reply_in_view()
        button = self._end_button
        left = self.column_left + (round(self.sections.column) - button.width()) // 2
        button.move(left, self.height() - button.height() - _END_GAP)
        button.raise_()
        if self.last is None or self._note_bar.isHidden():
            return
        top = self.sections.tops[-1] + self.last.parts.tail + measures.NOTE_GAP - self.offset
        width = round(self.sections.column)
        self._note_bar.setGeometry(self.column_left, round(top), width, self.last.note_height)

    def _take_end_in_view(self, is_there: bool) -> None:
        self._height_when_left = self.sections.height
        self._end_button.set_lines(0)
        self._end_button.setVisible(not is_there)
        self._place_extras()

    def _count_new_lines(self) -> None:
        if not self.is_end_in_view:
            self._end_button.set_lines(max(0, round((self.sections.height - self._height_when_left) / _NEW_LINE)))
            self._place_extras()

    def _tell_reply_in_view(self) -> None:
        bottom = self.offset + self.viewport().height()
        seen = [self.sections[index] for index in self.sections.between(self.offset, bottom)]
        replies = [section.message.id for section in seen if section.is_reply]
        kept = self.reply_in_view if self.sections.find(self.reply_in_view) is not None else ""
        shown = replies[-1] if replies else kept
        if shown != self.reply_in_view:
            self.reply_in_view = shown
            self.reply_in_view_changed.emit(shown)

    def _take_changes(self) -> None:
        if self.isVisible():
            self.settle()

    def _take_theme(self) -> None:
        """Colours are read when painting; another text size asks for all blocks anew, once they are shown."""
        pixels = font("reply").pixelSize()
        if pixels != self._font_pixels and self.isVisible():
            self._font_pixels = pixels
            self.hold(self._measure_anew)
        self.viewport().update()

    def _make_anew(self, sections: Iterable[Section]) -> None:
        for section in sections:
            section.make_anew()
        self.sections.place_all()

    def _measure_anew(self) -> None:
        for section in self.sections:
            section.measure_anew()
        self.sections.place_all()
        self.fit()
