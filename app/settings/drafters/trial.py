"""A trial: replies that run at once through the engine to see how fast they are, and that nobody reads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.bridge import EngineBridge
from app.settings.drafters.prompts import Prompt
from engine.messages import Cancel, Delta, Event, Failed, Finished, Sampling, Submit

NUM_TOKENS = 96  # of each reply
LEAST_TOKENS = 8  # that a rate is over
CONVERSATION = "trial"  # of which nothing is kept


class TrialError(Exception):
    """A trial could not be made; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Which replies to run."""

    target: str
    drafter: str
    prompts: tuple[Prompt, ...]
    num_tokens: int = NUM_TOKENS


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tokens per second of all replies together, None where they ended too soon for a rate; seconds that it took."""

    rate: float | None
    seconds: float


@dataclass(slots=True)
class _Reply:
    deltas: list[Delta] = field(default_factory=list)
    has_ended: bool = False


async def run_trial(bridge: EngineBridge, trial: Trial) -> Outcome:
    """Raises TrialError where the engine fails a reply. Cancelled, it cancels its replies."""
    began = time.monotonic()
    replies = {bridge.next_request_id(): _Reply() for _ in trial.prompts}
    ended: asyncio.Future[None] = asyncio.get_event_loop().create_future()

    def receive(event: Event) -> None:
        if not isinstance(event, Delta | Finished | Failed) or event.request_id not in replies:
            return
        reply = replies[event.request_id]
        if isinstance(event, Delta):
            reply.deltas.append(event)
            return
        reply.has_ended = True
        if ended.done():
            return
        if isinstance(event, Failed):
            ended.set_exception(TrialError(event.text))
        elif all(one.has_ended for one in replies.values()):
            ended.set_result(None)

    connection = bridge.received.connect(receive)
    try:
        bridge.send(*(_submit(number, trial, prompt) for number, prompt in zip(replies, trial.prompts, strict=True)))
        await ended
    finally:
        bridge.received.disconnect(connection)
        bridge.send(*(Cancel(number) for number, reply in replies.items() if not reply.has_ended))
    return Outcome(rate_of([reply.deltas for reply in replies.values()]), time.monotonic() - began)


def rate_of(replies: Sequence[Sequence[Delta]]) -> float | None:
    """The sum of their decode rates, each over the rounds in which all of them took part."""
    rates = [_rate(deltas, len(replies)) for deltas in replies]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if len(known) == len(rates) else None


def _rate(deltas: Sequence[Delta], num_replies: int) -> float | None:
    """Tokens from the end of the first such round to that of the last, over the time between them."""
    together = [one.statistics for one in deltas if one.statistics.num_rows == num_replies]
    timed = [one for one in together if one.tokens_per_second > 0]
    if not timed:
        return None
    ends = [(one.num_tokens, (one.num_tokens - 1) / one.tokens_per_second) for one in (timed[0], timed[-1])]
    (first_tokens, first_seconds), (last_tokens, last_seconds) = ends
    if last_tokens - first_tokens < LEAST_TOKENS or last_seconds <= first_seconds:
        return None
    return (last_tokens - first_tokens) / (last_seconds - first_seconds)


def _submit(request_id: int, trial: Trial, prompt: Prompt) -> Submit:
    sampling = Sampling(max_tokens=trial.num_tokens)
    return Submit(request_id, CONVERSATION, trial.target, trial.drafter, prompt, sampling, is_trial=True)
