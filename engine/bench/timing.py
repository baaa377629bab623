"""What one run delivered and when, and the rates that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.messages import Statistics


@dataclass(frozen=True, slots=True)
class Delivery:
    """Tokens that one row gained in one forward; an end token counts, though it is never shown."""

    row: int
    num_tokens: int
    at_seconds: float  # since the run began


@dataclass(frozen=True, slots=True)
class Run:
    """One batch of prompts answered by one side.

    `replies` are each row's ids without the end token; `statistics` are the engine's own of each row, () for mlx-lm.
    """

    replies: tuple[tuple[int, ...], ...]
    deliveries: tuple[Delivery, ...]  # in the order of time
    seconds: float  # from the request to the last end
    statistics: tuple[Statistics, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens and the time that they took."""

    num_tokens: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Tokens per second; 0.0 where nothing was timed."""
        return self.num_tokens / self.seconds if self.num_tokens and self.seconds > 0 else 0.0


def decode_span(deliveries: Sequence[Delivery]) -> Span:
    """Tokens after each row's first delivery, and the time from the first delivery of all to the last.

    Where rows of a batch begin one after the other, the prompts of the later ones are read in that time.
    """
    firsts, lasts = first_times(deliveries), last_times(deliveries)
    num_tokens = sum(delivery.num_tokens for delivery in deliveries if delivery.at_seconds > firsts[delivery.row])
    return Span(num_tokens, max(lasts.values()) - min(firsts.values())) if num_tokens else Span()


def full_span(deliveries: Sequence[Delivery]) -> Span:
    """The part of decoding in which every row runs: from the last first delivery to the first last one.

    Nothing in it where a row ended before another began.
    """
    firsts, lasts = first_times(deliveries), last_times(deliveries)
    start, end = max(firsts.values(), default=0.0), min(lasts.values(), default=0.0)
    num_tokens = sum(delivery.num_tokens for delivery in deliveries if start < delivery.at_seconds <= end)
    return Span(num_tokens, end - start) if num_tokens else Span()


def first_times(deliveries: Sequence[Delivery]) -> dict[int, float]:
    """When each row had its first token."""
    firsts: dict[int, float] = {}
    for delivery in deliveries:
        firsts.setdefault(delivery.row, delivery.at_seconds)
    return firsts


def last_times(deliveries: Sequence[Delivery]) -> dict[int, float]:
    """When each row had its last tokens."""
    return {delivery.row: delivery.at_seconds for delivery in deliveries}


def add_spans(spans: Sequence[Span]) -> Span:
    """All tokens over all time."""
    return Span(sum(span.num_tokens for span in spans), sum(span.seconds for span in spans))
