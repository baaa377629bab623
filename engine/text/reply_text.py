"""The text of one reply as it may be shown, while its tokens arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.accepted import AcceptedSpans
from engine.text.detokenizer import open_detokenizer
from engine.text.stops import StopFilter

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer


class ReplyText:
    """Joins a detokenizer and a stop filter; `prefix_ids` are the ids of a reply that is continued."""

    def __init__(self, tokenizer: Tokenizer, stops: Sequence[str], prefix_ids: Sequence[int] = ()) -> None:
        self._detokenizer = open_detokenizer(tokenizer)
        self._filter = StopFilter(stops)
        self._accepted = AcceptedSpans()
        self._filter.seed("".join([self._detokenizer.push(token_id) for token_id in prefix_ids]))

    @property
    def stopped(self) -> bool:
        """Whether a stop string was completed."""
        return self._filter.stopped

    def push(self, token_id: int, is_accepted: bool = False) -> str:
        """Add a token; returns text that may be shown, without half characters or any part of a stop string."""
        written = self._detokenizer.push(token_id)
        self._accepted.write(len(written), is_accepted)
        return self._filter.push(written)

    def show_accepted(self, text: str) -> tuple[int, int]:
        """The start and end of what accepted tokens wrote of a text; to be asked once of all that is shown, in order.

        `text` is what `push` or `flush` returned since it was asked last.
        """
        return self._accepted.show(len(text))

    def flush(self) -> str:
        """What was held back, at the end of a reply; an incomplete character is left out."""
        return self._filter.flush()
