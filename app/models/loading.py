"""ModelLoading: how far the load of a model is, in words, and how fast the last one was."""

from __future__ import annotations

import time

from app.figures import in_words, write_loading
from engine.messages import Progress


class ModelLoading:
    """A load is timed from its first progress on: imports and waits are no part of it."""

    def __init__(self) -> None:
        self.rate = 0.0  # bytes per second, of the last load that was timed
        self._progress: Progress | None = None
        self._since = (0.0, 0)  # when its first progress came, and how many bytes it had then

    def begin(self) -> None:
        self._progress = None

    def take(self, progress: Progress) -> None:
        if progress.phase == "loading" and not self._is_timed:
            self._since = (time.monotonic(), progress.done)
        self._progress = progress

    def end(self) -> None:
        if self._progress is not None and self._is_timed:
            began_at, num_before = self._since
            seconds = time.monotonic() - began_at
            self.rate = (self._progress.total - num_before) / seconds if seconds > 0 else 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether replies of the model in its place have to end first."""
        return self._progress is not None and self._progress.phase == "waiting"

    @property
    def _is_timed(self) -> bool:
        return self._progress is not None and self._progress.phase == "loading"

    def words(self, name: str, num_running: int) -> str:
        match self._progress:
            case Progress(phase="waiting") if num_running:
                return f"Loads when {replies_end(num_running)}."
            case Progress(phase="loading" | "importing" as phase, done=done, total=total):
                return f"{phase.capitalize()} {name}, {write_loading(done, total)}"
        return f"Loading {name}"


def replies_end(num_running: int) -> str:
    return "the reply ends" if num_running < 2 else f"the {in_words(num_running)} replies end"
