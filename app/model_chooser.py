"""ModelChooser: the model that every chat goes on with, how far its loading is, and what else is in memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.figures import in_words, write_loading
from app.model_names import model_name
from app.settings.preferences import Preferences, Settings
from engine.messages import (
    STARTER,
    Cancel,
    Event,
    Failed,
    Finished,
    LoadModel,
    ModelFacts,
    ModelLoaded,
    ModelUnloaded,
    Progress,
    UnloadModel,
)


class State(Enum):
    AWAY = auto()  # the next reply loads it
    LOADING = auto()
    LOADED = auto()
    LEAVING = auto()  # ejected, and a reply uses it
    FAILED = auto()


class ModelChooser(QObject):
    """The last choice wins; a model that cannot be loaded gives way to the one before it."""

    changed = Signal()
    target_changed = Signal()
    gave_way = Signal(str)  # why another model than the one that was chosen answers, a sentence

    def __init__(
        self,
        bridge: EngineBridge,
        settings: Settings,
        *,
        asked: str = "",
        num_running: Callable[[], int] = lambda: 0,
        parent: QObject | None = None,
    ) -> None:
        """`asked` takes the place of the preference until a model is chosen; `num_running` counts replies."""
        super().__init__(parent)
        self.bridge = bridge
        self.name_of: Callable[[str], str] = lambda target: ""  # as lists of models have it; "" where they have none
        self.error = ""
        self.state = State.AWAY
        self._settings = settings
        self._asked = asked
        self._num_running = num_running
        self._facts: ModelFacts | None = None
        self._progress: Progress | None = None
        self._request_id = 0  # of the load
        self._held: set[str] = set()  # targets that are in memory or on their way there
        self._in_memory: set[str] = set()  # those that replies may still be made with, until they have left
        self._before = ""  # the target that answered before
        self.load_rate = 0.0  # bytes per second, of the last load that was timed
        self._loading_since = (0.0, 0)  # when the first progress of the load came, and how many bytes it had then
        bridge.received.connect(self._receive)
        settings.changed.connect(self._take_preferences)

    # What is known of it

    @property
    def target(self) -> str:
        return self._asked or self._settings.preferences.target

    @property
    def facts(self) -> ModelFacts | None:
        """Known from its first load on, also while it is not in memory."""
        return self._facts if self._facts is not None and self._facts.target == self.target else None

    @property
    def is_starter(self) -> bool:
        return self.target == STARTER

    @property
    def is_loaded(self) -> bool:
        return self.state in (State.LOADED, State.LEAVING)

    @property
    def is_loading(self) -> bool:
        return self.state is State.LOADING

    @property
    def can_eject(self) -> bool:
        return self.state is State.LOADED

    def has_in_memory(self, target: str) -> bool:
        """Also of one that leaves when its replies end."""
        return target in self._in_memory

    @property
    def is_waiting(self) -> bool:
        """Whether its load waits for replies of another model."""
        is_waiting = self._progress is not None and self._progress.phase == "waiting"
        return self.is_loading and is_waiting and bool(self._num_running())

    @property
    def name(self) -> str:
        if known := self.name_of(self.target):
            return known
        return self.facts.name if self.facts and not self.is_starter else model_name(self.target)

    @property
    def quantisation(self) -> str:
        return self.facts.quantisation if self.facts else ""

    @property
    def words(self) -> str:
        """What it is doing, or "" when there is nothing to say."""
        match self.state, self._progress:
            case State.LEAVING, _:
                return f"Leaves when {self.replies_end}."
            case State.LOADING, _ if self.is_waiting:
                return f"Loads when {self.replies_end}."
            case State.LOADING, Progress(phase="loading" | "importing" as phase, done=done, total=total):
                return f"{phase.capitalize()} {self.name}, {write_loading(done, total)}"
            case State.LOADING, _:
                return f"Loading {self.name}"
        return ""

    @property
    def wait_words(self) -> str:
        """When another one would load; "" is at once."""
        return f"Another loads when {self.replies_end}." if self._num_running() else ""

    @property
    def replies_end(self) -> str:
        num_running = self._num_running()
        return "the reply ends" if num_running < 2 else f"the {in_words(num_running)} replies end"

    # What is asked of it

    def choose(self, target: str) -> None:
        """Go on with another model from the next reply on, and with every later start."""
        before, self._asked = self.target, target
        self._settings.change(replace(self._settings.preferences, target=target))
        self._asked = ""
        if target != before or self.state not in (State.LOADING, State.LOADED):
            self._go_to(target, before)

    def use(self, target: str) -> None:
        """Go on with another model until one is chosen or the program ends."""
        if target != self.target:
            before, self._asked = self.target, target
            self._go_to(target, before)

    def load(self) -> None:
        """Have it in memory before it is needed."""
        self.error, self._progress, self.state = "", None, State.LOADING
        self._facts = self.bridge.facts_of(self.target)
        self._held.add(self.target)
        self._request_id = self.bridge.next_request_id()
        self.bridge.send(LoadModel(self._request_id, self.target))
        self.changed.emit()

    def stop(self) -> None:
        """End its load; the next reply begins another."""
        if self.is_loading:
            self.bridge.send(Cancel(self._request_id))

    def eject(self) -> None:
        """Let it go once no reply uses it; the next reply loads it again."""
        if self.can_eject:
            self.state = State.LEAVING
            self.bridge.send(UnloadModel(self.target))
            self.changed.emit()

    def need(self) -> None:
        """A reply is about to use it."""
        if self.state in (State.AWAY, State.LEAVING):
            self.load()

    def refresh(self) -> None:
        """The replies that it waits for are others."""
        if self.words:
            self.changed.emit()

    # What comes of it

    def _go_to(self, target: str, before: str) -> None:
        if self.is_loaded and before != target:
            self._before = before
        leaving = sorted(self._held - {target})
        self._held.clear()
        self.bridge.send(*(UnloadModel(one) for one in leaving))
        self.load()
        self.target_changed.emit()

    def _take_preferences(self, before: Preferences, after: Preferences) -> None:
        """A model that was chosen elsewhere."""
        if before.target == after.target or self._asked:
            return
        if self.state is State.AWAY:
            self.target_changed.emit()
            self.changed.emit()
        else:
            self._go_to(after.target, before.target)

    def _receive(self, event: Event) -> None:
        match event:
            case ModelLoaded(facts=facts):
                self._held.add(facts.target)
                self._in_memory.add(facts.target)
                if facts.target != self.target:
                    return
                self._time_load()
                self._facts, self.error, self._before = facts, "", ""
                self.state = State.LOADED
            case ModelUnloaded(target=target):
                self._in_memory.discard(target)
                self._take_unloaded(target)
            case Progress(request_id=request_id) if request_id == self._request_id and self.is_loading:
                self._take_progress(event)
            case Finished(request_id=request_id) if request_id == self._request_id and self.is_loading:
                self.state = State.AWAY
                self._held.discard(self.target)
            case Failed(request_id=request_id, code=code, text=text) if request_id == self._request_id:
                self._take_failure(code, text)
            case Failed(request_id=0):
                self._lose_engine()
            case _:
                return
        self.changed.emit()

    def _take_progress(self, progress: Progress) -> None:
        """A load is timed from its first progress on: imports and waits are no part of it."""
        if progress.phase == "loading" and (self._progress is None or self._progress.phase != "loading"):
            self._loading_since = (time.monotonic(), progress.done)
        self._progress = progress

    def _time_load(self) -> None:
        began_at, num_before = self._loading_since
        if self._progress is not None and self._progress.phase == "loading":
            seconds = time.monotonic() - began_at
            self.load_rate = (self._progress.total - num_before) / seconds if seconds > 0 else 0.0

    def _take_unloaded(self, target: str) -> None:
        """One whose load was asked for meanwhile comes back."""
        if target == self.target and not self.is_loading:
            self.state = State.AWAY
        if target != self.target or not self.is_loading:
            self._held.discard(target)

    def _lose_engine(self) -> None:
        """Nothing is in memory without one, and what failed with it is no fault of a model."""
        self._held.clear()
        self._in_memory.clear()
        self.state, self._progress = State.AWAY, None

    def _take_failure(self, code: str, text: str) -> None:
        failed, before, name = self.target, self._before, self.name
        if code == "engine":
            self._lose_engine()
            return
        self._held.discard(failed)
        self._before = ""
        if before in ("", failed):
            self.state, self.error = State.FAILED, text
            return
        self.choose(before)
        self.gave_way.emit(f"{name} was not loaded: {text.rstrip('.')}. {self.name} answers again.")
