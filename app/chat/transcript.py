"""Transcript: the messages of one chat, shown as they come."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.chat.notes import NoteBar, note_for
from app.chat.transcript_formats import Formats, kind_of
from app.chat.transcript_view import TranscriptView
from app.conversations.records import Message
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from engine.messages import Delta, Progress

FRAME_MS = 16
FRAME_SHARE = 4  # a frame is at least so many times as long as the last took to write
STRIP_MS = 250


def frame_milliseconds(flush_seconds: float) -> int:
    """How long to wait for the next flush after one that took so long."""
    return max(FRAME_MS, round(1000 * FRAME_SHARE * flush_seconds))


class Transcript(TranscriptView):
    """What arrives waits for the next frame; in a hidden tab, until it is shown."""

    action_chosen = Signal(object)  # Action of the note under the last reply

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(theme, pulse, parent)
        self._has_old_colours = False
        self._note_bar = NoteBar(theme, self.viewport())
        self._note_bar.chosen.connect(self.action_chosen)
        self._frame_timer = self.make_timer(FRAME_MS, self.flush)
        self._strip_timer = self.make_timer(STRIP_MS, self._show_statistics)
        theme.tokens_changed.connect(self._take_theme)

    def set_model(self, name: str) -> None:
        """The name that "Loading …" says."""
        self.painted.model = name
        self.viewport().update()

    def show_messages(self, messages: list[Message]) -> None:
        self.content.show(messages)
        self._show_note()
        self.scroll_to_end()

    def add_message(self, message: Message) -> None:
        """Add below the others; the user's own message is always scrolled to."""
        self.content.add(message)
        self._show_note()
        if message.role == "user":
            self.scroll_to_end()
        self.keep_end()

    def extend(self, delta: Delta) -> None:
        section = self.last
        if section is None or section.live is None:
            return
        section.take(delta)
        if self.isVisible():
            self._start_timers()

    def change(self, message: Message) -> None:
        """Take another state or other reasons of the last reply."""
        section = self.last
        if section is None or section.live is None or section.message.id != message.id:
            return
        section.message = message
        section.latest = message.statistics or section.latest
        section.show_latest()
        if not section.is_running:
            section.progress = None
        if message.text != section.text:
            section.text = message.text
            self.write_anew()
        else:
            self.content.end_reply(section)
        self._show_note()
        self.keep_end()
        self.viewport().update()

    def set_progress(self, progress: Progress | None) -> None:
        if self.last is not None:
            self.last.progress = progress
            self.viewport().update()

    def flush(self) -> None:
        """Put what arrived into the document; the slower that is, the seldomer it is done."""
        start = time.perf_counter()
        if self.last is not None and self.content.flush(self.last):
            self.keep_end()
        self._frame_timer.setInterval(frame_milliseconds(time.perf_counter() - start))

    def toggle_last_details(self) -> None:
        """Show or hide the numbers of the last reply."""
        replies = [section for section in self.content.sections if section.live]
        if replies:
            self.toggle_details(replies[-1])

    def last_reply_text(self) -> str:
        replies = [section.text for section in self.content.sections if section.live]
        return replies[-1] if replies else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._has_old_colours:
            self._take_theme()
        self.flush()
        self._show_statistics()

    def place_extras(self) -> None:
        """Lay the note's buttons over the room that the document keeps for them."""
        block = self.document().lastBlock()
        if kind_of(block) == "note" and not self._note_bar.isHidden():
            height = self._note_bar.height_for(self.content.column)
            self.content.set_note_height(height)
            rect = self.painted.rect_of(self.document().lastBlock())
            rect.setHeight(height)
            self._note_bar.setGeometry(rect.translated(0, -self.verticalScrollBar().value()).toRect())

    def _show_note(self) -> None:
        note = note_for(self.last.message) if self.last else None
        if note is None:
            self._note_bar.hide()
        else:
            self._note_bar.show_note(note)
            self.place_extras()

    def _start_timers(self) -> None:
        for timer in (self._frame_timer, self._strip_timer):
            if not timer.isActive():
                timer.start()

    def _show_statistics(self) -> None:
        section = self.last
        if section is None or not section.is_running:
            return
        known = section.statistics.reread_reason
        section.show_latest()
        if section.statistics.reread_reason != known and section.live is not None:
            self.content.end_reply(section)
            self.keep_end()
        self.viewport().update()

    def _take_theme(self) -> None:
        """Colours stand in the formats, so another theme writes the document anew: a hidden one when it is shown."""
        self.painted.tokens = self.theme.tokens
        self.content.formats = Formats(self.theme)
        self._has_old_colours = not self.isVisible()
        if self.isVisible():
            self.write_anew()
