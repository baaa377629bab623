"""The text of one reply as it may be shown, while its tokens arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.detokenizer import open_detokenizer
from engine.text.stops import StopFilter

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer


class ReplyText:
    """Joins a detokenizer and a stop filter; `prefix_ids` are the ids of a reply that is continued."""

    def __init__(self, tokenizer: Tokenizer, stops: Sequence[str], prefix_ids: Sequence[int] = ()) -> None:
        self._detokenizer = open_detokenizer(tokenizer)
        self._filter = StopFilter(stops)
        self._filter.seed("".join([self._detokenizer.push(token_id) for token_id in prefix_ids]))

    @property
    def stopped(self) -> bool:
        """Whether a stop string was completed."""
        return self._filter.stopped

    def push(self, token_id: int) -> str:
        """Add a token; returns text that may be shown, without half characters or any part of a stop string."""
        return self._filter.push(self._detokenizer.push(token_id))

    def flush(self) -> str:
        """What was held back, at the end of a reply; an incomplete character is left out."""
        return self._filter.flush()
