"""Counting: what a draft would cost, as the engine counts it, shortly after typing ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import EngineBridge
from app.chat.draft import Draft
from app.conversations.records import Attachment
from app.conversations.reply_plan import ReplyPlan
from engine.messages import Answer, Cancel, CountTokens, Event, Failed, TokenCount, Turn

WAIT_MILLISECONDS = 200  # after the last key
MOST_SECONDS = 2.0  # for one answer
AROUND = 64  # tokens that a template may write around a message
FOLLOW_MILLISECONDS = 500  # between two looks at how long the running reply is
FRAME = (Turn("user", "a"),)  # what a template writes around a message costs as many tokens as this, less one


class Countable(Protocol):
    """What of a chat counting needs."""

    @property
    def plan(self) -> ReplyPlan: ...
    @property
    def switches(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def began_at(self) -> float: ...
    def turns_for(self, draft: Draft) -> tuple[Turn, ...]: ...


@dataclass(frozen=True, slots=True)
class Cost:
    """What the prompt of a draft comes to; None stands for what is not counted yet."""

    draft: Draft
    count: TokenCount
    num_before: int | None = None  # tokens of the prompt without the draft
    attachments: tuple[tuple[Attachment, int | None], ...] = ()  # of the draft, each with about how many tokens it has
    num_system: int = 0  # about how many the system prompt has, of those before the draft or in front of it
    num_come: int = 0  # of the running reply, which the count does not know; they need not be read again

    @property
    def num_tokens(self) -> int:
        return self.count.num_tokens + self.num_come

    @property
    def num_read(self) -> int:
        return self.count.num_tokens - (self.count.num_cached or 0)

    @property
    def num_cached(self) -> int:
        return (self.count.num_cached or 0) + self.num_come

    @property
    def is_too_long(self) -> bool:
        return self.num_tokens >= self.count.context_length

    @property
    def is_nearly_full(self) -> bool:
        return self.num_tokens > 0.9 * self.count.context_length


class Counting(QObject):
    """Asks one question at a time, those of the newest draft; the prompt first, then what it consists of."""

    counted = Signal(object)  # Cost; None where nothing is known

    def __init__(
        self, bridge: EngineBridge, chat: Countable, draft_of: Callable[[], Draft], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._chat = chat
        self._draft_of = draft_of
        self._draft = Draft()
        self._system = ""  # the system prompt that they are with
        self._questions: list[CountTokens] = []  # on the draft; as they were then: a reply that runs goes on growing
        self._cost: Cost | None = None  # as it was told last
        self._num_come = 0  # tokens of the running reply that the chat's messages have not
        self._asked: CountTokens | None = None
        self._request_id = 0  # of the question that is not answered yet
        # A list, as turns are quick to compare and slow to hash; None: it could not be counted.
        self._known: list[tuple[CountTokens, TokenCount | None]] = []
        self._asked_once: dict[int, asyncio.Future[TokenCount | None]] = {}
        self.is_closed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MILLISECONDS)
        self._timer.timeout.connect(self._ask)
        self._follow_timer = QTimer(self)
        self._follow_timer.setSingleShot(True)
        self._follow_timer.setInterval(FOLLOW_MILLISECONDS)
        self._follow_timer.timeout.connect(self._tell_come)
        bridge.received.connect(self._receive)

    def count_soon(self) -> None:
        """Have the draft counted once it has not changed for a moment."""
        self._timer.start()

    def count_now(self) -> None:
        self._timer.stop()
        self._ask()

    def refresh(self) -> None:
        """Count again: the chat, its model or what is cached of it has changed."""
        self._known.clear()
        self._drop_question()
        self._timer.start()

    def surely_fits(self, draft: Draft) -> bool:
        """Whether a prompt fits however it is cut: no tokenizer makes more tokens of a text than it has bytes."""
        plan = self._chat.plan
        facts = self._bridge.facts_of(plan.target)
        if facts is None:
            return False
        turns = self._chat.turns_for(draft)
        context_length = min(plan.context_length or facts.context_length, facts.context_length)
        return sum(len(turn.text.encode("utf-8", "replace")) + AROUND for turn in turns) < context_length

    async def count(self, draft: Draft) -> TokenCount | None:
        """What the prompt of one draft comes to; None where that is not known in a moment."""
        loop, request_id = asyncio.get_event_loop(), self._bridge.next_request_id()
        answer = self._asked_once[request_id] = loop.create_future()
        timer = loop.call_later(MOST_SECONDS, self._take_once, request_id, None)
        self._bridge.send(self._question(self._chat.turns_for(draft), request_id))
        count = await answer
        timer.cancel()
        return count

    def _take_once(self, request_id: int, value: object) -> None:
        answer = self._asked_once.pop(request_id, None)
        if answer is not None and not answer.done():
            answer.set_result(value if isinstance(value, TokenCount) else None)

    def take_messages(self) -> None:
        """The chat's messages have all that came; count them."""
        self._num_come = 0
        self.refresh()

    def follow(self, num_tokens: int) -> None:
        """So many more tokens of the running reply have come."""
        self._num_come += num_tokens
        if not self._follow_timer.isActive():
            self._follow_timer.start()

    def _tell_come(self) -> None:
        if self._cost is not None:
            self._cost = replace(self._cost, num_come=self._num_come)
            self.counted.emit(self._cost)

    def close(self) -> None:
        """Ask and tell nothing more."""
        self.is_closed = True
        for request_id in list(self._asked_once):
            self._take_once(request_id, None)
        self._timer.stop()
        self._drop_question()
        self._follow_timer.stop()
        self._bridge.received.disconnect(self._receive)

    def _ask(self) -> None:
        """Put the questions on what the draft is now."""
        self._draft = self._draft_of()
        self._questions = self._make_questions()
        self._known = [(question, count) for question, count in self._known if question in self._questions]
        if self._asked is not None and self._asked not in self._questions:
            self._drop_question()
        self._ask_next()

    def _drop_question(self) -> None:
        """Let the engine count no longer what nobody waits for: on a long chat that takes seconds."""
        if self._asked is not None:
            self._bridge.send(Cancel(self._request_id))
        self._asked, self._request_id = None, 0

    def _ask_next(self) -> None:
        """Tell what is known of the draft, and ask for the first thing that is not."""
        self._tell(self._questions)
        missing = next((one for one in self._questions if one.turns and not self._is_known(one)), None)
        if missing is None or self._asked is not None:
            return
        self._asked, self._request_id = missing, self._bridge.next_request_id()
        self._bridge.send(replace(missing, request_id=self._request_id))

    def _question(self, turns: tuple[Turn, ...], request_id: int = 0) -> CountTokens:
        """What the next reply to these turns would have to read."""
        chat, plan = self._chat, self._chat.plan
        return CountTokens(
            request_id, plan.target, turns, chat.began_at, chat.switches, plan.template, plan.context_length
        )

    def _make_questions(self) -> list[CountTokens]:
        """The prompt; without the draft; then each attachment, and what is around it."""
        draft, turns_for = self._draft, self._chat.turns_for
        turns = [turns_for(draft), turns_for(Draft(edits=draft.edits, num_left_out=draft.num_left_out))]
        self._system = self._chat.plan.system_prompt
        parts = [self._system] if self._system else []
        if parts := [*parts, *(attachment.text for attachment in draft.attachments)]:
            turns += [FRAME, *((Turn("user", text),) for text in parts)]
        return [self._question(one) for one in turns]

    def _tell(self, questions: list[CountTokens]) -> None:
        whole, before, *parts = questions
        count = self._count_of(whole)
        if count is None:
            if self._is_known(whole) or not whole.turns:
                self._cost = None
                self.counted.emit(None)
            return
        nums = self._count_parts(parts)
        num_system = nums.pop(0) if self._system else 0
        attachments = tuple(zip(self._draft.attachments, nums, strict=True))
        num_before = self._num_tokens(before) if before.turns else 0
        self._cost = Cost(self._draft, count, num_before, attachments, num_system or 0, self._num_come)
        self.counted.emit(self._cost)

    def _count_parts(self, parts: list[CountTokens]) -> list[int | None]:
        """About how many tokens each text has that stands behind a template's frame alone, the first of these."""
        frame = self._num_tokens(parts[0]) if parts else None
        counts = [self._num_tokens(part) for part in parts[1:]]
        return [None if frame is None or count is None else max(1, count - frame) for count in counts]

    def _is_known(self, question: CountTokens) -> bool:
        return any(known == question for known, _ in self._known)

    def _count_of(self, question: CountTokens) -> TokenCount | None:
        return next((count for known, count in self._known if known == question), None)

    def _num_tokens(self, question: CountTokens) -> int | None:
        count = self._count_of(question)
        return count.num_tokens if count else None

    def _receive(self, event: Event) -> None:
        if not isinstance(event, Answer | Failed):
            return
        self._take_once(event.request_id, event.value if isinstance(event, Answer) else None)
        if event.request_id != self._request_id or not self._request_id:
            return
        asked, self._asked, self._request_id = self._asked, None, 0
        if asked is not None:
            value = event.value if isinstance(event, Answer) else None
            self._known.append((asked, value if isinstance(value, TokenCount) else None))
        self._ask_next()
