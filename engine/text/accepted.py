"""Which characters of a reply were written by accepted tokens, from when they are written until they are shown."""

from __future__ import annotations

from collections import deque


class AcceptedSpans:
    """Counts characters as they are written and as they are shown, which may be later; memory is of those between."""

    def __init__(self) -> None:
        self._num_written = 0
        self._num_shown = 0
        self._spans: deque[tuple[int, int]] = deque()  # in characters of the reply, ascending, apart from each other

    def write(self, num_characters: int, is_accepted: bool) -> None:
        """Count what one token wrote; a character belongs to the token that completes it."""
        start, self._num_written = self._num_written, self._num_written + num_characters
        if not (is_accepted and num_characters):
            return
        if self._spans and self._spans[-1][1] == start:
            start = self._spans.pop()[0]
        self._spans.append((start, self._num_written))

    def show(self, num_characters: int) -> tuple[int, int]:
        """The part of what is shown next that accepted tokens wrote, counted from its beginning; the longest of
        several, where text that was held back comes with text of later rounds."""
        first, last = self._num_shown, self._num_shown + num_characters
        found = [(0, 0)]
        while self._spans and self._spans[0][0] < last:
            start, end = self._spans.popleft()
            found.append((max(start, first) - first, min(end, last) - first))
            if end > last:
                self._spans.appendleft((last, end))
                break
        self._num_shown = last
        return max(found, key=lambda span: span[1] - span[0])
