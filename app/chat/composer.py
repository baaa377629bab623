"""Composer: where a message is written, with what it quotes and the choices that hold for the next reply."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.chat.attachments_view import show_attachment
from app.chat.composer_frame import ComposerFrame
from app.chat.composer_sending import Sending
from app.chat.composer_waiting import Waiting
from app.chat.counting import Cost, Counting
from app.chat.draft import Draft
from app.conversations.records import Message
from app.models.drafters import drafter_name
from app.theme.theme import Theme

FOLLOW_UP = ("Write a follow-up. It is sent when this reply ends.", "Write a follow-up")
FIRST = ("Ask something",)
SWAPPED = "What you wrote waits in the place of this message."
KEYPAD = Qt.KeyboardModifier.KeypadModifier
EDITING = "This takes the place of an earlier message, in a new branch."


class Composer(ComposerFrame):
    """What is written, waits and is edited, as Drafts; what is sent or chosen goes out by signals."""

    sent = Signal(object)  # Draft
    stop_requested = Signal()
    switches_chosen = Signal(object)  # names and values, of all switches of the template that are chosen
    leave_out_asked = Signal(int)  # how many of the oldest turns to leave out, so that the prompt fits
    changed = Signal()  # anything that is not sent yet

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.is_busy = False
        self._edits = ""  # id of the message that is edited
        self._set_aside = Draft()  # what was written when the edit began
        self._sending = Sending(self)
        self._waiting = Waiting(self)
        self.counting: Counting | None = None
        self._connect()
        self.set_busy(False)

    def _connect(self) -> None:
        self.field.submitted.connect(self.submit)
        self.field.escaped.connect(self._escape)
        self.field.textChanged.connect(self._take_change)
        self.attachments.changed.connect(self._take_change)
        self.attachments.opened.connect(lambda attachment: show_attachment(attachment, self))
        self.queued.taken_back.connect(self._take_back)
        self.queued.sent.connect(self._send_held)
        self.foot.send_button.clicked.connect(self._press)
        self.foot.switches_chosen.connect(self.switches_chosen)
        self.foot.load_stop_asked.connect(self.field.setFocus)

    # State, as the tab tells it

    def set_busy(self, is_busy: bool) -> None:
        """While a reply runs the button stops it, and what is sent waits for its end."""
        self.is_busy = self.queued.is_busy = is_busy
        self.field.set_placeholders(*(FOLLOW_UP if is_busy else FIRST))
        self._refresh_button()

    def set_model(self, name: str, quantisation: str = "") -> None:
        self.foot.set_model(name, quantisation)

    def set_drafter(self, drafter: str) -> None:
        self.foot.set_drafter(drafter_name(drafter))

    def set_counting(self, counting: Counting) -> None:
        """Show what the draft costs as it is counted, and refuse one that does not fit."""
        self.counting = counting
        counting.counted.connect(self._take_cost)

    def set_refusal(self, reason: str) -> None:
        """Send nothing for now, as a sentence; "" lets messages go again."""
        if self._sending.refusal != reason and self.note.text == self._sending.refusal:
            self.note.hide()
        self._sending.refusal = reason
        self._refresh_button()

    def refuses(self) -> bool:
        """Whether no reply can be begun for now, which is said then."""
        return self._sending.refuses()

    def set_history(self, messages: Iterable[Message]) -> None:
        """What Up brings back."""
        self.field.history.set_texts(message.text for message in messages if message.role == "user")

    def begin_edit(self, message: Message) -> None:
        """Write a message anew; what stood here comes back when the edit ends."""
        self.end_edit()
        self._set_aside = self.draft
        self._load(Draft(message.text, message.attachments, message.id))
        self.field.setFocus()

    def end_edit(self) -> None:
        """Leave the earlier message as it is."""
        if self._edits:
            self._clear()

    @property
    def can_undo(self) -> bool:
        return self.attaching.can_undo_paste or self.field.document().isUndoAvailable()

    def undo(self) -> None:
        """Take back the last paste that was attached, else what was written last."""
        if not self.attaching.undo_paste():
            self.field.undo()

    def open_drafters(self) -> None:
        self.foot.open_drafters()

    # What is not sent

    @property
    def draft(self) -> Draft:
        """What is written."""
        return Draft(self.field.toPlainText(), self.attachments.attachments, self._edits)

    def unsent(self) -> tuple[Draft, ...]:
        """What waits for replies to end, what an edit set aside, and what is written."""
        return tuple(draft for draft in (*self.queued.drafts, self._set_aside, self.draft) if draft)

    def put_back(self, draft: Draft) -> None:
        """Give a message that was not sent back to its writer; beside anything written since, it waits."""
        if self.draft or self._edits:
            self.queued.add(draft, self.field, is_held=True, place=0)
        else:
            self._load(draft)
        self.changed.emit()

    def restore(self, drafts: Iterable[Draft]) -> None:
        """Take over what was not sent before: the last is written on, the others wait to be sent by hand."""
        for draft in drafts:
            if written := self.draft:
                self.queued.add(written, self.field, is_held=True)
            self._load(draft)
        self.changed.emit()

    def hold(self) -> None:
        """Send nothing more by itself; what waits for a reply stays until its writer decides."""
        self.queued.hold()
        self.changed.emit()

    def send_next(self) -> None:
        """Send what has waited for the end of this reply."""
        self._waiting.send_next()

    def _load(self, draft: Draft) -> None:
        self._edits = draft.edits
        if draft.edits:
            self.editing.tell(EDITING, "Cancel", self.end_edit, can_close=False)
        else:
            self.editing.hide()
        self.attachments.set_attachments(draft.attachments, self.field)
        self.field.replace_text(draft.text)
        self._refresh_button()

    # What the user does

    def submit(self) -> None:
        """Send what is written, or let it wait; an edit never waits. Nothing happens where it cannot be sent."""
        draft = self.draft
        if draft.is_blank or not self._sending.may_go(draft, self.counting):
            return
        self._clear()
        if self.is_busy and not draft.edits:
            self.queued.add(draft, self.field)
            self.changed.emit()
        else:
            self.field.history.add(draft.text)
            self.sent.emit(draft)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up in an empty field takes back what waits before it brings back what was sent."""
        is_up = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and _is_up(event)
        if is_up and not (self.draft or self._edits) and self.queued.take_back_last():
            return True
        return super().eventFilter(watched, event)

    def _clear(self) -> None:
        """Begin the next message; one that an edit set aside comes back."""
        self.note.hide()
        self.limit.hide()
        aside, self._set_aside = self._set_aside, Draft()
        self._load(aside)

    def _press(self) -> None:
        if self._is_stop:
            self.stop_requested.emit()
        else:
            self.submit()
        self.field.setFocus()

    @property
    def _is_stop(self) -> bool:
        return self.is_busy and not self._edits

    def _escape(self) -> None:
        if self._edits:
            self.end_edit()
        elif self.is_busy:
            self.stop_requested.emit()

    def _take_back(self, draft: Draft, place: int) -> None:
        """Write on at a message that waited; what was written takes its place, unless it is the same."""
        if (written := self.draft) and written != draft:
            self.queued.add(written, self.field, is_held=True, place=place)
            self.note.tell(SWAPPED)
        self._load(draft)
        self.field.setFocus()

    def _send_held(self, draft: Draft) -> None:
        self._waiting.send(draft)
        self.field.setFocus()

    def _take_change(self) -> None:
        self._refresh_button()
        if self.counting is not None:
            self.counting.count_soon()
        self.changed.emit()

    def _take_cost(self, cost: Cost | None) -> None:
        self.foot.show_cost(cost)
        tokens = dict(cost.attachments) if cost else {}
        self.attachments.set_tokens(tokens.get)
        self._sending.take_cost(cost)
        self._refresh_button()

    def _refresh_button(self) -> None:
        has_something = bool(self.attachments.chips) or not self.field.is_blank
        self.foot.send_button.set_stop(self._is_stop, self._sending.reason)
        self.foot.send_button.setEnabled(self._is_stop or (has_something and not self._sending.reason))


def _is_up(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Up and not event.modifiers() & ~KEYPAD
