"""A scripted stand-in for `engine.thread.EngineThread`: real messages, from a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from engine.messages import (
    Answer,
    CacheReport,
    Cancel,
    ClearCache,
    Command,
    ConversationDeleted,
    CountTokens,
    DeleteConversation,
    Delta,
    DescribeCache,
    DescribeMemory,
    DrafterFacts,
    EngineStarted,
    EstimateMemory,
    Event,
    Failed,
    Finished,
    Inspect,
    InspectDrafter,
    LoadModel,
    MemoryEstimate,
    MemoryReport,
    ModelFacts,
    ModelLoaded,
    ModelUnloaded,
    Notice,
    Progress,
    RemoveCached,
    Shutdown,
    StartEngine,
    Statistics,
    Submit,
    TokenCount,
    UnloadModel,
)

ScriptEvent = Delta | Progress | Notice


def facts_of(target: str, tokenizer_id: str = "tokenizer-1", quantisation: str = "4-bit") -> ModelFacts:
    """Facts of a model that does not exist."""
    return ModelFacts(
        target=target,
        folder=target,
        name=target.rsplit("/", 1)[-1],
        model_type="llama",
        context_length=8192,
        vocab_size=49152,
        num_layers=30,
        quantisation=quantisation,
        weight_bytes=1000,
        kv_bytes_per_token=10,
        tokenizer_id=tokenizer_id,
        has_template=True,
    )


def deltas_of(text: str, num_accepted: int = 0) -> list[Delta]:
    """One Delta a word; the id of a token is its word's place, counted from 1."""
    words = text.split(" ")
    pieces = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
    return [
        Delta(0, piece, (place,), num_accepted, Statistics(num_prompt=7, num_tokens=place, num_rounds=place))
        for place, piece in enumerate(pieces, start=1)
    ]


class FakeEngine:
    """Answers each Submit with ModelLoaded (once a target), then `script`, then `ending`.

    `script`, `ending` and `delay_seconds` are read when a Submit arrives; requests advance in turns. Where `ending` is
    None the reply stays open until it is cancelled. `emit` sends any event by hand. Deletions and questions about the
    prompt cache are answered at once with `report`, unless `answers_on_cache` is False; those about memory with
    `memory`; those about tokens as `count` answers them, or not at all. A model in `unloadable` fails with the sentence
    there; one in `unreadable` is refused with it where it is looked at, and `drafters` says what drafts there. With
    `holds_loads` models come only by `finish_loads`. What is unloaded leaves at once, replies or not, but
    with `holds_unloads`.
    """

    def __init__(self) -> None:
        self.script: Iterable[ScriptEvent] = deltas_of("Hello there")
        self.ending: Finished | Failed | None = Finished(0, "stop")
        self.delay_seconds = 0.0
        self.tokenizer_id = "tokenizer-1"
        self.when_stopped = Statistics()  # of a reply that is cancelled
        self.report = CacheReport()
        self.answers_on_cache = True
        self.count: Callable[[CountTokens], TokenCount | None] = lambda question: None
        self.memory = MemoryReport()
        self.answers_on_models = True
        self.estimate: MemoryEstimate | Failed | Callable[[EstimateMemory], MemoryEstimate] = MemoryEstimate(0, 0, 0, 0)
        self.make_facts: Callable[[str], ModelFacts] = facts_of
        self.unreadable: dict[str, str] = {}
        self.drafters: dict[str, DrafterFacts] = {}
        self.commands: list[Command] = []
        self.on_submit: Callable[[Submit], None] = lambda submit: None  # runs in `send`, on the sender's thread
        self._queue: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._replies: dict[int, Iterator[Event]] = {}
        self.holds_loads = False
        self.holds_unloads = False
        self.unloadable: dict[str, str] = {}
        self._held_loads: dict[int, str] = {}
        self._loaded: set[tuple[str, str]] = set()
        self._thread = threading.Thread(target=self._work, name="fake engine")

    @property
    def submits(self) -> list[Submit]:
        return [command for command in self.commands if isinstance(command, Submit)]

    @property
    def loads(self) -> list[LoadModel]:
        return [command for command in self.commands if isinstance(command, LoadModel)]

    def start(self, emit: Callable[[Event], None]) -> None:
        self.emit = emit
        self._thread.start()

    def send(self, *commands: Command) -> None:
        for command in commands:
            self.commands.append(command)
            if isinstance(command, Submit):
                self.on_submit(command)
            self._queue.put(command)

    def join(self, timeout: float | None = None) -> bool:
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        self.emit(EngineStarted())
        while True:
            command = self._next_command()
            if isinstance(command, Shutdown):
                for request_id in self._replies:
                    self.emit(Finished(request_id, "cancelled"))
                return
            if command is not None:
                self._obey(command)
            self._advance()

    def _next_command(self) -> Command | None:
        try:
            return self._queue.get(timeout=self.delay_seconds or 0.001) if self._replies else self._queue.get()
        except queue.Empty:
            return None

    def _obey(self, command: Command) -> None:
        match command:
            case Submit(request_id=request_id, target=target):
                self._load(request_id, target)
                self._replies[request_id] = self._play(request_id, list(self.script), self.ending)
            case LoadModel():
                self._begin_load(command)
            case UnloadModel(target=target):
                self._unload(target)
            case StartEngine():
                self._loaded.clear()
                self.emit(EngineStarted())
            case Cancel(request_id=request_id) if request_id in self._held_loads:
                del self._held_loads[request_id]
                self.emit(Finished(request_id, "cancelled"))
            case Cancel(request_id=request_id):
                if self._replies.pop(request_id, None) is not None:
                    self.emit(Finished(request_id, "cancelled", self.when_stopped))
            case CountTokens(request_id=request_id) if (count := self.count(command)) is not None:
                self.emit(Answer(request_id, count))
            case DeleteConversation() | ClearCache() | RemoveCached() | DescribeCache() if self.answers_on_cache:
                self._answer_on_cache(command)
            case Inspect() | InspectDrafter() | EstimateMemory() if self.answers_on_models:
                self._answer_on_files(command)
            case DescribeMemory(request_id=request_id):
                self.emit(Answer(request_id, self.memory))

    def _answer_on_files(self, command: Inspect | InspectDrafter | EstimateMemory) -> None:
        match command:
            case Inspect(request_id, target) if target in self.unreadable:
                self.emit(Failed(request_id, "model", self.unreadable[target]))
            case Inspect(request_id, target):
                self.emit(Answer(request_id, self._facts_of(target)))
            case InspectDrafter(request_id, path):
                self.emit(Answer(request_id, self.drafters.get(path) or DrafterFacts("", "unknown", path, path)))
            case EstimateMemory(request_id):
                found = self.estimate(command) if callable(self.estimate) else self.estimate
                answer = (
                    replace(found, request_id=request_id) if isinstance(found, Failed) else Answer(request_id, found)
                )
                self.emit(answer)

    def _answer_on_cache(self, command: DeleteConversation | ClearCache | DescribeCache) -> None:
        if isinstance(command, DeleteConversation):
            self.emit(ConversationDeleted(command.conversation_id))
            return
        if isinstance(command, RemoveCached):
            kept = tuple(one for one in self.report.conversations if one.conversation_id != command.conversation_id)
            self.report = replace(self.report, conversations=kept)
        if isinstance(command, ClearCache):
            self.report = replace(self.report, memory_bytes=0, disk_bytes=0, conversations=())
        self.emit(Answer(command.request_id, self.report))

    def finish_loads(self) -> None:
        """Let the models come that `holds_loads` kept."""
        loads, self._held_loads = self._held_loads, {}
        for request_id, target in loads.items():
            self._load(request_id, target)

    def _begin_load(self, command: LoadModel) -> None:
        if (reason := self.unloadable.get(command.target)) is not None:
            self.emit(Failed(command.request_id, "model", reason))
        elif self.holds_loads:
            self._held_loads[command.request_id] = command.target
        else:
            self._load(command.request_id, command.target)

    def _unload(self, target: str) -> None:
        """As the engine does it: a load of it that is not done ends."""
        for request_id in [one for one, held in self._held_loads.items() if held == target]:
            del self._held_loads[request_id]
            self.emit(Finished(request_id, "cancelled"))
        if self.holds_unloads:
            return
        self._loaded = {one for one in self._loaded if one[0] != target}
        self.emit(ModelUnloaded(target))

    def _load(self, request_id: int, target: str) -> None:
        if (target, self.tokenizer_id) not in self._loaded:
            self._loaded.add((target, self.tokenizer_id))
            self.emit(ModelLoaded(request_id, self._facts_of(target)))

    def _facts_of(self, target: str) -> ModelFacts:
        return replace(self.make_facts(target), tokenizer_id=self.tokenizer_id)

    def _play(self, request_id: int, script: list[ScriptEvent], ending: Finished | Failed | None) -> Iterator[Event]:
        for event in script:
            yield replace(event, request_id=request_id)
        if ending is not None:
            yield replace(ending, request_id=request_id)

    def _advance(self) -> None:
        for request_id, events in list(self._replies.items()):
            event = next(events, None)
            if event is not None:
                self.emit(event)
            if isinstance(event, (Finished, Failed)):
                del self._replies[request_id]
