"""What rows take of the memory, present and to come, and which of them are near enough in length to share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.kv.buffers import COLUMN_STEP
from engine.messages import KvScheme
from engine.models.memory import RowSize
from engine.row import Row

LENGTH_RATIO = 4  # KV memory is rows × longest: a row so many times longer or shorter than a group costs too much in it
SHORT_ROW = 1024  # tokens below which a row's length costs nothing worth a second forward


@dataclass(frozen=True, slots=True)
class RowMemory:
    """Bytes of some rows' state in the target and in their drafters, spare columns included."""

    target_bytes: int = 0
    drafter_bytes: int = 0
    num_rows: int = 0

    @property
    def num_bytes(self) -> int:
        return self.target_bytes + self.drafter_bytes

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


def grown_bytes(size: RowSize, kv: KvScheme, rows: Sequence[Row], max_rows: int) -> int:
    """What one batch of rows takes once all have grown as far as they may: rows × longest, spare ones included."""
    if not rows:
        return 0
    longest = _columns(max(row.most_tokens for row in rows))
    drafters = Counter(row.drafter.kv_bytes_per_token for row in rows if row.drafter.kv_bytes_per_token)
    drafted = sum(_capacity(count, max_rows) * each * longest for each, count in drafters.items())
    return _capacity(len(rows), max_rows) * size.at(longest, kv) + drafted


def peak_bytes(size: RowSize, kv: KvScheme, rows: Sequence[Row], max_rows: int) -> int:
    """The most that rows of one batch ever take: as one joins, its own state is copied, and that of the others too
    where their arrays have no place for it. A row that is alone takes its state along."""
    reading = [row for row in rows if not row.counter.num_rounds]
    joined = len(rows) - len(reading)
    copied = 0
    if reading and len(rows) > 1:
        copied = sum(
            size.at(len(row.prompt_ids), kv) + row.drafter.kv_bytes_per_token * len(row.prompt_ids) for row in reading
        )
        if _capacity(len(rows), max_rows) > _capacity(max(joined, 1), max_rows):
            longest = sorted(rows, key=lambda row: row.most_tokens)[1:]  # whichever of them joins last
            copied += grown_bytes(size, kv, longest, max_rows)
    return grown_bytes(size, kv, rows, max_rows) + copied


def _columns(num_tokens: int) -> int:
    """Columns that a row of so many tokens comes to: arrays grow by an eighth, in steps."""
    return -(-(num_tokens + num_tokens // 8) // COLUMN_STEP) * COLUMN_STEP


def _capacity(num_rows: int, max_rows: int) -> int:
    """Rows that arrays have place for: each time that there is none, they double."""
    return 1 << (min(num_rows, max_rows) - 1).bit_length() if num_rows else 0
