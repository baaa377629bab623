"""What happens when: commands, admission and fair turns between groups. Runs without a thread in tests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import assert_never

import mlx.core as mx

from engine.cache_commands import carry_out
from engine.checkpoints import Checkpoints
from engine.depth import DepthPolicy
from engine.describing import complete_count, describe_memory
from engine.drafters.table import check_drafter
from engine.failure import failed
from engine.groups import Groups
from engine.inbox import Inbox, Message
from engine.loading import Loader
from engine.memory import Memory
from engine.messages import (
    Answer,
    Began,
    Cancel,
    ClearCache,
    Command,
    CountTokens,
    DeleteConversation,
    Delta,
    DescribeCache,
    DescribeMemory,
    EngineStarted,
    EstimateMemory,
    Event,
    Failed,
    Finished,
    ForgetConversation,
    Inspect,
    InspectDrafter,
    KeepConversations,
    LoadModel,
    ModelLoaded,
    Notice,
    PreviewTemplate,
    Progress,
    ReadTemplate,
    RememberReplies,
    RemoveCached,
    SetCacheLimits,
    Shutdown,
    StartEngine,
    Submit,
    UnloadModel,
)
from engine.models.errors import DrafterError
from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.entries import Opened, ReadBack, Removed, Written
from engine.prompt_cache.report import FOLDER_NAME
from engine.refusal import refusal
from engine.replies import Replies
from engine.requests import Requests
from engine.residence import Residence
from engine.row import Row
from engine.target import Target
from engine.text.counting import Counted, hand_on
from engine.text.prompt import Prompt
from engine.text.thread import InlineText, TextThread

log = logging.getLogger(__name__)

STEPS_BETWEEN_CLEARS = 256  # frees buffers that no longer fit; every step would empty the pool that the next one needs


class Engine:
    """Owns the groups and every request; only the thread that calls `step` and `wait` touches them."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        text: TextThread | InlineText,
        data_dir: Path,
        inbox: Inbox | None = None,
        depth: DepthPolicy | None = None,
        cache: PromptCache | None = None,
        reopen_cache: Callable[[], PromptCache | None] | None = None,
        memory_limit: Callable[[int], int] | None = None,
    ) -> None:
        """`depth` chooses depths for every target; None has them chosen by measured cost. `cache` saves what is read
        and finds it again; its storage's messages come through the inbox. None reads every prompt as a whole.
        `reopen_cache` opens it once more where another program held it; None while that one still does.
        `memory_limit` is as in Memory."""
        self._consumer = emit
        self._data_dir = data_dir
        self._text = text
        self._inbox = inbox or Inbox()
        self._replies = Replies()
        self._cache = cache
        self._open_again = reopen_cache
        self._standing: dict[type, KeepConversations | SetCacheLimits] = {}  # what another cache has to know too
        self._checkpoints = Checkpoints(cache)
        self._memory = Memory(
            lambda: self._cache,
            lambda: self._groups.promised_bytes + self._loader.promised_bytes,
            lambda: self._groups.memory.target_bytes,
            memory_limit,
        )
        self._groups = Groups(self._emit, depth, self._checkpoints, self._memory)
        self._requests = Requests(self._emit, text, self._inbox, self._replies, self._checkpoints, self._take_in)
        admit = self._memory.admit_model
        self._loader = Loader(data_dir, self._replies, self._emit_of_load, self._requests.prepare, admit)
        self._residence = Residence(self._loader, self._emit_of_load, self._is_used)
        self._at_hand: Message | None = None  # what is being handled
        self._num_steps = 0
        self.is_shut_down = False

    def send(self, *commands: Command) -> None:
        """Queue commands; any thread may call it, and it never blocks."""
        for command in commands:
            self._inbox.put(command)

    def step(self) -> bool:
        """Take what arrived, then advance a load by a slice and one group by a forward; False where all is done."""
        is_busy = not self._inbox.is_empty()
        while not self._inbox.is_empty():
            self._take_message()
        has_moved = self._residence.advance()
        self._num_steps += 1
        if is_time := self._num_steps % STEPS_BETWEEN_CLEARS == 0:
            mx.clear_cache()
        if has_moved or is_time:
            self._groups.look_again()
        return self._groups.advance() | has_moved | is_busy

    def wait(self) -> None:
        """Block until something arrives, and take it."""
        self._take_message()

    def run(self) -> None:
        """Step until nothing is left to do."""
        while self.step():
            pass

    def target(self, name: str) -> Target | None:
        """A loaded target; for whoever drives the engine on this thread."""
        return self._loader.target(name)

    def adopt(self, target: Target) -> None:
        """Take a loaded target, so that several engines on this thread share its weights."""
        self._loader.adopt(target)

    def fail(self, text: str) -> None:
        """Fail every request, that too whose message broke the engine; for a fault of the engine itself."""
        failing = self._requests.drop() | {*self._residence.drop()}
        for request_id in failing:
            self._emit(Failed(request_id, "engine", text))
        self._groups.fail(text)
        broken, self._at_hand = self._at_hand, None
        answer = refusal(broken, text) if broken is not None else None
        if answer is not None and getattr(answer, "request_id", 0) not in failing:
            self._emit(answer)

    def close_cache(self, seconds: float) -> bool:
        """Write what can be written in that time, after the shutdown; False where something was dropped."""
        return self._cache is None or self._cache.close(seconds)

    def _emit(self, event: Event) -> None:
        """Hand an event over; a request whose consumer throws is ended between steps, and no other is harmed."""
        self._replies.observe(event)
        try:
            self._consumer(event)
        except Exception:
            log.exception("the consumer of %s failed", type(event).__name__)
            if isinstance(event, Began | Delta | Progress | Notice | ModelLoaded):
                self.send(Cancel(event.request_id))

    def _emit_of_load(self, event: Event) -> None:
        """Hand over what a load tells; where it failed, the request has ended."""
        if isinstance(event, Failed):
            self._requests.forget(event.request_id)
        self._emit(event)

    def _take_message(self) -> None:
        arrived_at, self._at_hand = self._inbox.get()
        self._handle(arrived_at, self._at_hand)
        self._at_hand = None

    def _handle(self, arrived_at: float, message: Message) -> None:
        match message:
            case Submit() | LoadModel() if self.is_shut_down:
                self._emit(Finished(message.request_id, "cancelled"))
            case Submit():
                self._submit(message, arrived_at)
            case LoadModel():
                self._residence.want(message)
            case Prompt():
                self._requests.open_row(message)
            case Failed():
                if self._requests.forget(message.request_id):
                    self._emit(message)
            case Cancel():
                self._cancel(message.request_id)
            case UnloadModel():
                self._residence.unload(message)
            case StartEngine():
                self._emit(EngineStarted())
            case CountTokens() | Inspect() | InspectDrafter() | EstimateMemory() | ReadTemplate() | PreviewTemplate():
                self._text.answer(message, partial(hand_on, self._inbox.put, self._emit))
            case Counted():
                self._emit(complete_count(message, self._loader, self._checkpoints))
            case RememberReplies():
                if (target := self._loader.target(message.target)) is not None:
                    self._replies.remember(target.facts.tokenizer_id, message.replies)
            case ForgetConversation():
                self._replies.forget(message.conversation_id)
            case (
                DeleteConversation()
                | KeepConversations()
                | DescribeCache()
                | SetCacheLimits()
                | ClearCache()
                | RemoveCached()
            ):
                if isinstance(message, DeleteConversation):
                    self._replies.forget(message.conversation_id)
                if isinstance(message, KeepConversations | SetCacheLimits):
                    self._standing[type(message)] = message
                carry_out(message, self._cache, self._data_dir / FOLDER_NAME, self._emit)
            case Opened() | Written() | ReadBack() | Removed():
                if self._cache is not None:
                    self._cache.handle(message)
            case DescribeMemory():
                report = describe_memory(self._loader, self._groups, self._cache, self._memory)
                self._emit(Answer(message.request_id, report))
            case Shutdown():
                self._shut_down()
            case _:
                assert_never(message)

    def _submit(self, submit: Submit, sent_at: float) -> None:
        try:
            check_drafter(submit.drafter)
        except DrafterError as error:
            self._emit(failed(submit.request_id, "request", error))
            return
        self._reopen_cache()
        self._requests.begin(submit, sent_at)
        self._residence.want(submit)

    def _reopen_cache(self) -> None:
        """Try to get what another program held, while no reply has anything of it."""
        if self._cache is None or self._open_again is None or not self._cache.is_held_elsewhere:
            return
        is_busy = self._requests.ids or not self._groups.are_idle
        if not is_busy and (cache := self._open_again()) is not None:
            self._cache.close(0.0)
            self._cache = cache
            self._checkpoints.use(cache)
            for command in self._standing.values():
                carry_out(command, cache, self._data_dir / FOLDER_NAME, self._emit)

    def _take_in(self, target: Target, row: Row) -> None:
        """Let a row wait in a group."""
        self._memory.share()
        self._groups.add(target, row)

    def _is_used(self, target: str, besides: Collection[int]) -> bool:
        """Whether a request or a row needs a target, other than the requests that are named."""
        return self._requests.uses(target, besides) or self._groups.use(self._loader.target(target))

    def _cancel(self, request_id: int) -> None:
        """End a request wherever it is; one that is unknown or has ended needs nothing."""
        was_waiting = self._residence.cancel(request_id)
        if self._requests.cancel(request_id):
            return
        if was_waiting:
            self._emit(Finished(request_id, "cancelled"))
        else:
            self._groups.cancel(request_id)

    def _shut_down(self) -> None:
        self.is_shut_down = True  # whatever fails below: the end is not asked for twice
        for request_id in self._requests.ids | {*self._residence.waiting_ids()}:
            self._cancel(request_id)
        self._groups.end()
        self._residence.drop()
