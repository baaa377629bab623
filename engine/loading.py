"""Targets in memory: bringing one in, in slices, so that Stop and running rows are never far away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.failure import failed
from engine.messages import Event, LoadModel, ModelFacts, ModelLoaded, Progress, Submit
from engine.models.errors import ModelError
from engine.models.facts import read_facts
from engine.models.gguf import import_gguf
from engine.models.load import choose_fp32, load_steps
from engine.models.locate import GgufFile, resolve_target
from engine.target import Target

log = logging.getLogger(__name__)

LoadStep = Progress | Target


@dataclass(slots=True)
class Loading:
    """One target on its way, and the requests that wait for it."""

    steps: Iterator[LoadStep]
    waiting: dict[int, LoadModel | Submit] = field(default_factory=dict)


class Loader:
    """Owns the loaded targets and those that are being loaded, one slice of one target at a time."""

    def __init__(self, data_dir: Path, emit: Callable[[Event], None], ready: Callable[[Submit, Target], None]) -> None:
        self._data_dir = data_dir
        self._emit = emit
        self._ready = ready
        self._targets: dict[str, Target] = {}
        self._loadings: dict[str, Loading] = {}

    def want(self, request: LoadModel | Submit) -> None:
        """Go on with a request whose target is loaded, and start loading it where it is not."""
        if target := self._targets.get(request.target):
            self._go_on(request, target)
            return
        if request.target not in self._loadings:
            self._loadings[request.target] = Loading(load_target(request.target, self._data_dir))
        self._loadings[request.target].waiting[request.request_id] = request

    def advance(self) -> bool:
        """Do one slice of the oldest load; False where none is wanted."""
        name = next(iter(self._loadings), None)
        if name is None:
            return False
        try:
            step = next(self._loadings[name].steps)
        except ModelError as error:
            self._give_up(name, error)
        except Exception as error:  # a model file can break its library in ways that no check foresees
            log.exception("loading %r failed", name)
            self._give_up(name, ModelError(f"{name!r} could not be loaded: {error}"))
        else:
            self._take(name, step)
        return True

    def cancel(self, request_id: int) -> bool:
        """Drop a request that waits for a load, and the load with it where nobody else waits."""
        for name, loading in self._loadings.items():
            if loading.waiting.pop(request_id, None):
                if not loading.waiting:
                    del self._loadings[name]
                return True
        return False

    def drop(self) -> list[int]:
        """Let go of every target and load; returns the requests that waited for one."""
        request_ids = self.waiting_ids()
        self._targets.clear()
        self._loadings.clear()
        return request_ids

    def waiting_ids(self) -> list[int]:
        return [request_id for loading in self._loadings.values() for request_id in loading.waiting]

    def _take(self, name: str, step: LoadStep) -> None:
        if isinstance(step, Progress):
            for request_id in self._loadings[name].waiting:
                self._emit(replace(step, request_id=request_id))
            return
        self._targets[name] = step
        for request in self._loadings.pop(name).waiting.values():
            self._emit(ModelLoaded(request.request_id, step.facts))
            if isinstance(request, Submit):
                self._ready(request, step)

    def _go_on(self, request: LoadModel | Submit, target: Target) -> None:
        if isinstance(request, Submit):
            self._ready(request, target)
        else:
            self._emit(ModelLoaded(request.request_id, target.facts))

    def _give_up(self, name: str, error: Exception) -> None:
        for request_id in self._loadings.pop(name).waiting:
            self._emit(failed(request_id, "model", error))


def load_target(target: str, data_dir: Path) -> Iterator[LoadStep]:
    """Import where needed, check, load: yields Progress (request_id 0), then the Target; raises ModelError."""
    folder = resolve_target(target, data_dir)
    if isinstance(folder, GgufFile):
        for done, total in import_gguf(folder.path, data_dir):
            yield Progress(0, "importing", done, total)
        folder = resolve_target(target, data_dir)
    assert isinstance(folder, Path), f"{folder} is imported"
    yield from _load(read_facts(target, folder))


def _load(facts: ModelFacts) -> Iterator[LoadStep]:
    steps = load_steps(facts, as_fp32=choose_fp32(facts))
    while True:
        try:
            done, total = next(steps)
        except StopIteration as end:
            yield Target(end.value.model, end.value.facts)
            return
        yield Progress(0, "loading", done, total)
