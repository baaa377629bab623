"""Section: one message in the transcript: its blocks, its numbers, and where its parts stand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from app.chat.blocks.block import Block, Span
from app.chat.blocks.tint import drafted_in
from app.chat.notes import Action, Note, note_for
from app.chat.strip import describe, reread_words
from app.chat.transcript import measures
from app.chat.transcript.contents import Contents, Reading, estimate_height
from app.chat.transcript.small_text import SmallText
from app.chat.transcript.stack import Stack
from app.chat.transcript.wakes import begin_wake, wake_of
from app.chat.wake import Round
from app.conversations.records import Message, ReplyState
from app.figures import write_count
from engine.messages import Delta, Notice, Progress, ReasoningTags, Statistics

_MOST_REASONS = 2


class Parts(NamedTuple):
    """Tops of a section's parts, from the section's own top."""

    body: float = 0.0
    row: float = 0.0
    reasons: float = 0.0
    details: float = 0.0
    tail: float = 0.0
    height: float = 0.0


class Section:
    """`body` and `details` are laid out near the view only; `parts` are right after `place`."""

    def __init__(self, message: Message, reading: Reading) -> None:
        self.message = message
        self.reading = reading
        self.text = message.text
        self.pending = ""  # arrived, but not in a block yet
        self.drafted = message.drafted  # spans of `text` that accepted tokens wrote, in characters
        self.started_at = 0.0  # when the first text came, if that was seen
        self.contents = Contents(message, reading)
        self.body = Stack()
        self.details = Stack()
        self._numbers = SmallText("")  # in `details` while they are shown
        self.wake = wake_of(message.id) if message.text else None  # from the first arrival on
        self.rate: float | None = None  # tokens per second over the last two, as shown
        self.is_rate_told = False  # by what measures it for all who show it
        self.latest = message.statistics or Statistics()
        self.statistics = self.latest  # as shown, which is seldomer than they arrive
        self.rounds: tuple[Round, ...] = tuple(self.wake.rounds) if self.wake else ()
        self.progress: Progress | Notice | None = None
        self.remark = ""  # a reason that is not recorded
        self.can_stop = False  # what the remark tells of
        self.siblings: tuple[str, ...] = ()
        self.is_left_out = False
        self.num_left_out_above = 0  # messages; a line says so where there are any
        self.note_height = 0  # kept for the note's buttons; 0 where the note is a line
        self.parts = Parts()
        self.column = 0.0

    @property
    def is_reply(self) -> bool:
        return self.message.role == "assistant"

    @property
    def is_made(self) -> bool:
        """Whether its blocks are held, so that its height is more than a guess."""
        return self.body.width > 0

    @property
    def is_running(self) -> bool:
        return self.message.state is ReplyState.RUNNING

    @property
    def has_details(self) -> bool:
        return bool(self.details.blocks)

    @property
    def has_strip(self) -> bool:
        return self.is_reply and (self.is_running or self.statistics.num_tokens > 0)

    @property
    def note(self) -> Note | None:
        if isinstance(self.progress, Notice):
            return Note(self.progress.text, (Action.DO_NOT_WAIT,))
        return note_for(self.message) if self.is_reply else None

    @property
    def blocks(self) -> list[Block]:
        """All that a selection can cover, top to bottom."""
        return [*self.contents.blocks, *self.details.blocks]

    @property
    def all_reasons(self) -> tuple[str, ...]:
        reread = reread_words(self.statistics)
        said_last = [words for words in ("" if self.has_details else reread, self.remark) if words]
        return (*self.message.notices, *said_last)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What stands under the strip: two at most, unless the details are open."""
        if not (self.message.notices or self.remark or self.statistics.num_reread):
            return ()
        every = self.all_reasons
        return every if self._shows_all_reasons else every[:_MOST_REASONS]

    @property
    def _shows_all_reasons(self) -> bool:
        """With the details open; and what a check tells, which can be stopped, is never folded away."""
        return self.has_details or self.can_stop

    @property
    def more_words(self) -> str:
        """Counts the notes that are folded away; "" where all are shown."""
        count = 0 if self._shows_all_reasons else len(self.all_reasons) - _MOST_REASONS
        return f"{write_count(count)} more {'note' if count == 1 else 'notes'}" if count > 0 else ""

    # What comes while it runs

    def take(self, delta: Delta) -> None:
        """Keep what arrived until it is shown."""
        self.started_at = self.started_at or time.monotonic()
        if delta.accepted_end > delta.accepted_start:
            start = len(self.text)
            self.drafted = add_span(self.drafted, (start + delta.accepted_start, start + delta.accepted_end))
        self.text += delta.text
        self.pending += delta.text
        self.latest = delta.statistics
        self.wake = self.wake or begin_wake(self.message.id)
        self.wake.add(delta)

    def write(self) -> int:
        """Put what arrived into the blocks; returns the index of the first that changed."""
        pending, self.pending = self.pending, ""
        if not self.is_made:
            self.contents.append(pending)
            return 0
        first = self.contents.append(pending)
        self.make(first)
        return first

    def change(self, message: Message) -> None:
        """Take another state or text of the same message."""
        has_other_text = message.text != self.text
        self.message, self.text = message, message.text
        self.drafted = message.drafted or (() if has_other_text else self.drafted)
        self.latest = message.statistics or self.latest
        self.show_latest()
        if not self.is_running:
            self.progress = None
        self.pending = "" if has_other_text else self.pending
        if self.pending:
            self.write()
        self.contents.take(message)
        if self.is_made:
            self.make()

    def show_thinking(self) -> None:
        """Let the line over reasoning that runs say how long it has."""
        if self.started_at and self.is_made:
            self.contents.show_thinking(time.monotonic() - self.started_at)

    def has_tags(self, tags: Sequence[ReasoningTags]) -> bool:
        """Whether a reply may be read otherwise where these tags are known."""
        return self.is_reply and any(each.opening in self.message.opening + self.text for each in tags)

    def make_anew(self) -> None:
        """Forget every block: the text is read otherwise."""
        written = self.text[: len(self.text) - len(self.pending)]
        self.contents = Contents(replace(self.message, text=written), self.reading)
        self.body = Stack()

    def measure_anew(self) -> None:
        """Ask every block for its height: text has another size."""
        if self.is_made:
            self.body = Stack()
            self.make()
        if self.has_details:
            self.toggle_details()
            self.toggle_details()

    def show_latest(self) -> None:
        self.statistics = self.latest
        if not (self.is_rate_told and self.is_running):
            self.rate = self.wake.rate if self.wake and self.is_running else None
        self.rounds = tuple(self.wake.rounds) if self.wake else ()
        if self.has_details:
            self._show_numbers()

    def toggle_details(self) -> None:
        is_shown, self.details = self.has_details, Stack()
        if not is_shown:
            self._numbers = SmallText("")
            self._show_numbers()

    def _show_numbers(self) -> None:
        self._numbers.take(describe(self.statistics, self.message))
        self.details.take([self._numbers], self.column)

    # Where it stands

    def make(self, first: int = 0) -> None:
        """Parse what was not, and hold its blocks; those before `first` are held already."""
        self.body.take(self.contents.blocks, self.column, first)

    def place(self, column: float) -> bool:
        """Say where the parts stand in a column so wide; True where the height differs from before."""
        self.column = column
        if self.is_made and self.body.width != self.column:
            self.make()
        body_height = self.body.height
        if not self.is_made:
            body_height = estimate_height(self.text, self.column, is_reply=self.is_reply)
        is_reply = self.is_reply
        y = 0.0 if is_reply else float(measures.USER_GAP)
        y += measures.ROW + measures.NOTE_GAP if self.num_left_out_above else 0
        body = y
        if is_reply and self.is_running:
            body_height = max(body_height, measures.EMPTY_REPLY)
        row = body + body_height + (measures.ROW_GAP if is_reply else 0)
        reasons = row + (measures.ROW if not is_reply or self.has_row else 0)
        details = reasons + len(self.reasons) * measures.LINE
        tail = details + (self.details.height + measures.DETAILS_GAP if self.has_details else 0)
        parts = Parts(body, row, reasons, details, tail, tail + self._tail_height())
        has_changed = parts.height != self.parts.height
        self.parts = parts
        return has_changed

    @property
    def has_row(self) -> bool:
        return bool(self.text) or self.has_strip or not self.is_running

    @property
    def controls_width(self) -> int:
        """Room at the end of the row that branches and actions take."""
        return measures.ACTIONS_WIDTH + (measures.BRANCHES_WIDTH if len(self.siblings) > 1 else 0)

    def drafted_in(self, index: int) -> Sequence[Span]:
        """What accepted drafts wrote of a block."""
        blocks = self.body.blocks
        return drafted_in(blocks[index], self.drafted) if index < len(blocks) and self.drafted else ()

    def top_of_block(self, index: int) -> float:
        if index < len(self.body.tops):
            return self.parts.body + self.body.tops[index]
        return self.parts.details + self.details.tops[index - len(self.body.tops)]

    def _tail_height(self) -> float:
        if self.message.state is ReplyState.COMPLETE or self.note is None:
            return 0.0
        return measures.NOTE_GAP + self.note_height if self.note_height else measures.LINE


def add_span(spans: tuple[Span, ...], span: Span) -> tuple[Span, ...]:
    """The spans with one more at their end, joined to the last where they touch."""
    if spans and spans[-1][1] == span[0]:
        return (*spans[:-1], (spans[-1][0], span[1]))
    return (*spans, span)


def left_out_words(num_messages: int) -> str:
    """Says which messages the prompt has not."""
    if num_messages == 1:
        return "The message above is left out of the prompt."
    return f"The {write_count(num_messages, 'messages')} above are left out of the prompt."
