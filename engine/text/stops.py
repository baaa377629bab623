"""Finds stop strings in text that arrives in chunks, and holds back what may become one."""

from __future__ import annotations

from collections.abc import Sequence


class StopFilter:
    """Passes text through up to the stop string that ends first; its cost is one step a character and stop."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [_Stop(text) for text in dict.fromkeys(stops) if text]
        self._held = ""
        self.stopped = False

    def seed(self, text: str) -> None:
        """Take note of text that was shown earlier: a stop string may begin in it."""
        longest = max((len(stop.text) for stop in self._stops), default=0)
        for character in text[len(text) - min(longest, len(text)) :]:
            for stop in self._stops:
                stop.advance(character)

    def push(self, text: str) -> str:
        """Add text; returns what may be shown."""
        if self.stopped:
            return ""
        if not self._stops:
            return text
        known = len(self._held)
        self._held += text
        for index in range(known, len(self._held)):
            completed = [len(stop.text) for stop in self._stops if stop.advance(self._held[index])]
            if completed:
                self.stopped = True
                shown = self._held[: max(0, index + 1 - max(completed))]
                self._held = ""
                return shown
        return self._release(max(stop.num_matched for stop in self._stops))

    def flush(self) -> str:
        """What was held back."""
        return self._release(0)

    def _release(self, num_held: int) -> str:
        cut = max(0, len(self._held) - num_held)
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown


class _Stop:
    """One stop string and how much of it the text ends with (Knuth, Morris, Pratt)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.num_matched = 0
        self._borders = _borders(text)

    def advance(self, character: str) -> bool:
        """Add a character; returns whether it completes the stop string."""
        matched = _step(self.text, self._borders, self.num_matched, character)
        is_complete = matched == len(self.text)
        self.num_matched = self._borders[-1] if is_complete else matched
        return is_complete


def _borders(text: str) -> list[int]:
    """For each prefix, the length of its longest proper prefix that is also its suffix."""
    borders = [0]
    for character in text[1:]:
        borders.append(_step(text, borders, borders[-1], character))
    return borders


def _step(text: str, borders: list[int], matched: int, character: str) -> int:
    while matched and text[matched] != character:
        matched = borders[matched - 1]
    return matched + 1 if text[matched] == character else 0
