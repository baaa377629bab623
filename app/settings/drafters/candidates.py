"""Candidates: all that is on the disk and may draft for a target, each asked about once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.conversations.off_thread import run_off_thread
from app.library.fit import needed_bytes
from app.library.library import Library
from app.models.names import model_name
from app.settings.drafters.candidate import Candidate, candidate_of, heads_of, told_apart, unread, weightless
from app.settings.drafters.file_state import file_state
from app.settings.drafters.found import Place, places_of
from app.settings.preferences import Preferences, Settings
from app.tasks import start
from engine.messages import STARTER, DrafterFacts, EstimateMemory, Inspect, InspectDrafter, MemoryEstimate, ModelFacts

ROOM_TOKENS = 4096  # of the reply that target and drafter have to have memory for


@dataclass(frozen=True, slots=True)
class Scan:
    """What may draft for a target; `error` is why nothing more is known than what every model can have."""

    target: str
    candidates: tuple[Candidate, ...]
    name: str = ""
    quantisation: str = ""
    state: str = ""  # of the target's files
    error: str = ""

    def candidate(self, drafter: str) -> Candidate | None:
        """The one that fits and has this name; "auto:PATH" is whatever drafts there."""
        kind, _, path = drafter.partition(":")
        is_any = kind == "auto" and bool(path)
        return next((one for one in self.fitting if one.drafter == drafter or (is_any and one.path == path)), None)

    @property
    def fitting(self) -> tuple[Candidate, ...]:
        return tuple(one for one in self.candidates if one.fits)

    @property
    def misfits(self) -> tuple[Candidate, ...]:
        return tuple(one for one in self.candidates if not one.fits)


class Candidates(QObject):
    changed = Signal(str)  # target of which something else is known

    def __init__(
        self, bridge: EngineBridge, library: Library, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library = library
        self._settings = settings
        self._scans: dict[str, Scan] = {}
        self._again: set[str] = set()  # targets of which something changed while they were looked at
        self._looking: dict[str, asyncio.Task[None]] = {}  # by target
        self._is_closed = False
        self._known: dict[tuple[str, str, str, str], DrafterFacts] = {}  # by paths and states of both
        library.changed.connect(self._refresh_all)
        settings.changed.connect(self._follow)

    def of(self, target: str) -> Scan:
        """What is known so far: at first what every model can have."""
        return self._scans.get(target) or Scan(target, weightless())

    def refresh(self, target: str) -> None:
        """Look again; `changed` tells when that is done."""
        if self._is_closed:
            return
        if target in self._looking:
            self._again.add(target)
        else:
            self._looking[target] = start(self._refresh(target))

    def close(self) -> None:
        """Wait for no answer any more: the engine may give none."""
        self._is_closed = True
        for task in self._looking.values():
            task.cancel()

    def _refresh_all(self) -> None:
        for target in list(self._scans):
            self.refresh(target)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.drafter_folders != after.drafter_folders:
            self._refresh_all()

    async def _refresh(self, target: str) -> None:
        try:
            self._scans[target] = await self._scan(target)
        finally:
            self._looking.pop(target, None)
        self.changed.emit(target)
        if target in self._again:
            self._again.discard(target)
            self.refresh(target)

    async def _scan(self, target: str) -> Scan:
        try:
            facts = await ask(self._bridge, lambda number: Inspect(number, target), ModelFacts)
        except RefusedError as error:
            return Scan(target, weightless(), error=str(error))
        folders = self._settings.preferences.drafter_folders
        places = places_of(self._library, folders, target, facts.weight_bytes)
        paths = [facts.folder, *(place.path for place in places)]
        state, *states = await run_off_thread(lambda: [file_state(path) for path in paths])
        pairs = zip(places, states, strict=True)
        looked_at = await asyncio.gather(*(self._look(place, own, target, state) for place, own in pairs))
        found = (*weightless(), *looked_at, *await self._heads(target, state))
        candidates = await asyncio.gather(*(self._weigh(one, target) for one in found))
        name = model_name(target) if target == STARTER else facts.name.rsplit("/", 1)[-1]
        return Scan(target, told_apart(candidates), name, facts.quantisation, state)

    async def _look(self, place: Place, state: str, target: str, target_state: str) -> Candidate:
        try:
            facts = await self._ask(place.path, target, state, target_state)
        except RefusedError as error:
            return unread(place, str(error))
        return candidate_of(place, facts, state)

    async def _heads(self, target: str, state: str) -> Sequence[Candidate]:
        try:
            return [heads_of(target, await self._ask(target, target, state, state), state)]
        except RefusedError:
            return []

    async def _ask(self, path: str, target: str, state: str, target_state: str) -> DrafterFacts:
        """Facts of a pair; asked only once while neither's files change."""
        key = (path, state, target, target_state)
        if key not in self._known:
            facts = await ask(self._bridge, lambda number: InspectDrafter(number, path, target), DrafterFacts)
            self._known[key] = facts
        return self._known[key]

    async def _weigh(self, candidate: Candidate, target: str) -> Candidate:
        """With the memory that both need together, of one that has weights."""
        if not candidate.fits or not candidate.path:
            return candidate
        try:
            memory = await ask(
                self._bridge,
                lambda number: EstimateMemory(number, target, candidate.drafter, ROOM_TOKENS, 1),
                MemoryEstimate,
            )
        except RefusedError:
            return candidate
        return replace(candidate, needed_bytes=needed_bytes(memory), limit_bytes=memory.limit_bytes)
