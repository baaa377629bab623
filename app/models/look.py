"""ModelLook: whether a model can be read and fits, found out before another one leaves the memory for it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import EngineBridge
from app.library.fit import CONTEXTS, Plan, needed_bytes, write_gigabytes
from app.settings.preferences import Settings
from engine.messages import Answer, EstimateMemory, Event, Failed, Inspect, MemoryEstimate, ModelFacts

MOST_MILLISECONDS = 2000  # before it is loaded without an answer: its load says what is wrong, too


class ModelLook(QObject):
    """At one model at a time, the last that was asked for."""

    done = Signal(str)  # why it cannot be loaded, a sentence; "" where it can, as far as is known

    def __init__(self, bridge: EngineBridge, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._settings = settings
        self._target = ""
        self._request_id = 0  # of the question that is open; 0 is none
        self._is_read = False  # and what it takes is asked for
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MOST_MILLISECONDS)
        self._timer.timeout.connect(lambda: self._end(""))
        bridge.received.connect(self._receive)

    @property
    def is_looking(self) -> bool:
        return self._request_id != 0

    def begin(self, target: str) -> None:
        self._target, self._is_read = target, False
        self._request_id = self._bridge.next_request_id()
        self._timer.start()
        self._bridge.send(Inspect(self._request_id, target))

    def drop(self) -> None:
        """Say nothing more of it."""
        self._request_id = 0
        self._timer.stop()

    def _receive(self, event: Event) -> None:
        if not self.is_looking or not isinstance(event, Answer | Failed) or event.request_id != self._request_id:
            return
        match event:
            case Answer(value=ModelFacts()):
                self._ask_for_memory()
            case Answer(value=MemoryEstimate() as estimate):
                self._end(too_large(estimate))
            case Failed(code="model", text=text) if not self._is_read:
                self._end(text)
            case _:
                self._end("")

    def _ask_for_memory(self) -> None:
        """For one reply in the least context that can be chosen."""
        plan = Plan(CONTEXTS[0], kv_bits=self._settings.preferences.model(self._target).kv_bits)
        self._is_read = True
        self._request_id = self._bridge.next_request_id()
        question = EstimateMemory(
            self._request_id, self._target, plan.drafter, plan.context_length, plan.num_tabs, plan.kv
        )
        self._bridge.send(question)

    def _end(self, refusal: str) -> None:
        self.drop()
        self.done.emit(refusal)


def too_large(estimate: MemoryEstimate) -> str:
    needed, allowed = needed_bytes(estimate), estimate.limit_bytes
    if not allowed or needed <= allowed:
        return ""
    return f"it needs {write_gigabytes(needed)} of memory; {write_gigabytes(allowed)} is allowed"
