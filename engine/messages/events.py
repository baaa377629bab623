"""Events: what the engine tells app/."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages.answers import (
    CacheReport,
    ChatTemplate,
    DrafterFacts,
    MemoryEstimate,
    MemoryReport,
    ModelFacts,
    RenderedPrompt,
    TokenCount,
)
from engine.messages.statistics import NO_STATISTICS, Statistics


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    request_id: int
    facts: ModelFacts


@dataclass(frozen=True, slots=True)
class ModelUnloaded:
    """A target and its drafters have left the memory."""

    target: str


@dataclass(frozen=True, slots=True)
class EngineStarted:
    """The engine takes requests; it holds no model yet."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request is before its first token: `phase` is "waiting", "importing", "loading" or "reading"."""

    request_id: int
    phase: str
    done: int  # bytes, or tokens where phase is "reading", cached ones among them
    total: int
    num_cached: int = 0  # tokens of `done` that came from the prompt cache


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A delivered token's natural log probability after bias, penalties and grammar, before filters and temperature."""

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]  # the most probable tokens that are allowed there, the greatest first


@dataclass(frozen=True, slots=True)
class Began:
    """A reply is about to be generated: the prompt ends with `opening`, which belongs to the reply's reasoning.

    It comes before the first Delta, and only where the template writes the beginning of the reply itself ("<think>").
    """

    request_id: int
    opening: str


@dataclass(frozen=True, slots=True)
class Delta:
    """What one round added to a reply; the first `num_accepted` of `token_ids` were proposed by the drafter.

    `text` may lag behind `token_ids` while a character or a stop string is incomplete. Its part from
    `accepted_start` to `accepted_end`, in characters, was written by the accepted tokens.
    `logprobs` has one entry for each of `token_ids` where they were asked for.
    """

    request_id: int
    text: str
    token_ids: tuple[int, ...]
    num_accepted: int
    statistics: Statistics
    logprobs: tuple[TokenLogprob, ...] = ()
    accepted_start: int = 0
    accepted_end: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """Something differs from what was asked for; `text` is the sentence for the user.

    With the code "cache" it tells what has befallen the prompt cache: a full disk, a pause; with "memory" that a reply
    waits until there is room for it.
    """

    request_id: int  # 0 where it is about no request
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A reply ended; `reason` is "stop", "length" or "cancelled"."""

    request_id: int
    reason: str
    statistics: Statistics = NO_STATISTICS


@dataclass(frozen=True, slots=True)
class Failed:
    """A request could not be done; `text` says what was found, what was needed and what to do."""

    request_id: int
    code: str  # "request", "model", "drafter", "template", "context" or "engine"
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question command."""

    request_id: int
    value: (
        TokenCount
        | ModelFacts
        | DrafterFacts
        | MemoryEstimate
        | MemoryReport
        | ChatTemplate
        | RenderedPrompt
        | CacheReport
    )


@dataclass(frozen=True, slots=True)
class ConversationDeleted:
    """A conversation's saved state is gone from memory and disk, and drafters have forgotten it."""

    conversation_id: str
    problem: str = ""  # why some of it is left on disk, for the user; "" where all is gone


Event = (
    EngineStarted
    | ModelLoaded
    | ModelUnloaded
    | Progress
    | Began
    | Delta
    | Notice
    | Finished
    | Failed
    | Answer
    | ConversationDeleted
)
