"""ChatTab: one conversation on screen: transcript, composer and what happens between them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from app.chat.composer import Composer
from app.chat.empty import EmptyPage
from app.chat.notes import Action, Note, NoteBar, num_tokens_of
from app.chat.session import ChatSession
from app.chat.transcript import COLUMN, MARGIN, SIDE, Transcript
from app.conversations.records import Message, ReplyState
from app.conversations.titles import NEW_TITLE
from app.figures import write_count
from app.model_status import ModelStatus
from app.tasks import start
from app.theme.pulse import Pulse
from app.theme.theme import Theme

FIELD_SHARE = 0.4  # of the tab's height that the composer may take


class ChatTab(QWidget):
    state_changed = Signal()  # title or mark
    draft_changed = Signal()
    model_wanted = Signal()  # load the model once more

    def __init__(
        self, theme: Theme, pulse: Pulse, session: ChatSession, status: ModelStatus, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.is_unread = False
        self.has_failed = False
        self._status = status
        self._was_stopped = False
        self._failure = ""  # what the session could not do, until it can
        self._has_come_to_its_end = False  # the reply, neither stopped nor failed: what waits for it is sent
        self.transcript = Transcript(theme, pulse, self)
        self.empty = EmptyPage(theme, status, self)
        self.composer = Composer(theme, self)
        self._bar = NoteBar(theme, self)
        self._pages = QStackedLayout()
        self._lay_out()
        self._connect()
        self._refresh_model()
        self.composer.set_drafter(session.drafter)

    def _lay_out(self) -> None:
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.transcript)
        self._foot = QVBoxLayout()
        self._foot.setSpacing(8)
        self._foot.addWidget(self._bar)
        self._foot.addWidget(self.composer)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._pages, 1)
        holder = QHBoxLayout()
        holder.addLayout(self._foot)
        column.addLayout(holder)

    def _connect(self) -> None:
        session = self.session
        self._connections = [
            session.message_added.connect(self._add_message),
            session.reply_extended.connect(self.transcript.extend),
            session.reply_changed.connect(self._change),
            session.progress_changed.connect(self.transcript.set_progress),
            session.busy_changed.connect(self._take_busy),
            session.title_changed.connect(lambda title: self.state_changed.emit()),
            session.trouble.connect(self._tell_failure),
            session.not_sent.connect(self._take_back),
            self._status.changed.connect(self._refresh_model),
        ]
        self.composer.sent.connect(self.send)
        self.composer.stop_requested.connect(self.stop)
        self.composer.drafter_chosen.connect(self._choose_drafter)
        self.transcript.action_chosen.connect(self._act)
        self._bar.chosen.connect(self._act_on_bar)
        self.composer.field.textChanged.connect(self.draft_changed)

    def detach(self) -> None:
        """Hear no more of the session and the model: the session may outlive the tab."""
        for connection in self._connections:
            QObject.disconnect(connection)
        self._connections = []

    # What the window reads

    @property
    def title(self) -> str:
        return self.session.title or NEW_TITLE

    @property
    def mark(self) -> str:
        """ "running", "failed", "unread" or ""."""
        if self.session.is_busy:
            return "running"
        return "failed" if self.has_failed else "unread" if self.is_unread else ""

    @property
    def is_empty(self) -> bool:
        return not self.session.messages

    @property
    def is_untouched(self) -> bool:
        return self.is_empty and not self.session.is_busy and not self.composer.field.toPlainText()

    async def open(self, conversation_id: str) -> bool:
        if not await self.session.open(conversation_id):
            return False
        self._failure = ""  # what is damaged in the chat stays so
        self.transcript.show_messages(self.session.messages)
        self._pages.setCurrentWidget(self.empty if self.is_empty else self.transcript)
        self.composer.set_drafter(self.session.drafter)
        self.composer.set_busy(self.session.is_busy)
        self._refresh_model()
        self.state_changed.emit()
        return True

    def place_in_focus_order(self, before: QWidget) -> None:
        """Transcript, then composer and its chips, follow `before`."""
        composer = self.composer
        chain = (self.transcript, composer.field, *composer.queued.chips, composer.model_chip, composer.drafter_chip)
        for widget in (*chain, composer.send_button):
            QWidget.setTabOrder(before, widget)
            before = widget

    # What the user does

    def send(self, text: str) -> None:
        start(self.session.send(text))

    def stop(self) -> None:
        """End the reply; a message that waits for its end goes back to its writer."""
        self._was_stopped = self.session.is_busy
        self.session.stop()

    def continue_reply(self) -> None:
        start(self.session.continue_reply())

    def _choose_drafter(self, drafter: str) -> None:
        self.session.drafter = drafter

    def _act(self, action: Action, message_id: str) -> None:
        if action in (Action.CONTINUE, Action.TRY_AGAIN):
            self.continue_reply()
            self.composer.field.setFocus()

    # What the session says

    def _tell_failure(self, sentence: str) -> None:
        self._failure = sentence
        self.show_trouble(sentence)

    def _end_failure(self) -> None:
        """A message or reply was saved and goes on: what failed before is past."""
        self.unsay(self._failure)
        self._failure = ""

    def _add_message(self, message: Message) -> None:
        self._end_failure()
        self._pages.setCurrentWidget(self.transcript)
        self.transcript.add_message(message)
        self.state_changed.emit()

    def _change(self, message: Message) -> None:
        self.transcript.change(message)
        if message.state is ReplyState.RUNNING:
            self._end_failure()
        else:
            is_whole = message.state in (ReplyState.COMPLETE, ReplyState.LIMIT)
            self._has_come_to_its_end = is_whole and not self._was_stopped
            self._announce(message)
            self.has_failed = message.state is ReplyState.FAILED and not self.isVisible()
            self.is_unread = not self.isVisible()
        self.state_changed.emit()

    def _announce(self, message: Message) -> None:
        """Tell a screen reader, once; a failure is told at once."""
        has_failed = message.state is ReplyState.FAILED
        tokens = write_count(num_tokens_of(message), "tokens")
        place = "" if self.isVisible() else f" in {self.title}"
        words = f"Reply failed{place}: {message.error}" if has_failed else f"Reply finished{place}, {tokens}."
        event = QAccessibleAnnouncementEvent(self, words)
        if has_failed:
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(event)

    def _take_busy(self, is_busy: bool) -> None:
        self.composer.set_busy(is_busy)
        if not is_busy and self._has_come_to_its_end:
            if following := self.composer.take_next():
                self.send(following)
        elif not is_busy and (waiting := self.composer.take_queued()):
            self.composer.put_back(waiting)
        self._was_stopped = self._has_come_to_its_end = False
        self.state_changed.emit()

    def _take_back(self, text: str) -> None:
        """Give a text that was not sent to its writer, and behind it what waited for the reply to it."""
        waiting = self.composer.take_queued()
        self.composer.put_back(f"{text}\n{waiting}" if waiting else text)

    def show_trouble(self, sentence: str) -> None:
        self._bar.show_note(Note(sentence, (Action.CLOSE,), is_alert=True))

    def say(self, sentence: str) -> None:
        self._bar.show_note(Note(sentence, (Action.CLOSE,)))

    def unsay(self, sentence: str) -> None:
        if sentence and self._bar.text == sentence:
            self._bar.hide()

    def _act_on_bar(self, action: Action) -> None:
        self._bar.hide()
        if action is Action.TRY_AGAIN:
            self.model_wanted.emit()

    def _refresh_model(self) -> None:
        status = self._status
        self.composer.set_model(status.name, status.quantisation)
        self.composer.hint.setText(status.words)
        self.transcript.set_model(status.name)
        if status.error:
            self._bar.show_note(Note(_whole_sentence(status.error), (Action.TRY_AGAIN,), is_alert=True))
        elif self._bar.offered == (Action.TRY_AGAIN,):
            self._bar.hide()

    # Places

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        column = max(200, min(COLUMN, self.width() - 2 * SIDE))
        side = (self.width() - column) // 2 - MARGIN
        self._foot.setContentsMargins(side, 8, side, 16)
        self.composer.field.set_most_height(round(self.height() * FIELD_SHARE))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.is_unread or self.has_failed:
            self.is_unread = self.has_failed = False
            self.state_changed.emit()


def _whole_sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
