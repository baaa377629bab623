"""Runs a TextDesk beside the engine: rendering and tokenizing never hold up a step."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from engine.messages import Answer, CountTokens, Failed, ModelFacts, PreviewTemplate, Question, Submit
from engine.text.counting import Counted

if TYPE_CHECKING:
    from engine.text.desk import TextDesk
    from engine.text.prompt import Prompt

logger = logging.getLogger(__name__)

UNEXPECTED = "The text could not be prepared because of a fault in this program. Its log says more."


class Urgency(IntEnum):
    """What goes first: a reply before answers, these before counts, which come with every few keys typed, and these
    before previews, which come so too and may each take most of a second."""

    END = 0
    PROMPT = 1
    QUESTION = 2
    COUNT = 3
    PREVIEW = 4


@dataclass(frozen=True, order=True, slots=True)
class _Job:
    urgency: Urgency
    number: int  # in the order of asking
    request_id: int = field(default=0, compare=False)
    work: Callable[[], None] = field(default=lambda: None, compare=False)
    fail: Callable[[Failed], None] = field(default=lambda failed: None, compare=False)


class _DroppedError(Exception):
    """A count ends early, as nobody waits for it."""


class TextThread:
    """A TextDesk on its own thread; prompts go first, also between the parts of a count. close() drops what waits."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._desk: TextDesk  # of the thread, which makes it
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._numbers = count()
        self._counts: set[int] = set()  # those that somebody waits for
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="text", daemon=False)

    def start(self) -> None:
        """Start the thread; requests made earlier wait for it."""
        self._thread.start()

    def close(self) -> None:
        """End the thread after the request it works on; returns once it has ended."""
        self._is_closing.set()
        self._jobs.put(_Job(Urgency.END, next(self._numbers)))
        if self._thread.is_alive():
            self._thread.join()

    def prepare(self, submit: Submit, facts: ModelFacts, done: Callable[[Prompt | Failed], None]) -> None:
        """Ask for a prompt; returns at once."""
        self._put(Urgency.PROMPT, submit.request_id, lambda: done(self._desk.prepare(submit, facts)), done)

    def answer(self, question: Question, done: Callable[[Answer | Counted | Failed], None]) -> None:
        """Ask a question; returns at once. A count comes back to be completed by the engine."""
        request_id = question.request_id
        if isinstance(question, CountTokens):
            self._counts.add(request_id)
            self._put(Urgency.COUNT, request_id, lambda: done(self._count(question)), done)
            return
        urgency = Urgency.PREVIEW if isinstance(question, PreviewTemplate) else Urgency.QUESTION
        self._put(urgency, request_id, lambda: done(self._desk.answer(question)), done)

    def drop(self, request_id: int) -> None:
        """Give up a count that is not made yet: it gets no answer. Does nothing for anything else."""
        self._counts.discard(request_id)

    def _put(self, urgency: Urgency, request_id: int, work: Callable[[], None], fail: Callable[[Failed], None]) -> None:
        self._jobs.put(_Job(urgency, next(self._numbers), request_id, work, fail))

    def _run(self) -> None:
        self._desk = open_desk(self._data_dir)
        while not self._is_closing.is_set():
            self._work_off(self._jobs.get())

    def _work_off(self, job: _Job) -> None:
        try:
            job.work()
        except _DroppedError:
            logger.debug("request %d: the count was given up", job.request_id)
        except Exception:
            logger.exception("request %d: text work failed", job.request_id)
            job.fail(Failed(job.request_id, "engine", UNEXPECTED))

    def _count(self, question: CountTokens) -> Counted | Failed:
        try:
            self._let_pass(question.request_id)
            return self._desk.count(question, lambda: self._let_pass(question.request_id))
        finally:
            self._counts.discard(question.request_id)

    def _let_pass(self, request_id: int) -> None:
        """Work off the prompts that wait, in the middle of a count."""
        while not self._is_closing.is_set() and (job := self._next_prompt()) is not None:
            self._work_off(job)
        if self._is_closing.is_set() or request_id not in self._counts:
            raise _DroppedError

    def _next_prompt(self) -> _Job | None:
        try:
            job = self._jobs.get_nowait()
        except queue.Empty:
            return None
        if job.urgency == Urgency.PROMPT:
            return job
        self._jobs.put(job)
        return None


def open_desk(data_dir: Path) -> TextDesk:
    """The import takes a tenth of a second: it is its thread's, so that a window need not wait for it."""
    from engine.text.desk import TextDesk

    return TextDesk(data_dir)


class InlineText:
    """The same in the caller's thread: results are there when the call returns."""

    def __init__(self, data_dir: Path) -> None:
        self._desk = open_desk(data_dir)

    def start(self) -> None:
        """Nothing to start."""

    def close(self) -> None:
        """Nothing to end."""

    def prepare(self, submit: Submit, facts: ModelFacts, done: Callable[[Prompt | Failed], None]) -> None:
        """Build a prompt and hand it over."""
        done(self._desk.prepare(submit, facts))

    def answer(self, question: Question, done: Callable[[Answer | Counted | Failed], None]) -> None:
        """Answer a question, or count a prompt."""
        done(self._desk.count(question) if isinstance(question, CountTokens) else self._desk.answer(question))
