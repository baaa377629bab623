"""The engine's part of the self-test: the packaged model is loaded, and answers alike with every drafter."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from engine.messages import (
    STARTER,
    Answer,
    Command,
    Delta,
    DescribeMemory,
    DrafterFacts,
    Event,
    Failed,
    Finished,
    InspectDrafter,
    LoadModel,
    MemoryReport,
    ModelFacts,
    ModelLoaded,
    Notice,
    Sampling,
    Shutdown,
    Statistics,
    Submit,
    TokenLogprob,
    Turn,
)
from engine.thread import EngineThread

LETTERS = " ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
PROMPT = f"Copy this line three times: {LETTERS}"  # drafters without weights can foretell what was read before
NUM_TOKENS = 48
# In logits: bfloat16 has steps of an eighth between 16 and 32, where the scores of likely tokens lie, and either may
# be one step off.
NEAR_TIE = 0.25
STOP_SECONDS = 20.0


class CheckError(Exception):
    """A check failed; the text is a sentence."""


@dataclass(slots=True)
class Reply:
    """One reply; `logprobs` are told where they were asked for."""

    text: str = ""
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[TokenLogprob] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)


class Asking:
    """Asks an engine one thing after the other; raises CheckError with its sentence where it fails."""

    def __init__(self, engine: EngineThread) -> None:
        self._engine = engine
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._request_ids = count(1)
        engine.start(self._events.put)

    def load_starter(self) -> ModelFacts:
        request_id = next(self._request_ids)
        for event in self._events_of(request_id, LoadModel(request_id, STARTER)):
            if isinstance(event, ModelLoaded):
                return event.facts
        raise AssertionError("a model is loaded or fails")

    def inspect(self, path: str) -> DrafterFacts:
        """What drafts at a path, and whether it fits the starter."""
        request_id = next(self._request_ids)
        facts = self._answer(request_id, InspectDrafter(request_id, path, STARTER))
        assert isinstance(facts, DrafterFacts)
        return facts

    def device(self) -> str:
        """What MLX computes on, such as "Metal, Apple M3" or "CPU"."""
        request_id = next(self._request_ids)
        report = self._answer(request_id, DescribeMemory(request_id))
        assert isinstance(report, MemoryReport)
        return report.device

    def reply(self, drafter: str) -> Reply:
        """A greedy reply, with its scores where nothing drafts."""
        request_id = next(self._request_ids)
        sampling = Sampling(max_tokens=NUM_TOKENS, num_logprobs=2 if drafter == "none" else 0)
        turns = (Turn("user", PROMPT),)
        reply = Reply()
        submit = Submit(request_id, f"self-test-{request_id}", STARTER, drafter, turns, sampling)
        for event in self._events_of(request_id, submit):
            match event:
                case Delta():
                    reply.text += event.text
                    reply.token_ids += event.token_ids
                    reply.logprobs += event.logprobs
                case Notice():
                    reply.notices.append(event.text)
                case Finished():
                    reply.statistics = event.statistics
                    return reply
        raise AssertionError("a reply ends or fails")

    def _answer(self, request_id: int, command: Command) -> object:
        for event in self._events_of(request_id, command):
            if isinstance(event, Answer):
                return event.value
        raise AssertionError("a question is answered or refused")

    def _events_of(self, request_id: int, command: Command) -> Iterator[Event]:
        """Those of a request as they come, without end."""
        self._engine.send(command)
        while True:
            event = self._events.get()
            if isinstance(event, Failed) and event.request_id in (0, request_id):
                raise CheckError(event.text)
            if getattr(event, "request_id", 0) == request_id:
                yield event


@contextmanager
def asking(folder: Path) -> Iterator[Asking]:
    """An engine with its data in `folder`, ended behind the block."""
    engine = EngineThread(folder)
    asked = Asking(engine)
    try:
        yield asked
    finally:
        engine.send(Shutdown())
        engine.join(STOP_SECONDS)


def makes_sense(text: str) -> bool:
    """Whether a reply to PROMPT is one."""
    return LETTERS in text


def compare(plain: Reply, drafted: Reply) -> str:
    """How a drafted reply agrees with the plain one, as words; raises CheckError where it does not."""
    if drafted.notices:
        raise CheckError(f"it did not draft: {' '.join(drafted.notices)}")
    pairs = zip(plain.token_ids, drafted.token_ids, strict=False)
    place = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
    if place is not None:
        scores = plain.logprobs[place].top
        gap = scores[0][1] - scores[1][1]
        if gap > NEAR_TIE or drafted.token_ids[place] != scores[1][0]:
            raise CheckError(
                f"its reply differs from the plain one at token {place + 1}, and not by a near tie: "
                f"{drafted.text!r} instead of {plain.text!r}"
            )
        same = f"the same text up to a near tie at token {place + 1}"
    elif len(plain.token_ids) != len(drafted.token_ids):
        raise CheckError(f"its reply has {len(drafted.token_ids)} tokens; the plain one has {len(plain.token_ids)}")
    else:
        same = f"the same {len(plain.token_ids)} tokens"
    statistics = drafted.statistics
    return f"{same}, {statistics.num_accepted} of {statistics.num_proposed} proposed ones accepted"
