"""Our engine without its thread, one for each drafter, all on one target."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from engine.bench.tasks import Task
from engine.bench.timing import Delivery, Run
from engine.command_line import BadInputError, EngineFailedError
from engine.engine import Engine
from engine.messages import Delta, Event, Failed, Finished, ForgetConversation, Notice, Sampling, Statistics, Submit
from engine.target import Target
from engine.text.thread import InlineText


@dataclass(slots=True)
class Record:
    """What one run has brought so far, by request."""

    rows: dict[int, int]
    replies: dict[int, list[int]]
    deliveries: list[Delivery] = field(default_factory=list)
    statistics: dict[int, Statistics] = field(default_factory=dict)
    failures: list[Failed] = field(default_factory=list)


class OurSide:
    """Owns one engine that answers with one drafter; nothing that a run leaves behind helps the next."""

    def __init__(
        self, target: Target, drafter: str, max_tokens: int, data_dir: Path, tell: Callable[[str], None]
    ) -> None:
        self._target_name = target.facts.target
        self._drafter = drafter
        self._sampling = Sampling(max_tokens=max_tokens)
        self._tell = tell
        self._told: set[str] = set()
        self._request_ids = count(1)
        self._record = Record({}, {})
        self._started = 0.0
        self._step_at: float | None = None
        self._engine = Engine(self._take, InlineText(data_dir), data_dir)
        self._engine.adopt(target)

    def run(self, tasks: Sequence[Task]) -> Run:
        """Answer prompts together; rendering and tokenizing them counts into the time."""
        submits = [self._submit(task) for task in tasks]
        self._record = Record(
            {submit.request_id: row for row, submit in enumerate(submits)},
            {submit.request_id: [] for submit in submits},
        )
        self._started, self._step_at = time.perf_counter(), None
        self._engine.send(*submits)
        self._step()
        seconds = time.perf_counter() - self._started
        self._forget(submits)
        return self._finish(seconds)

    def _submit(self, task: Task) -> Submit:
        request_id = next(self._request_ids)
        return Submit(request_id, f"bench-{request_id}", self._target_name, self._drafter, task.turns, self._sampling)

    def _step(self) -> None:
        while self._engine.step():
            self._step_at = None

    def _forget(self, submits: Sequence[Submit]) -> None:
        """A repeat asks the same again: a drafter that remembered the reply would only copy it."""
        self._engine.send(*(ForgetConversation(submit.conversation_id) for submit in submits))
        self._engine.run()

    def _finish(self, seconds: float) -> Run:
        record = self._record
        for failure in record.failures:
            raise (EngineFailedError if failure.code == "engine" else BadInputError)(failure.text)
        replies = tuple(tuple(record.replies[request_id]) for request_id in record.rows)
        statistics = tuple(record.statistics[request_id] for request_id in record.rows)
        return Run(replies, tuple(record.deliveries), seconds, statistics)

    def _take(self, event: Event) -> None:
        match event:
            case Delta():
                self._record.replies[event.request_id] += event.token_ids
                self._deliver(event.request_id, len(event.token_ids))
            case Finished():
                self._record.statistics[event.request_id] = event.statistics
                self._deliver(event.request_id, 1 if event.reason == "stop" else 0)
            case Failed():
                self._record.failures.append(event)
            case Notice() if event.text not in self._told:
                self._told.add(event.text)
                self._tell(event.text)
            case _:
                pass

    def _deliver(self, request_id: int, num_tokens: int) -> None:
        """Note tokens; those of one step, which are delivered row by row, have one time, as one forward gave them."""
        if self._step_at is None:
            self._step_at = time.perf_counter() - self._started
        if num_tokens:
            self._record.deliveries.append(Delivery(self._record.rows[request_id], num_tokens, self._step_at))
