"""Picker: what page, chip and replies share of the drafters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.library.library import Library
from app.models.drafters import drafter_name
from app.settings.drafters.automatic import Automatic, Resolved
from app.settings.drafters.candidate import PLAIN, Candidate
from app.settings.drafters.candidates import Candidates, Scan
from app.settings.drafters.measurements import ALONE, TOGETHER, Measurements, is_before_update
from app.settings.drafters.measuring import Job, Measuring
from app.settings.preferences import AUTOMATIC, Preferences, Settings
from app.upkeep.running_replies import RunningReplies
from engine.messages import Event, ModelLoaded


class Picker(QObject):
    changed = Signal()  # candidates, measurements, what is being measured, or the choice

    chosen = Signal()  # a drafter, for every chat that has none of its own

    def __init__(
        self,
        bridge: EngineBridge,
        running: RunningReplies,
        settings: Settings,
        library: Library,
        target_of: Callable[[], str] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`target_of` gives another model than the preferences name."""
        super().__init__(parent)
        self.settings = settings
        self._target_of = target_of or (lambda: settings.preferences.target)
        self.library = library
        self.candidates = Candidates(bridge, library, settings, self)
        self.measurements = Measurements(settings.folder, self)
        self.measuring = Measuring(bridge, running, self.measurements, self)
        self.automatic = Automatic(self.candidates, self.measurements)
        self.candidates.changed.connect(self.changed)
        self.measurements.changed.connect(self.changed)
        self.measuring.changed.connect(self.changed)
        settings.changed.connect(self._follow)
        bridge.received.connect(self._receive)

    @property
    def target(self) -> str:
        """The model that chats go on with."""
        return self._target_of()

    def choice(self, target: str) -> str:
        """What the settings say: AUTOMATIC or a drafter as Submit has it."""
        return self.settings.preferences.model(target).drafter

    def choose(self, target: str, drafter: str) -> None:
        """For every chat that has no drafter of its own, from its next reply."""
        chosen = self.settings.preferences.model(target)
        self.settings.change_model(target, replace(chosen, drafter=drafter))
        self.chosen.emit()

    def in_use(self, target: str, own: str = "") -> Resolved:
        """The drafter of the next reply; `own` is a chat's choice, "" where it follows the settings."""
        drafter = own or self.choice(target)
        if drafter == AUTOMATIC:
            return self.automatic.explain(target)
        candidate = self.candidates.of(target).candidate(drafter)
        name = candidate.name if candidate else drafter_name(drafter)
        known = candidate.drafter if candidate else drafter
        return Resolved(drafter, name, f"Uses {name}.", self.automatic.speedup(target, known))

    def measure(self, target: str, candidates: Iterable[Candidate]) -> None:
        scan = self.candidates.of(target)
        self.measuring.measure([Job(target, one.drafter, scan.state, one.state) for one in candidates])

    def measure_all(self, target: str) -> None:
        self.measure(target, to_measure(self.candidates.of(target)))

    def is_before_update(self, scan: Scan, candidate: Candidate) -> bool:
        """Whether something is other than it was when this was measured."""
        known = [self.measurements.of(scan.target, candidate.drafter, number) for number in (ALONE, TOGETHER)]
        if candidate.drafter == PLAIN:
            known = [self.measurements.plain(scan.target)]
            return any(one and is_before_update(one, scan.state, one.drafter_state) for one in known)
        return any(one and is_before_update(one, scan.state, candidate.state) for one in known)

    def add_folder(self, folder: str) -> None:
        """Look for a drafter there too, from now on."""
        preferences = self.settings.preferences
        if folder not in preferences.drafter_folders:
            self.settings.change(replace(preferences, drafter_folders=(*preferences.drafter_folders, folder)))

    def close(self) -> None:
        self.candidates.close()
        self.measuring.stop()

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.target != after.target:
            self.candidates.refresh(after.target)
        self.changed.emit()

    def _receive(self, event: Event) -> None:
        """Only a model that was loaded, and imported where it had to be, is sure to be there to be asked about."""
        if isinstance(event, ModelLoaded):
            self.candidates.refresh(event.facts.target)


def to_measure(scan: Scan) -> tuple[Candidate, ...]:
    """All that fit, in their order; plain decoding is measured beside each."""
    return tuple(one for one in scan.fitting if one.drafter != PLAIN)
