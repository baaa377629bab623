"""Measuring: real replies with a drafter and without, in turns, whenever the user's own replies leave room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import mean, median

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.settings.drafters.candidate import PLAIN
from app.settings.drafters.measurements import ALONE, TOGETHER, Measurement, Measurements
from app.settings.drafters.prompts import Prompt, batches, prompts
from app.settings.drafters.trial import NUM_TOKENS, Outcome, Trial, TrialError, run_trial
from app.system.machine import program_version, system_version
from app.tasks import start
from app.upkeep.running_replies import RunningReplies

WARM_TOKENS = 8  # of the replies before the first that counts: the first forwards of a kind are slower
TOO_SHORT = {
    ALONE: "The replies ended too soon to be timed.",
    TOGETHER: "Four replies did not run at once for long enough to be timed.",
}


@dataclass(frozen=True, slots=True)
class Job:
    """A drafter to be measured, and the states of its files and the target's."""

    target: str
    drafter: str
    target_state: str = ""
    drafter_state: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """The rates of the same prompts without the drafter and with it."""

    plain: float
    drafted: float


@dataclass(slots=True)
class Progress:
    """How far the job at hand is."""

    job: Job
    num_done: int = 0
    num_all: int = len(prompts()) + len(batches(TOGETHER))
    is_waiting: bool = False  # for the user's replies
    seconds: dict[int, list[float]] = field(default_factory=dict)  # that items took, by replies at once

    @property
    def seconds_spent(self) -> float:
        return sum(sum(times) for times in self.seconds.values())

    def add(self, num_replies: int, seconds: float) -> None:
        self.num_done += 1
        self.seconds.setdefault(num_replies, []).append(seconds)

    def seconds_left(self) -> float | None:
        """As the items so far took; None before the first. Replies at once take longer, their tokens less."""
        alone = self.seconds.get(ALONE, [])
        if not alone:
            return None
        together = self.seconds.get(TOGETHER) or [mean(alone) * TOGETHER / 2]
        num_alone = max(0, len(prompts()) - len(alone))
        return num_alone * mean(alone) + (self.num_all - self.num_done - num_alone) * mean(together)


class Measuring(QObject):
    """Measures one drafter after another; an item that the user's reply disturbs is made again."""

    changed = Signal()

    def __init__(
        self,
        bridge: EngineBridge,
        running: RunningReplies,
        measurements: Measurements,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._running = running
        self._measurements = measurements
        self._queue: list[Job] = []
        self._task: asyncio.Task[None] | None = None
        self._trial: asyncio.Task[Outcome] | None = None
        self.num_tokens = NUM_TOKENS  # of each reply
        self.progress: Progress | None = None  # of the job at hand
        self.errors: dict[tuple[str, str], str] = {}  # why a drafter of a target could not be measured
        self.ended: dict[str, str] = {}  # why the measuring of a target ended before it was complete
        running.changed.connect(self._give_way)

    @property
    def is_any(self) -> bool:
        """Whether something is measured, or waits to be."""
        return self._task is not None

    @property
    def targets(self) -> set[str]:
        """Those of which something is measured, or waits to be."""
        at_hand = [self.progress.job] if self.progress else []
        return {job.target for job in (*at_hand, *self._queue)}

    def progress_of(self, target: str, drafter: str) -> Progress | None:
        """How far it is, where it is being measured."""
        progress = self.progress
        return progress if progress and (progress.job.target, progress.job.drafter) == (target, drafter) else None

    def is_queued(self, target: str, drafter: str) -> bool:
        """Whether it is measured after others."""
        return any((job.target, job.drafter) == (target, drafter) for job in self._queue)

    def measure(self, jobs: Sequence[Job]) -> None:
        """Measure these too, after what is being measured."""
        at_hand = [self.progress.job] if self.progress else []
        known = {(one.target, one.drafter) for one in (*at_hand, *self._queue)}
        fresh = [one for one in jobs if (one.target, one.drafter) not in known and one.drafter != PLAIN]
        self._queue += fresh
        for one in fresh:
            self.errors.pop((one.target, one.drafter), None)
            self.ended.pop(one.target, None)
        if self._task is None and self._queue:
            self._task = start(self._work())
        self.changed.emit()

    def stop(self, target: str = "", drafter: str = "") -> None:
        """Measure no further, or nothing of this target, or not this drafter of it; what is complete is kept."""

        def is_meant(job: Job) -> bool:
            return target in ("", job.target) and drafter in ("", job.drafter)

        self._queue = [one for one in self._queue if not is_meant(one)]
        if self.progress and is_meant(self.progress.job) and self._task:
            self._task.cancel()
        self.changed.emit()

    def end(self, why: str, is_meant: Callable[[str], bool]) -> None:
        """Stop what is measured of these targets, and keep the sentence that says why."""
        for target in filter(is_meant, self.targets):
            self.ended[target] = why
            self.stop(target)

    async def _work(self) -> None:
        try:
            while self._queue:
                job = self._queue.pop(0)
                self.progress = Progress(job)
                self.changed.emit()
                await self._measure(job, self.progress)
        finally:
            self._task = self.progress = None
            if self._queue:  # of which only one was stopped
                self._task = start(self._work())
            self.changed.emit()

    async def _measure(self, job: Job, progress: Progress) -> None:
        try:
            for drafter in (PLAIN, job.drafter):
                await self._undisturbed(Trial(job.target, drafter, prompts()[:1], WARM_TOKENS), progress)
            for num_replies, items in items_of():
                pairs = [pair for chosen in items if (pair := await self._pair(job, chosen, progress)) is not None]
                if not pairs:
                    raise TrialError(TOO_SHORT[num_replies])
                self._keep(job, num_replies, pairs, progress.seconds_spent)
        except TrialError as error:
            self.errors[(job.target, job.drafter)] = str(error)

    async def _pair(self, job: Job, chosen: tuple[Prompt, ...], progress: Progress) -> Pair | None:
        """Both rates, the drafted one first every second time; None where they could not be told."""
        order = (PLAIN, job.drafter) if progress.num_done % 2 == 0 else (job.drafter, PLAIN)
        outcomes = {}
        for drafter in order:
            outcomes[drafter] = await self._undisturbed(Trial(job.target, drafter, chosen, self.num_tokens), progress)
        progress.add(len(chosen), sum(one.seconds for one in outcomes.values()))
        self.changed.emit()
        plain, drafted = outcomes[PLAIN].rate, outcomes[job.drafter].rate
        return Pair(plain, drafted) if plain and drafted else None

    async def _undisturbed(self, trial: Trial, progress: Progress) -> Outcome:
        """Make a trial while no reply of the user runs, once more where one began meanwhile."""
        while True:
            await self._wait(progress)
            self._trial = asyncio.ensure_future(run_trial(self._bridge, trial))
            try:
                return await self._trial
            except asyncio.CancelledError:
                if self._task is None or self._task.cancelling():  # it is the work that ends, not this trial alone
                    raise
            finally:
                self._trial = None

    async def _wait(self, progress: Progress) -> None:
        while self._running.count:
            progress.is_waiting = True
            self.changed.emit()
            ended: asyncio.Future[None] = asyncio.get_event_loop().create_future()
            connection = self._running.changed.connect(partial(_resolve, ended))
            try:
                await ended
            finally:
                self._running.changed.disconnect(connection)
        if progress.is_waiting:
            progress.is_waiting = False
            self.changed.emit()

    def _give_way(self) -> None:
        if self._running.count and self._trial is not None:
            self._trial.cancel()

    def _keep(self, job: Job, num_replies: int, pairs: Sequence[Pair], seconds: float) -> None:
        measurement = Measurement(
            job.target,
            job.drafter,
            num_replies,
            speedup=median(one.drafted / one.plain for one in pairs),
            plain_rate=median(one.plain for one in pairs),
            taken_at=time.time(),
            seconds=seconds,
            program=program_version(),
            system=system_version(),
            target_state=job.target_state,
            drafter_state=job.drafter_state,
        )
        self._measurements.keep([measurement])


def _resolve(future: asyncio.Future[None], *_: object) -> None:
    if not future.done():
        future.set_result(None)


def items_of() -> Iterator[tuple[int, tuple[tuple[Prompt, ...], ...]]]:
    """What is measured: by the number of replies at once, the prompts of each item."""
    yield ALONE, tuple((prompt,) for prompt in prompts())
    yield TOGETHER, batches(TOGETHER)
