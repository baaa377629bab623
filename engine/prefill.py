"""Reading prompts in chunks, beside rows that run; several prompts at once share each forward."""

from __future__ import annotations

from collections.abc import Sequence

from engine.checkpoints import Checkpoints
from engine.companions import Companions, tap_layers_of
from engine.drafters.base import DrafterState
from engine.kv.state import RowState
from engine.messages import UNQUANTISED, KvScheme, Progress
from engine.models.working_memory import ATTENTION_CELLS, MAX_CHUNK
from engine.prompt_cache.entries import PAGE_TOKENS
from engine.row import Row
from engine.row_memory import RowMemory
from engine.target import Target

CHUNK_SECONDS = 0.25  # longest pause that a running row or a Stop sees
MIN_CHUNK = 8
FIRST_CHUNK = 32
COHORT_TOKENS = 2048  # prompt tokens that are read together; more would delay every first token by the longest prompt


def chunk_length(tokens_per_second: float, previous: int) -> int:
    """Prompt tokens that last about CHUNK_SECONDS at the measured speed; at most four times the previous chunk.

    A short chunk is bound by launches and understates the speed, hence the climb in steps.
    """
    if not tokens_per_second:
        return FIRST_CHUNK
    return max(MIN_CHUNK, min(int(tokens_per_second * CHUNK_SECONDS), 4 * previous, MAX_CHUNK))


def chunk_width(num_tokens: int, unread: Sequence[int], num_read: int) -> int:
    """Tokens of every row in one forward that reads about `num_tokens` in all: real ones only, never padding.

    unread: prompt tokens that each row still has, all greater than 0; `num_read` is the longest row's length so far.
    """
    share = max(MIN_CHUNK, num_tokens // len(unread))
    width = min(share, *unread)
    while width > MIN_CHUNK and len(unread) * width * (num_read + width) > ATTENTION_CELLS:
        width //= 2
    return width


class Cohort:
    """Target and drafter state of rows while their prompts are read; each row's last prompt token stays pending.

    That token heads the first verify window, so that no forward differs in shape from the rounds' and the first
    reply token comes out of round 1: nothing is published here.
    """

    def __init__(self, target: Target, kv: KvScheme = UNQUANTISED, checkpoints: Checkpoints | None = None) -> None:
        """`checkpoints` saves what is read; None saves nothing."""
        self.rows: list[Row] = []
        self.state = target.open_rows(kv)
        self.companions = Companions(target.view_of(self.state))
        self._target = target
        self._checkpoints = checkpoints or Checkpoints()
        self._chunk_length = FIRST_CHUNK

    @property
    def memory(self) -> RowMemory:
        """What the rows take."""
        return RowMemory(self.state.num_bytes, self.companions.num_bytes, len(self.rows))

    def can_admit(self, row: Row) -> bool:
        """The first row always enters; a further one within the token budget, which a row frees when it leaves."""
        if not self.rows:
            return True
        num_tokens = sum(other.num_uncached for other in (*self.rows, row))
        return num_tokens <= COHORT_TOKENS and len(self.rows) < self.state.max_rows

    def admit(self, row: Row) -> None:
        """Take a row in, between forwards, from where its prompt is not known."""
        restored = row.restored
        changes = [
            self.state.prepare_append([restored.target_state() if restored else None]),
            self.companions.prepare_append(row, restored.drafter_state(row) if restored else None),
        ]
        for change in changes:
            change.commit()
        row.num_read = restored.num_tokens if restored else 0
        row.restored = None
        self.rows.append(row)

    def advance(self) -> None:
        """Read one chunk of every row that has prompt left; a row that has none needs no forward."""
        if not self.rows or any(not row.num_unread for row in self.rows):
            return
        self._chunk_length = chunk_length(self._target.prefill_tokens_per_second, self._chunk_length)
        unread = [row.num_unread for row in self.rows]
        width = chunk_width(self._chunk_length, unread, max(self.state.lengths))
        width = min(width, *(row.num_to_boundary for row in self.rows))
        chunks = [row.prompt_ids[row.num_read : row.num_read + width] for row in self.rows]
        context = self._target.prefill(self.state, chunks, tap_layers_of(self.rows))
        self.companions.prefill(self.rows, chunks, context)
        for row in self.rows:
            row.num_read += width
            is_boundary = row.has_exact_part and row.num_read in row.boundaries
            if is_boundary or (not row.is_exact and row.num_read % PAGE_TOKENS < width):
                self.save(row, is_boundary=True)  # page by page where that can be: a whole prompt is a pause

    def progress(self) -> list[Progress]:
        """How far each row is; the pending token counts once its turn has come."""
        return [
            Progress(
                row.request_id,
                "reading",
                row.num_read + (not row.num_unread),
                len(row.prompt_ids),
                row.counter.num_cached,
            )
            for row in self.rows
        ]

    def save(self, row: Row, *, is_boundary: bool = False) -> None:
        """Have what was read of a row saved."""
        self._checkpoints.save(row, self.rows, self.state, self.companions, is_boundary=is_boundary)

    def finished(self) -> list[Row]:
        return [row for row in self.rows if not row.num_unread]

    def take(self, row: Row) -> tuple[RowState | None, DrafterState | None]:
        """Let a row go with its target and drafter state; None where it has read nothing."""
        try:
            if not row.num_read:
                return None, None
            return self.state.extract(self.rows.index(row)), self.companions.capture(self.rows, row)
        finally:
            self.remove(row)

    def remove(self, row: Row) -> None:
        """Drop a row; the others go on."""
        keep = [index for index, other in enumerate(self.rows) if other is not row]
        self.state.filter(keep)
        self.companions.filter(self.rows, keep)
        self.rows = [self.rows[index] for index in keep]
