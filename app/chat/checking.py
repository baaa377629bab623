"""Checking: a reply once more without a drafter, which must come to the same tokens."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import zip_longest

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.conversations.records import Message, ReplyState
from app.figures import write_count, write_rate
from engine.messages import Cancel, Delta, Event, Failed, Finished, Submit

TELL_SECONDS = 0.5  # between sentences about its progress
PLAIN = "none"  # the drafter that proposes nothing


@dataclass(frozen=True, slots=True)
class Check:
    """How far the check of a reply has come, as a sentence; at its end, what was found."""

    message_id: str
    sentence: str
    is_running: bool = False
    is_different: bool = False
    text: str = ""  # what was written without a drafter
    token_ids: tuple[int, ...] = ()  # likewise
    num_same: int = 0  # tokens before the first that differs


class Checking(QObject):
    """Makes one check at a time, in a row of its own; nothing of it is recorded."""

    changed = Signal(object)  # Check

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._reply: Message | None = None  # that is checked
        self._request_id = 0
        self._pieces: list[str] = []
        self._token_ids: list[int] = []
        self._num_tokens = 0  # that are the same so far
        self._told_at = 0.0

    @property
    def message_id(self) -> str:
        """Of the reply that is checked; "" where none is."""
        return self._reply.id if self._reply else ""

    def begin(self, reply: Message, submit: Submit) -> bool:
        """Repeat a reply, of which `submit` has the prompt; False where one is being checked or this cannot be.

        Sampling, seed, switches and length are the reply's.
        """
        if self._reply is not None or reply.state is ReplyState.RUNNING:
            return False
        if not reply.token_ids or reply.model != submit.target:
            why = "another model wrote it" if reply.token_ids else "its tokens are not known, only its text"
            self.changed.emit(Check(reply.id, f"This reply cannot be checked: {why}."))
            return False
        self._reply, self._request_id = reply, submit.request_id
        self._pieces, self._token_ids, self._num_tokens = [], [], 0
        # One token more shows whether a reply that came to its own end does so again.
        limit = len(reply.token_ids) + (reply.state is ReplyState.COMPLETE)
        sampling = replace(submit.sampling, max_tokens=limit)
        self._bridge.received.connect(self._receive)
        self._tell_progress(reply)
        self._bridge.send(replace(submit, drafter=PLAIN, sampling=sampling))
        return True

    def stop(self) -> None:
        if self._reply is not None:
            self._bridge.send(Cancel(self._request_id))

    def _receive(self, event: Event) -> None:
        reply = self._reply
        if reply is None or not isinstance(event, Delta | Finished | Failed) or event.request_id != self._request_id:
            return
        match event:
            case Delta():
                self._pieces.append(event.text)
                self._token_ids += event.token_ids
                self._compare(reply, event.token_ids)
                if self._reply is not None and time.monotonic() > self._told_at + TELL_SECONDS:
                    self._tell_progress(reply)
            case Finished(reason="cancelled"):
                same = write_count(self._num_tokens, "tokens")
                self._finish(f"The check was stopped after {same}; they are the same.")
            case Finished() if self._num_tokens < len(reply.token_ids):
                self._find_difference()
            case Finished(statistics=statistics):
                same = write_count(self._num_tokens, "tokens")
                rate = f", {write_rate(statistics.tokens_per_second)}" if statistics.tokens_per_second else ""
                self._finish(f"Checked: the same {same} without a drafter{rate}.")
            case Failed(text=text):
                self._finish(f"This reply could not be checked: {text}")

    def _compare(self, reply: Message, token_ids: tuple[int, ...]) -> None:
        known = reply.token_ids[self._num_tokens : self._num_tokens + len(token_ids)]
        for one, other in zip_longest(token_ids, known):
            if one != other:
                self._find_difference()
                return
            self._num_tokens += 1

    def _tell_progress(self, reply: Message) -> None:
        self._told_at = time.monotonic()
        done, whole = write_count(self._num_tokens), write_count(len(reply.token_ids), "tokens")
        words = f"Checking without a drafter, {done} of {whole}."
        self._tell(words, is_running=True)

    def _find_difference(self) -> None:
        """The rest has nothing more to tell."""
        self.stop()
        self._finish(f"Differs from token {write_count(self._num_tokens + 1)} on.", is_different=True)

    def _finish(self, sentence: str, *, is_different: bool = False) -> None:
        self._tell(sentence, is_different=is_different)
        self._bridge.received.disconnect(self._receive)
        self._reply = None

    def _tell(self, sentence: str, *, is_running: bool = False, is_different: bool = False) -> None:
        if (reply := self._reply) is not None:
            text, token_ids = "".join(self._pieces), tuple(self._token_ids)
            check = Check(reply.id, sentence, is_running, is_different, text, token_ids, self._num_tokens)
            self.changed.emit(check)
