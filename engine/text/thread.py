"""Runs a TextDesk beside the engine: rendering and tokenizing never hold up a step."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from pathlib import Path

from engine.messages import Answer, CountTokens, Failed, ModelFacts, Question, Submit
from engine.text.counting import Counted
from engine.text.desk import TextDesk
from engine.text.prompt import Prompt

logger = logging.getLogger(__name__)

UNEXPECTED = "The text could not be prepared because of a fault in this program. Its log says more."


class TextThread:
    """A TextDesk on its own thread; requests are worked off in order, and close() drops those that wait."""

    def __init__(self, data_dir: Path) -> None:
        self._desk = TextDesk(data_dir)
        self._jobs: queue.SimpleQueue[tuple[int, Callable[[], None], Callable[[Failed], None]] | None]
        self._jobs = queue.SimpleQueue()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="text", daemon=False)

    def start(self) -> None:
        """Start the thread; requests made earlier wait for it."""
        self._thread.start()

    def close(self) -> None:
        """End the thread after the request it works on; returns once it has ended."""
        self._is_closing.set()
        self._jobs.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def prepare(self, submit: Submit, facts: ModelFacts, done: Callable[[Prompt | Failed], None]) -> None:
        """Ask for a prompt; returns at once."""
        self._jobs.put((submit.request_id, lambda: done(self._desk.prepare(submit, facts)), done))

    def answer(self, question: Question, done: Callable[[Answer | Counted | Failed], None]) -> None:
        """Ask a question; returns at once. A count comes back to be completed by the engine."""
        self._jobs.put((question.request_id, lambda: done(_answer(self._desk, question)), done))

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None and not self._is_closing.is_set():
            request_id, work, fail = job
            try:
                work()
            except Exception:
                logger.exception("request %d: text work failed", request_id)
                fail(Failed(request_id, "engine", UNEXPECTED))


class InlineText:
    """The same in the caller's thread: results are there when the call returns."""

    def __init__(self, data_dir: Path) -> None:
        self._desk = TextDesk(data_dir)

    def start(self) -> None:
        """Nothing to start."""

    def close(self) -> None:
        """Nothing to end."""

    def prepare(self, submit: Submit, facts: ModelFacts, done: Callable[[Prompt | Failed], None]) -> None:
        """Build a prompt and hand it over."""
        done(self._desk.prepare(submit, facts))

    def answer(self, question: Question, done: Callable[[Answer | Counted | Failed], None]) -> None:
        """Answer a question, or count a prompt."""
        done(_answer(self._desk, question))


def _answer(desk: TextDesk, question: Question) -> Answer | Counted | Failed:
    return desk.count(question) if isinstance(question, CountTokens) else desk.answer(question)
