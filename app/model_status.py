"""ModelStatus: the model that new chats use, and how far its loading is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.figures import write_loading
from app.model_names import model_name
from engine.messages import STARTER, Event, Failed, LoadModel, ModelFacts, ModelLoaded, Progress


class ModelStatus(QObject):
    changed = Signal()
    engine_failed = Signal(str)  # what the engine says of itself, whichever request was running
    engine_recovered = Signal(str)  # the same, once it has loaded a model again

    def __init__(self, bridge: EngineBridge, target: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.target = target
        self.facts: ModelFacts | None = None
        self.error = ""
        self._failure = ""  # of the engine itself
        self.bridge = bridge
        self._progress: Progress | None = None
        self._request_id = 0
        bridge.received.connect(self._receive)

    @property
    def is_starter(self) -> bool:
        return self.target == STARTER

    @property
    def name(self) -> str:
        return self.facts.name if self.facts and not self.is_starter else model_name(self.target)

    @property
    def quantisation(self) -> str:
        return self.facts.quantisation if self.facts else ""

    @property
    def words(self) -> str:
        """What loading is doing, or "" when there is nothing to say."""
        if self.facts is not None or self.error:
            return ""
        if self._progress is None:
            return f"Loading {self.name}"
        verb = "Importing" if self._progress.phase == "importing" else "Loading"
        return f"{verb} {self.name}, {write_loading(self._progress.done, self._progress.total)}"

    def load(self) -> None:
        self.error, self.facts, self._progress = "", None, None
        self._request_id = self.bridge.next_request_id()
        self.bridge.send(LoadModel(self._request_id, self.target))
        self.changed.emit()

    def _receive(self, event: Event) -> None:
        if isinstance(event, ModelLoaded) and self._failure:
            self.engine_recovered.emit(self._failure)
            self._failure = ""
        match event:
            case ModelLoaded(facts=facts) if facts.target == self.target or event.request_id == self._request_id:
                self.facts, self.error = facts, ""
            case Progress(phase="loading" | "importing") if event.request_id == self._request_id:
                self._progress = event
            case Failed(request_id=0, text=text):
                self._failure = text
                self.engine_failed.emit(text)
                return
            case Failed(text=text) if event.request_id == self._request_id:
                self.error = text
            case _:
                return
        self.changed.emit()
