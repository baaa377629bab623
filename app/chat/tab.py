"""ChatTab: one conversation on screen: transcript, composer and what happens between them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from app.chat.composer import Composer
from app.chat.counting import Counting
from app.chat.draft import Draft
from app.chat.empty import EmptyPage
from app.chat.notes import Action, Note, NoteBar
from app.chat.preset_menu import PRESET
from app.chat.session import ChatSession
from app.chat.tab_actions import BRANCHING, DELETION, SAME, UNANSWERED, TabActions
from app.chat.tab_checks import DIFFERENCE, REPORT, TabChecks
from app.chat.tab_model import TabModel
from app.chat.tab_notes import TabNotes
from app.chat.tab_voice import TabVoice
from app.chat.transcript import MARGIN, Transcript, column_within
from app.conversations.records import ChatChoices, Message, ReplyState
from app.conversations.titles import NEW_TITLE
from app.models.chooser import ModelChooser
from app.tasks import start
from app.theme.pulse import Pulse
from app.theme.theme import Theme

FAILURE, TOLD = "failure", "told"  # subjects of notes
NUM_NOTES = 3  # at once
FIELD_SHARE = 0.4  # of the tab's height that the composer may take


class ChatTab(QWidget):
    state_changed = Signal()  # title or mark
    draft_changed = Signal()

    def __init__(
        self, theme: Theme, pulse: Pulse, session: ChatSession, chooser: ModelChooser, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)
        self.session = session
        self.is_unread = False
        self.has_failed = False
        self._was_stopped = False
        self._is_open = True  # rather than being read
        self._has_come_to_its_end = False  # the reply, neither stopped nor failed: what waits for it is sent
        self.transcript = Transcript(theme, pulse, self)
        self.empty = EmptyPage(theme, chooser, session, self)
        self.composer = Composer(theme, self)
        self.counting = Counting(chooser.bridge, session, lambda: self.composer.draft, self)
        self.composer.set_counting(self.counting)
        self._bars = tuple(NoteBar(theme, self) for _ in range(NUM_NOTES))
        self.notes = TabNotes(self._bars, self)
        self.actions_on_messages = TabActions(session, self.transcript, self.composer, self.notes, self)
        self._checks = TabChecks(session, self.transcript, self.notes, self)
        self._voice = TabVoice(self)
        self._pages = QStackedLayout()
        self._lay_out()
        self._connect()
        self._model = TabModel(chooser, session, self.composer, self.transcript, self.counting, self.notes, self)
        self._take_choices()

    def _lay_out(self) -> None:
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.transcript)
        self._foot = QVBoxLayout()
        self._foot.setSpacing(8)
        for bar in reversed(self._bars):
            self._foot.addWidget(bar)
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
            session.reply_extended.connect(lambda delta: self.counting.follow(len(delta.token_ids))),
            session.reply_changed.connect(self._change),
            session.message_changed.connect(self.transcript.change),
            session.progress_changed.connect(self.transcript.set_progress),
            session.busy_changed.connect(self._take_busy),
            session.title_changed.connect(lambda title: self.state_changed.emit()),
            session.trouble.connect(self._tell_failure),
            session.not_sent.connect(self._take_back),
            session.path_changed.connect(self._show_path),
            session.checked.connect(self._checks.take),
            session.left_out_changed.connect(self._take_left_out),
            session.choices_changed.connect(self._take_choices),
        ]
        self.composer.sent.connect(self.send)
        self.composer.stop_requested.connect(self.stop)
        self.composer.leave_out_asked.connect(self._leave_out)
        self.composer.switches_chosen.connect(self._choose_switches)
        self.composer.changed.connect(self.draft_changed)
        for bar in self._bars:  # rather than to whatever follows the button that goes
            bar.chosen.connect(self.composer.field.setFocus)

    def detach(self) -> None:
        """Hear no more of the session and the model: the session may outlive the tab."""
        for connection in self._connections:
            QObject.disconnect(connection)
        self._connections = []
        self._model.detach()
        self.counting.close()

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
    def is_new(self) -> bool:
        """Whether its chat is not saved yet, nor about to be."""
        return not self.session.conversation_id and not self.session.is_busy

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was written or chosen in it; the folder that it was begun in aside."""
        has_choices = self.session.choices != ChatChoices(folder=self.session.folder)
        return self.is_empty and not self.session.is_busy and not self.composer.unsent() and not has_choices

    async def open(self, conversation_id: str) -> bool:
        self._is_open = False
        if not await self.session.open(conversation_id):
            return False
        self._is_open = True
        self._show_path()
        self._take_choices()
        self.composer.set_busy(self.session.is_busy)
        self._model.refresh()
        self.state_changed.emit()
        return True

    def place_in_focus_order(self, before: QWidget) -> None:
        """Transcript, then composer and its chips, follow `before`."""
        for widget in (self.transcript, *self.composer.focus_chain()):
            QWidget.setTabOrder(before, widget)
            before = widget

    # What the user does

    def send(self, draft: Draft) -> None:
        start(self.session.send(draft))

    def stop(self) -> None:
        """End the reply, or else the model's load; what waits for its end is held until its writer sends it."""
        self._was_stopped = self.session.is_busy
        if not self.session.is_busy:
            self._model.stop_load()
        self.session.stop()

    def continue_reply(self) -> None:
        self.actions_on_messages.go_on()

    def _leave_out(self, num_turns: int) -> None:
        self.session.leave_out(num_turns)
        self.composer.field.setFocus()

    def _choose_switches(self, switches: tuple[tuple[str, str], ...]) -> None:
        start(self.session.choose_switches(switches), saves=True)

    def _take_choices(self) -> None:
        self.composer.set_drafter(self.session.planner.resolve(self.session.drafter))
        self._model.show_preset()
        self.counting.refresh()

    # What the session says

    def _tell_failure(self, sentence: str) -> None:
        subject = FAILURE if self._is_open else sentence  # what is damaged in the chat stays so
        self.notes.show(subject, Note(sentence, (Action.CLOSE,), is_alert=True))

    def _add_message(self, message: Message) -> None:
        self.notes.drop(FAILURE, DELETION, BRANCHING, UNANSWERED, SAME, DIFFERENCE, REPORT, PRESET)
        self.actions_on_messages.say_left_out()
        self._pages.setCurrentWidget(self.transcript)
        self.transcript.add_message(message)
        self.state_changed.emit()

    def _show_path(self) -> None:
        self.notes.drop(FAILURE, SAME)
        self._pages.setCurrentWidget(self.empty if self.is_empty else self.transcript)
        messages = self.session.messages
        self.transcript.show_messages(messages, self.session.siblings)
        self.actions_on_messages.take_path()
        self._checks.take_path()
        self.composer.set_history(messages)
        self.counting.take_messages()
        self.state_changed.emit()

    def _take_left_out(self) -> None:
        self.actions_on_messages.say_left_out()
        self.counting.refresh()

    def _change(self, message: Message) -> None:
        self.transcript.change(message)
        self.counting.take_messages()
        if message.state is ReplyState.RUNNING:
            self.notes.drop(FAILURE)
        else:
            self.actions_on_messages.take_end(message)
            is_whole = message.state in (ReplyState.COMPLETE, ReplyState.LIMIT)
            self._has_come_to_its_end = is_whole and not self._was_stopped
            self._voice.say_ended(message, "" if self.isVisible() else f" in {self.title}")
            self.has_failed = message.state is ReplyState.FAILED and not self.isVisible()
            self.is_unread = not self.isVisible()
        self.state_changed.emit()

    def _take_busy(self, is_busy: bool) -> None:
        self.composer.set_busy(is_busy)
        self.counting.take_messages()
        if is_busy and self._is_open:
            self._voice.say_begun()
        if not is_busy and self._has_come_to_its_end:
            self.composer.send_next()
        elif not is_busy:
            self.composer.hold()
        self._was_stopped = self._has_come_to_its_end = False
        self.state_changed.emit()

    def _take_back(self, draft: Draft) -> None:
        """Give a message that was not sent to its writer, and hold what waited for the reply to it."""
        self.composer.hold()
        self.composer.put_back(draft)

    def show_trouble(self, sentence: str, subject: str = TOLD) -> None:
        self.notes.show(subject, Note(sentence, (Action.CLOSE,), is_alert=True))

    def say(self, sentence: str, action: Action | None = None, deed: Callable[[], None] | None = None) -> None:
        """With an action, `deed` is done when it is chosen."""
        offered = (Action.CLOSE,) if action is None else (action, Action.CLOSE)
        subject = action or TOLD  # a sentence alone takes no offer's place
        self.notes.show(subject, Note(sentence, offered), lambda chosen: deed() if deed and chosen is action else None)

    def unsay(self, sentence: str) -> None:
        self.notes.take_back(sentence)

    # Files that are dropped anywhere go to the composer, which shows that it would take them

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self.composer.dragEnterEvent(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.composer.dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.composer.dropEvent(event)

    # Places

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_column()
        self.composer.set_most_height(round(self.height() * FIELD_SHARE))

    def fit_column(self) -> None:
        side = (self.width() - column_within(self.width())) // 2 - MARGIN
        self._foot.setContentsMargins(side, 8, side, 16)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.is_unread or self.has_failed:
            self.is_unread = self.has_failed = False
            self.state_changed.emit()
