"""EngineKeeper: says above every composer that the engine stopped, and starts it again."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.chat.notes import Action, Note
from app.conversations.records import Message, ReplyState
from app.figures import in_words, write_clock
from app.tabs.alike import TabsAlike
from app.upkeep.running_replies import RunningReplies
from engine.messages import EngineStarted, Event, Failed, StartEngine

SUBJECT = "engine"
REFUSAL = "The engine stopped. Start it, then send."
STARTING = Note("The engine is starting.")


def stopped_words(stopped_at: float, num_replies: int) -> str:
    words = f"The engine stopped at {write_clock(stopped_at)}. Every chat is saved"
    if not num_replies:
        return f"{words}."
    replies = "one reply" if num_replies == 1 else f"{in_words(num_replies)} replies"
    return f"{words}; {replies} can be continued."


class EngineKeeper(QObject):
    started = Signal()  # once more: it holds no model

    def __init__(
        self, bridge: EngineBridge, running: RunningReplies, alike: TabsAlike, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.show_report: Callable[[], None] | None = None
        self._bridge = bridge
        self._alike = alike
        self._has_started = False
        self._failure = ""
        self._failed_at = 0.0
        self._errors: list[str] = []  # of the replies that failed since it started
        bridge.received.connect(self._receive)
        running.ended.connect(self._take_end)

    def start(self) -> None:
        self._bridge.send(StartEngine())
        self._alike.show(SUBJECT, STARTING)

    def _receive(self, event: Event) -> None:
        if isinstance(event, EngineStarted):
            self._take_start()
        elif isinstance(event, Failed) and event.request_id == 0:
            self._failure, self._failed_at = event.text, time.time()
            self._tell()

    def _take_start(self) -> None:
        was_down, self._failure = bool(self._failure), ""
        self._has_started = True
        self._errors.clear()
        self._alike.drop(SUBJECT)
        self._alike.refuse(SUBJECT, "")
        if was_down:
            self.started.emit()

    def _take_end(self, message: Message) -> None:
        if message.state is ReplyState.FAILED:
            self._errors.append(message.error)
            self._tell()

    def _tell(self) -> None:
        """Say it, unless it runs."""
        if not self._failure:
            return
        words = stopped_words(self._failed_at, self._errors.count(self._failure))
        offered = (Action.SHOW_REPORT, Action.START_ENGINE) if self.show_report else (Action.START_ENGINE,)
        note = Note(words if self._has_started else self._failure, offered, is_alert=True)
        self._alike.show(SUBJECT, note, self._act)
        self._alike.refuse(SUBJECT, REFUSAL)

    def _act(self, action: Action) -> None:
        if action is Action.START_ENGINE:
            self.start()
        elif self.show_report is not None:
            self._tell()  # it stays until the engine runs
            self.show_report()
