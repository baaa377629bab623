"""RateWindow: how many tokens came in each of the last seconds."""

from __future__ import annotations

from collections import deque

LEAST_SECONDS = 0.25  # over less a rate says nothing


class LiveWindow:
    """What a live rate is over, as the user chose it."""

    seconds = 2.0


class RateWindow:
    def __init__(self) -> None:
        self._first_at: float | None = None
        self._arrivals: deque[tuple[float, int]] = deque()  # those of the window, without the very first

    def add(self, at: float, num_tokens: int) -> None:
        """Tokens of the first arrival count in no rate: what they took is the time to the first token."""
        if self._first_at is None:
            if num_tokens:
                self._first_at = at
            return
        self._arrivals.append((at, num_tokens))
        self._drop(at)

    def rate(self, now: float) -> float | None:
        """Tokens per second; None while there is too little to tell."""
        self._drop(now)
        if self._first_at is None or now - self._first_at < LEAST_SECONDS:
            return None
        return sum(num_tokens for _, num_tokens in self._arrivals) / min(LiveWindow.seconds, now - self._first_at)

    def _drop(self, now: float) -> None:
        while self._arrivals and self._arrivals[0][0] <= now - LiveWindow.seconds:
            self._arrivals.popleft()
