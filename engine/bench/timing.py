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
    deliveries: tuple[Delivery, ...]
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
    """Tokens delivered after the moment when every row had its first, until the last of all.

    So no prompt is read in that time, and the tokens of the first deliveries count on neither side.
    """
    if not deliveries:
        return Span()
    start = max(first_times(deliveries).values())
    end = max(delivery.at_seconds for delivery in deliveries)
    num_tokens = sum(delivery.num_tokens for delivery in deliveries if delivery.at_seconds > start)
    return Span(num_tokens, end - start) if num_tokens else Span()


def first_times(deliveries: Sequence[Delivery]) -> dict[int, float]:
    """When each row had its first token."""
    firsts: dict[int, float] = {}
    for delivery in deliveries:
        firsts.setdefault(delivery.row, delivery.at_seconds)
    return firsts


def row_seconds(deliveries: Sequence[Delivery], row: int) -> float:
    """Time from a row's first delivery to its last."""
    times = [delivery.at_seconds for delivery in deliveries if delivery.row == row]
    return max(times) - min(times) if times else 0.0


def add_spans(spans: Sequence[Span]) -> Span:
    """All tokens over all time."""
    return Span(sum(span.num_tokens for span in spans), sum(span.seconds for span in spans))
