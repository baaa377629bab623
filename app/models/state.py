"""ModelState: the model that every chat goes on with, how far its loading is, and what else is in memory."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.models.loading import ModelLoading, replies_end
from app.models.names import model_name
from app.settings.preferences import Settings
from engine.messages import STARTER, ModelFacts


class State(Enum):
    AWAY = auto()  # the next reply loads it
    LOADING = auto()
    LOADED = auto()
    LEAVING = auto()  # ejected, and a reply uses it
    FAILED = auto()


class ModelState(QObject):
    """What can be asked of it; the chooser changes it."""

    changed = Signal()
    target_changed = Signal()

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
        self._request_id = 0  # of the load
        self._resident = ""  # the target that is in memory, and was not asked to leave
        self._held: set[str] = set()  # targets that are in memory or on their way there
        self._in_memory: set[str] = set()  # those that replies may still be made with, until they have left
        self._before = ""  # the target that answered before
        self._chosen_before = ("", "")  # what was asked for then, and what was preferred
        self.loading = ModelLoading()

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
        return self.is_loading and self.loading.is_waiting and self._num_running() > 0

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
        if self.state is State.LEAVING:
            return f"Leaves when {self.replies_end}."
        return self.loading.words(self.name, self._num_running()) if self.is_loading else ""

    @property
    def can_keep_present(self) -> bool:
        """Whether the model that answers now is still there, as this one waits for its replies."""
        return self.is_waiting and self._before not in ("", self.target)

    @property
    def wait_words(self) -> str:
        """When another one would load; "" is at once."""
        return f"Another loads when {self.replies_end}." if self._num_running() else ""

    @property
    def replies_end(self) -> str:
        return replies_end(self._num_running())
