"""Pearson's test of draws against a distribution."""

from __future__ import annotations

from collections.abc import Sequence

Z = 3.0902  # of the normal distribution: p = 0.001


def critical(freedom: int) -> float:
    """The value that chance exceeds once in 1,000 times; Wilson and Hilferty 1931, within 1 % from 2 degrees on."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + Z * spread**0.5) ** 3


def is_plausible(counts: Sequence[int], probabilities: Sequence[float]) -> bool:
    """Whether counts may come of these probabilities, p > 0.001; nothing may fall where the probability is 0."""
    expected = [probability * sum(counts) for probability in probabilities]
    pairs = list(zip(counts, expected, strict=True))
    if any(count for count, mean in pairs if mean == 0):
        return False
    likely = [(count, mean) for count, mean in pairs if mean >= 5]
    rare = [(count, mean) for count, mean in pairs if 0 < mean < 5]
    cells = [*likely, (sum(count for count, _ in rare), sum(mean for _, mean in rare))] if rare else likely
    return sum((count - mean) ** 2 / mean for count, mean in cells) < critical(max(1, len(cells) - 1))
