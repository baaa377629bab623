"""Targets and drafters in memory: bringing them in, in slices, so that Stop and running rows are never far away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from engine.cost_file import cost_path
from engine.drafters.base import Drafter, DrafterSource, DrafterStep, check_ports
from engine.drafters.name import split_name
from engine.drafters.table import load_drafter
from engine.failure import failed
from engine.messages import Event, LoadModel, ModelFacts, ModelLoaded, Progress, Submit
from engine.models.bring import bring_model
from engine.models.errors import DrafterError, ModelError
from engine.models.memory import loaded_bytes, row_size
from engine.replies import Replies
from engine.target import Target

log = logging.getLogger(__name__)

LoadStep = Target | DrafterStep
Request = LoadModel | Submit


class LoadKey(NamedTuple):
    """A target, or a drafter for it."""

    target: str
    drafter: str = ""


@dataclass(slots=True)
class Loading:
    """One target or drafter on its way, and the requests that wait for it."""

    steps: Iterator[LoadStep]
    waiting: dict[int, Request] = field(default_factory=dict)
    admitted_bytes: int = 0  # that it was found to have memory for
    share_done: float = 0.0  # of its files' bytes

    @property
    def promised_bytes(self) -> int:
        """What it has yet to take."""
        return int(self.admitted_bytes * (1 - self.share_done))

    def observe(self, progress: Progress) -> None:
        if progress.phase == "loading" and progress.total:
            self.share_done = progress.done / progress.total


class Loader:
    """Owns the loaded targets and drafters and those that are being loaded, one slice of one of them at a time.

    A drafter stays as long as a row uses it; of those with weights that no row uses, each target keeps its latest.
    """

    def __init__(
        self,
        data_dir: Path,
        replies: Replies,
        emit: Callable[[Event], None],
        ready: Callable[[Submit, Target, Drafter], None],
        admit: Callable[[str, int], None],
    ) -> None:
        """`admit(name, num_bytes)` raises ModelError where there is no memory for weights and a forward of theirs."""
        self._data_dir = data_dir
        self._replies = replies
        self._emit = emit
        self._ready = ready
        self._admit = admit
        self._targets: dict[str, Target] = {}
        self._drafters: WeakValueDictionary[LoadKey, Drafter] = WeakValueDictionary()
        self._latest: dict[str, Drafter] = {}  # by target
        self._loadings: dict[LoadKey, Loading] = {}

    def target(self, name: str) -> Target | None:
        return self._targets.get(name)

    def adopt(self, target: Target) -> None:
        """Answer for a target that was loaded elsewhere on this thread."""
        self._targets[target.facts.target] = target

    @property
    def target_bytes(self) -> int:
        """Of the weights of all loaded targets."""
        return sum(target.weight_bytes for target in self._targets.values())

    @property
    def drafter_bytes(self) -> int:
        """Of the weights of all loaded drafters, those that only a running row still uses too."""
        return sum(drafter.weight_bytes for drafter in self._drafters.values())

    @property
    def promised_bytes(self) -> int:
        """What loads that have begun will take beyond what they have."""
        return sum(loading.promised_bytes for loading in self._loadings.values())

    def want(self, request: Request) -> None:
        """Go on with a request whose target and drafter are loaded, and start loading what is not."""
        target = self._targets.get(request.target)
        if target is None:
            key = LoadKey(request.target)
            admit = partial(self._admit_load, key)
            self._wait(key, request, lambda: load_target(request.target, self._data_dir, admit))
        elif isinstance(request, Submit):
            self._want_drafter(request, target)
        else:
            self._emit(ModelLoaded(request.request_id, target.facts))

    def advance(self) -> bool:
        """Do one slice of the oldest load; False where none is wanted."""
        key = next(iter(self._loadings), None)
        if key is None:
            return False
        self._advance(key)
        return True

    def cancel(self, request_id: int) -> bool:
        """Drop a request that waits for a load, and the load with it where nobody else waits."""
        for key, loading in self._loadings.items():
            if loading.waiting.pop(request_id, None):
                if not loading.waiting:
                    del self._loadings[key]
                return True
        return False

    def has(self, request: Request) -> bool:
        """Whether a request needs no load of weights."""
        if isinstance(request, Submit) and split_name(request.drafter)[1]:
            return LoadKey(request.target, request.drafter) in self._drafters
        return request.target in self._targets

    def is_loading(self, target: str) -> bool:
        """Whether a target or a drafter for it is on its way."""
        return any(key.target == target for key in self._loadings)

    def loads_of(self, target: str) -> list[int]:
        """The LoadModels that wait for a target."""
        waiting = self._loadings[LoadKey(target)].waiting if LoadKey(target) in self._loadings else {}
        return [request_id for request_id, request in waiting.items() if isinstance(request, LoadModel)]

    def unload(self, target: str) -> None:
        """Let go of a target and its drafters; what a row uses stays until it ends."""
        self._targets.pop(target, None)
        self._latest.pop(target, None)

    def drop(self) -> None:
        """Let go of every target and load."""
        self._targets.clear()
        self._latest.clear()
        self._loadings.clear()

    def waiting_ids(self) -> list[int]:
        return [request_id for loading in self._loadings.values() for request_id in loading.waiting]

    def _want_drafter(self, submit: Submit, target: Target) -> None:
        key = LoadKey(submit.target, submit.drafter)
        if (drafter := self._drafters.get(key)) is not None:
            self._ready(submit, target, drafter)
            return
        source = DrafterSource(
            split_name(submit.drafter)[1],
            target.facts,
            self._replies.store(target.facts.tokenizer_id),
            self._data_dir,
            target.view,
            partial(self._admit_load, key, submit.drafter),
        )
        if self._wait(key, submit, lambda: load_drafter(submit.drafter, source)):
            self._advance(key)  # one without weights is there at once, and waits for no other load

    def _wait(self, key: LoadKey, request: Request, load: Callable[[], Iterator[LoadStep]]) -> bool:
        """Let a request wait for a load; whether that had to be started."""
        is_new = key not in self._loadings
        if is_new:
            self._loadings[key] = Loading(load())
        self._loadings[key].waiting[request.request_id] = request
        return is_new

    def _admit_load(self, key: LoadKey, name: str, num_bytes: int) -> None:
        self._admit(name, num_bytes)
        self._loadings[key].admitted_bytes = num_bytes

    def _advance(self, key: LoadKey) -> None:
        try:
            self._take(key, next(self._loadings[key].steps))
        except ModelError as error:
            self._give_up(key, error)
        except Exception as error:  # a model file can break its library in ways that no check foresees
            log.exception("loading %r failed", key)
            self._give_up(key, ModelError(f"{key.drafter or key.target!r} could not be loaded: {error}"))

    def _take(self, key: LoadKey, step: LoadStep) -> None:
        match step:
            case Progress():
                self._loadings[key].observe(step)
                for request_id in self._loadings[key].waiting:
                    self._emit(replace(step, request_id=request_id))
            case Target():
                self._targets[key.target] = step
                for request in self._loadings.pop(key).waiting.values():
                    self._emit(ModelLoaded(request.request_id, step.facts))
                    if isinstance(request, Submit):
                        self._want_drafter(request, step)
            case _:
                target = self._targets[key.target]
                check_ports(key.drafter, step.needs, target.view)
                self._keep(key, step)
                for request in self._loadings.pop(key).waiting.values():
                    assert isinstance(request, Submit)
                    self._ready(request, target, step)

    def _keep(self, key: LoadKey, drafter: Drafter) -> None:
        self._drafters[key] = drafter
        if drafter.weight_bytes:
            self._latest[key.target] = drafter

    def _give_up(self, key: LoadKey, error: ModelError) -> None:
        code = DrafterError.code if key.drafter else error.code
        if key.drafter and not isinstance(error, DrafterError):  # it speaks of a model, and there are two
            error = DrafterError(f"the drafter {key.drafter!r} cannot be used: {error}")
        for request_id in self._loadings.pop(key).waiting:
            self._emit(failed(request_id, code, error))


def load_target(
    target: str, data_dir: Path, admit: Callable[[str, int], None] = lambda name, num_bytes: None
) -> Iterator[LoadStep]:
    """Import where needed, check, load: yields Progress (request_id 0), then the Target; raises ModelError."""

    def check(facts: ModelFacts) -> None:
        admit(facts.name, loaded_bytes(facts) + row_size(facts).working_bytes)

    loaded = yield from bring_model(target, data_dir, check)
    size = row_size(loaded.facts)
    yield Target(loaded.model, loaded.facts, cost_path(data_dir, loaded.facts), loaded.content, size)
