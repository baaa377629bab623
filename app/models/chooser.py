"""ModelChooser: has the model in memory that every chat goes on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.models.look import ModelLook
from app.models.state import ModelState, State
from app.settings.preferences import Preferences, Settings
from engine.messages import (
    Cancel,
    Event,
    Failed,
    Finished,
    LoadModel,
    ModelLoaded,
    ModelUnloaded,
    Progress,
    UnloadModel,
)


class ModelChooser(ModelState):
    """The last choice wins; a model that cannot be loaded gives way to the one before it."""

    ejected = Signal(str)  # target
    exchanged = Signal()  # whatever is in memory but the target has been asked to leave
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
        super().__init__(bridge, settings, asked=asked, num_running=num_running, parent=parent)
        self._look = ModelLook(bridge, settings, self)
        self._look.done.connect(self._take_look)
        bridge.received.connect(self._receive)
        settings.changed.connect(self._take_preferences)

    # What is asked of it

    def choose(self, target: str) -> None:
        """Go on with another model from the next reply on, and with every later start."""
        before, chosen = self.target, self._chosen
        self._asked = target
        self._settings.change(replace(self._settings.preferences, target=target))
        self._asked = ""
        if target != before or self.state not in (State.LOADING, State.LOADED):
            self._go_to(target, before, chosen)

    def use(self, target: str) -> None:
        """Go on with another model until one is chosen or the program ends."""
        if target != self.target:
            before, chosen, self._asked = self.target, self._chosen, target
            self._go_to(target, before, chosen)

    def load(self) -> None:
        """Have it in memory before it is needed."""
        self._begin()
        self._held.add(self.target)
        self._request_id = self.bridge.next_request_id()
        self.bridge.send(LoadModel(self._request_id, self.target))
        self.changed.emit()

    def _begin(self) -> None:
        self._look.drop()
        self.loading.begin()
        self.error, self.state = "", State.LOADING
        self._facts, self._request_id = self.bridge.facts_of(self.target), 0

    def stop(self) -> None:
        """End its load; the next reply begins another. One that only waits gives way to the model that answers now."""
        if self.can_keep_present:
            self._go_back(self._before)
        elif self._look.is_looking:
            self._look.drop()
            self._unload_others()
            self.state = State.AWAY
            self.changed.emit()
        elif self.is_loading:
            self.bridge.send(Cancel(self._request_id))

    def eject(self) -> None:
        """Let it go once no reply uses it; the next reply loads it again."""
        if self.can_eject:
            self.state, self._resident = State.LEAVING, ""
            self.bridge.send(UnloadModel(self.target))
            self.ejected.emit(self.target)
            self.changed.emit()

    def let_go(self, target: str) -> None:
        """Have a model leave that was loaded beside the one that answers; never that one."""
        if target not in (self.target, self._resident):
            self.bridge.send(UnloadModel(target))

    def need(self) -> None:
        """A reply is about to use it."""
        if self.state in (State.AWAY, State.LEAVING):
            self.load()

    def refresh(self) -> None:
        """The replies that it waits for are others."""
        if self.words:
            self.changed.emit()

    # What comes of it

    @property
    def _chosen(self) -> tuple[str, str]:
        return self._asked, self._settings.preferences.target

    def _go_to(self, target: str, before: str, chosen_before: tuple[str, str]) -> None:
        if self.is_loaded and before != target:
            self._before, self._chosen_before = before, chosen_before
        self._begin()
        if target == self._resident:  # it has not left yet
            self._unload_others()
            self.state, self._before = State.LOADED, ""
        elif self._resident:
            self._look.begin(target)
        else:
            self._exchange()
        self.changed.emit()
        self.target_changed.emit()

    def _exchange(self) -> None:
        """Load it in the place of what is in memory."""
        self._unload_others()
        self.load()

    def _unload_others(self) -> None:
        leaving = sorted(self._held - {self.target})
        self._held &= {self.target}
        if self._resident in leaving:
            self._resident = ""
        self.bridge.send(*(UnloadModel(one) for one in leaving))
        if leaving or self.target != self._resident:
            self.exchanged.emit()

    def _take_look(self, refusal: str) -> None:
        """A model that cannot be read or does not fit leaves the one before where it is."""
        if refusal:
            self._take_failure("model", refusal)
            self.changed.emit()
        else:
            self._exchange()

    def _take_preferences(self, before: Preferences, after: Preferences) -> None:
        """A model that was chosen elsewhere."""
        if before.target == after.target or self._asked:
            return
        if self.state is State.AWAY:
            self._unload_others()
            self.target_changed.emit()
            self.changed.emit()
        else:
            self._go_to(after.target, before.target, ("", before.target))

    def _receive(self, event: Event) -> None:
        match event:
            case ModelLoaded(facts=facts):
                self._held.add(facts.target)
                self._in_memory.add(facts.target)
                if facts.target != self.target:
                    return
                self.loading.end()
                self._facts, self.error, self._before = facts, "", ""
                self.state, self._resident = State.LOADED, facts.target
                if self._look.is_looking:  # a reply was faster
                    self._look.drop()
                    self._unload_others()
            case ModelUnloaded(target=target):
                self._in_memory.discard(target)
                self._take_unloaded(target)
            case Progress(request_id=request_id) if request_id == self._request_id and self.is_loading:
                self.loading.take(event)
            case Finished(request_id=request_id) if request_id == self._request_id and self.is_loading:
                self.state = State.AWAY
                self._held.discard(self.target)
            case Failed(request_id=0):
                self._lose_engine()
            case Failed(request_id=request_id, code=code, text=text) if request_id == self._request_id:
                self._take_failure(code, text)
            case _:
                return
        self.changed.emit()

    def _take_unloaded(self, target: str) -> None:
        """One whose load was asked for meanwhile comes back."""
        if target == self._resident:
            self._resident = ""
        if target == self.target and not self.is_loading:
            self.state = State.AWAY
        if target != self.target or not self.is_loading:
            self._held.discard(target)

    def _lose_engine(self) -> None:
        """Nothing is in memory without one, and what failed with it is no fault of a model."""
        self._look.drop()
        self._held.clear()
        self._in_memory.clear()
        self.state, self._resident = State.AWAY, ""

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
        self._go_back(before)
        self.gave_way.emit(f"{name} was not loaded: {text.rstrip('.')}. {self.name} answers again.")

    def _go_back(self, before: str) -> None:
        """To the model before and what was preferred with it, which may be another one."""
        failed, chosen = self.target, self._chosen
        asked, preferred = self._chosen_before
        self._asked = before
        self._settings.change(replace(self._settings.preferences, target=preferred))
        self._asked = asked
        self._go_to(before, failed, chosen)
