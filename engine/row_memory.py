"""What running rows take of the memory, and which of them are near enough in length to share it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LENGTH_RATIO = 4  # KV memory is rows × longest: a row so many times longer or shorter than a group costs too much in it
SHORT_ROW = 1024  # tokens below which a row's length costs nothing worth a second forward


@dataclass(frozen=True, slots=True)
class RowMemory:
    """Bytes of some rows' state in the target and in their drafters, spare columns included."""

    target_bytes: int = 0
    drafter_bytes: int = 0
    num_rows: int = 0

    def __add__(self, other: RowMemory) -> RowMemory:
        return RowMemory(
            self.target_bytes + other.target_bytes,
            self.drafter_bytes + other.drafter_bytes,
            self.num_rows + other.num_rows,
        )


def are_near(length: int, others: Iterable[int]) -> bool:
    """Whether a row of so many tokens is near enough to the longest of others."""
    longest = max([SHORT_ROW, *others])
    return longest / LENGTH_RATIO <= max(length, SHORT_ROW) <= LENGTH_RATIO * longest
