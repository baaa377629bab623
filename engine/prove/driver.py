"""The engine without a thread, and what a proof has to know of every reply that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from engine.command_line import BadInputError, EngineFailedError
from engine.depth import FullDepth
from engine.engine import Engine
from engine.inbox import Inbox
from engine.messages import (
    Cancel,
    Delta,
    Event,
    Failed,
    Finished,
    LoadModel,
    ModelFacts,
    ModelLoaded,
    Notice,
    Sampling,
    Shutdown,
    Statistics,
    Submit,
    Turn,
)
from engine.messages.statistics import NO_STATISTICS
from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.storage import InlineStorage
from engine.prove.measure import Shape
from engine.target import Target
from engine.text.detokenizer import shown_text
from engine.text.prompt import Prompt
from engine.text.thread import InlineText

CLOSE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Round:
    """One forward that a reply took part in: `start` is the index in the reply of the first token that it gave."""

    start: int
    shape: Shape


@dataclass(slots=True)
class Reply:
    """One reply as it is made."""

    request_id: int
    token_ids: list[int] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    statistics: Statistics = NO_STATISTICS
    end: Finished | Failed | None = None

    @property
    def most_rows(self) -> int:
        return max((made.shape.num_rows for made in self.rounds), default=0)

    def shapes_at(self, position: int) -> set[Shape]:
        """The shape of the forward that gave the token at `position`, and the greatest of those up to it."""
        shapes = [made.shape for made in self.rounds if made.start <= position]
        return {shapes[-1], Shape(max(shape.num_rows for shape in shapes), max(shape.width for shape in shapes))}

    def joined(self, rest: Reply) -> Reply:
        """This reply and the one that continues it, as one."""
        rounds = [Round(made.start + len(self.token_ids), made.shape) for made in rest.rounds]
        statistics = replace(
            rest.statistics,
            num_proposed=self.statistics.num_proposed + rest.statistics.num_proposed,
            num_accepted=self.statistics.num_accepted + rest.statistics.num_accepted,
        )
        ids = [*self.token_ids, *rest.token_ids]
        return Reply(self.request_id, ids, [*self.rounds, *rounds], statistics, rest.end)


class PromptKeeper(InlineText):
    """Keeps the prompt of each request, from which its scores can be worked out again."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self.prompts: dict[int, Prompt] = {}

    def prepare(self, submit: Submit, facts: ModelFacts, done: Callable[[Prompt | Failed], None]) -> None:
        def keep(prompt: Prompt | Failed) -> None:
            if isinstance(prompt, Prompt):
                self.prompts[prompt.request_id] = prompt
            done(prompt)

        super().prepare(submit, facts, keep)


def open_engine(emit: Callable[[Event], None], text: InlineText, data_dir: Path) -> Engine:
    """An engine that takes every proposal."""
    return Engine(emit, text, data_dir, depth=FullDepth())


class Driver:
    """Owns one engine with one target; asks, steps and cancels, and keeps the replies."""

    def __init__(self, model: str, data_dir: Path, tell: Callable[[str], None]) -> None:
        self._model = model
        self._data_dir = data_dir
        self._tell = tell
        self._told: set[str] = set()
        self._events: list[Event] = []
        self._text = PromptKeeper(data_dir)
        self._engine = open_engine(self._events.append, self._text, data_dir)
        self._replies: dict[int, Reply] = {}
        self._request_ids = count(1)

    def load(self) -> ModelFacts:
        """Load the target; raises BadInputError where it cannot be."""
        self._engine.send(LoadModel(0, self._model))
        self._engine.run()
        events, self._events[:] = list(self._events), []
        for event in events:
            if isinstance(event, Failed):
                raise BadInputError(event.text)
        return next(event.facts for event in events if isinstance(event, ModelLoaded))

    @property
    def target(self) -> Target:
        target = self._engine.target(self._model)
        assert target is not None
        return target

    @contextmanager
    def restarted(self, folder: Path) -> Iterator[None]:
        """Ask another engine meanwhile, which finds what those before it left in the prompt cache of a folder."""
        inbox = Inbox()
        cache = PromptCache(InlineStorage(folder, inbox.put), settings=CacheSettings())
        cache.open()
        engine = Engine(self._events.append, self._text, self._data_dir, inbox, FullDepth(), cache)
        engine.adopt(self.target)
        self._engine, before = engine, self._engine
        try:
            yield
        finally:
            self._engine = before
            engine.send(Shutdown())
            engine.run()
            cache.close(CLOSE_SECONDS)

    def start(self, prompt: str, sampling: Sampling, drafter: str, begun: Reply | None = None) -> Reply:
        """Ask for a reply, in a conversation of its own, or for the rest of one; steps make it."""
        request_id = next(self._request_ids)
        reply = self._replies[request_id] = Reply(request_id)
        turns: tuple[Turn, ...] = (Turn("user", prompt),)
        if begun is not None:
            tokenizer = self.prompt_of(begun).tokenizer
            ids = tuple(begun.token_ids)
            turns += (Turn("assistant", shown_text(tokenizer, ids), ids, tokenizer.identity),)
        self._engine.send(Submit(request_id, f"prove-{request_id}", self._model, drafter, turns, sampling))
        return reply

    def make(self, prompt: str, sampling: Sampling, drafter: str) -> Reply:
        """A whole reply made alone; raises BadInputError or EngineFailedError where it fails."""
        reply = self.start(prompt, sampling, drafter)
        self.run()
        if isinstance(reply.end, Failed):
            raise (EngineFailedError if reply.end.code == "engine" else BadInputError)(reply.end.text)
        return reply

    def cancel(self, reply: Reply) -> None:
        self._engine.send(Cancel(reply.request_id))

    def prompt_of(self, reply: Reply) -> Prompt:
        return self._text.prompts[reply.request_id]

    def step(self, times: int = 1) -> bool:
        """Advance the engine, one group of rows by one forward each time; False where all is done."""
        is_busy = False
        for _ in range(times):
            is_busy = self._engine.step()
            self._take(self._events)
            self._events.clear()
        return is_busy

    def run(self) -> None:
        """Step until nothing is left to do."""
        while self.step():
            pass

    def _take(self, events: Sequence[Event]) -> None:
        """Sort the events of one step into the replies; rows that gave tokens in it shared its forward."""
        width = 1 + max((self._num_proposed(event) for event in events), default=0)
        for event in events:
            match event:
                case Delta():
                    self._add(self._replies[event.request_id], event, width)
                case Finished():
                    self._add(self._replies[event.request_id], event, width)
                    self._replies[event.request_id].end = event
                case Failed():
                    self._replies[event.request_id].end = event
                case Notice() if event.text not in self._told:
                    self._told.add(event.text)
                    self._tell(event.text)

    def _num_proposed(self, event: Event) -> int:
        """Tokens that a row's drafter proposed in the round that this event tells of."""
        if not isinstance(event, Delta | Finished):
            return 0
        return event.statistics.num_proposed - self._replies[event.request_id].statistics.num_proposed

    def _add(self, reply: Reply, event: Delta | Finished, width: int) -> None:
        if event.statistics.num_rounds > reply.statistics.num_rounds:
            reply.rounds.append(Round(len(reply.token_ids), Shape(event.statistics.num_rows, width)))
        if isinstance(event, Delta):
            reply.token_ids += event.token_ids
        if event.statistics != NO_STATISTICS:
            reply.statistics = event.statistics
