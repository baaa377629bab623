"""History: the messages of a chat that Up and Down bring back into an empty field."""

from __future__ import annotations

from collections.abc import Iterable


class History:
    """Texts, oldest first; one that is sent twice in a row counts once."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._place: int | None = None  # of the text that was brought back last

    def set_texts(self, texts: Iterable[str]) -> None:
        self._texts, self._place = [], None
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        if text and self._texts[-1:] != [text]:
            self._texts.append(text)
        self._place = None

    def takes(self, text: str) -> bool:
        """Whether the field may be given another text: it is empty, or as it was brought back."""
        return not text or (self._place is not None and self._texts[self._place] == text)

    def step_back(self, text: str) -> str | None:
        """The text before the one in the field; None where there is none."""
        place = len(self._texts) if self._place is None or not text else self._place
        if place == 0 or not self.takes(text):
            return None
        self._place = place - 1
        return self._texts[self._place]

    def step_on(self, text: str) -> str | None:
        """The text after the one in the field, "" behind the newest; None where the field is empty."""
        if not text or not self.takes(text) or self._place is None:
            return None
        self._place += 1
        if self._place == len(self._texts):
            self._place = None
            return ""
        return self._texts[self._place]

    @property
    def longest(self) -> int:
        """Characters of the longest text: a field with more holds something else."""
        return max(map(len, self._texts), default=0)
