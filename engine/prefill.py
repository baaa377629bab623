"""Reading one row's prompt in chunks, beside rows that run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kv.rows import RowState
from engine.messages import Progress
from engine.row import Row
from engine.target import Target

CHUNK_SECONDS = 0.25  # longest pause that a running row or a Stop sees
MIN_CHUNK = 8
FIRST_CHUNK = 32
MAX_CHUNK = 2048


def chunk_length(tokens_per_second: float, previous: int) -> int:
    """Prompt tokens that last about CHUNK_SECONDS at the measured speed; at most four times the previous chunk.

    A short chunk is bound by launches and understates the speed, hence the climb in steps.
    """
    if not tokens_per_second:
        return FIRST_CHUNK
    return max(MIN_CHUNK, min(int(tokens_per_second * CHUNK_SECONDS), 4 * previous, MAX_CHUNK))


class Prefill:
    """Target and drafter state of one row while its prompt is read; the last prompt token stays pending.

    That token heads the first verify window, so that no forward of one position differs from the rounds' (and the
    first reply token comes out of round 1).
    """

    def __init__(self, target: Target, row: Row) -> None:
        self.row = row
        self._target = target
        self._rows = target.open_rows()
        self._rows.prepare_append([None]).commit()
        row.draft_rows.prepare_append([None]).commit()
        self._unread: Sequence[int] = row.prompt_ids[:-1]
        self._chunk_length = FIRST_CHUNK

    @property
    def is_done(self) -> bool:
        return not self._unread

    def advance(self) -> None:
        """Read one chunk into both states."""
        self._chunk_length = chunk_length(self._target.prefill_tokens_per_second, self._chunk_length)
        chunk, self._unread = self._unread[: self._chunk_length], self._unread[self._chunk_length :]
        self._target.prefill(self._rows, chunk)
        self.row.draft_rows.prefill(chunk, None)

    def progress(self) -> Progress:
        total = len(self.row.prompt_ids)
        return Progress(self.row.request_id, "reading", total - len(self._unread), total)

    def take(self) -> RowState | None:
        """The target state of the whole prompt but its last token; None where that is the whole prompt."""
        return self._rows.extract(0) if len(self.row.prompt_ids) > 1 else None
