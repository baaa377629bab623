"""MemoryWatch: what the engine holds in memory and on disk, asked while something shows it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.bridge import EngineBridge
from engine.messages import Answer, CacheReport, DescribeCache, DescribeMemory, Event, Failed, MemoryReport

ASK_MS = 2000


class MemoryWatch(QObject):
    """Asks every two seconds while a widget that was handed to `watch` is seen; never twice at once.

    What the prompt cache holds, a long list, is asked for those widgets alone that show it.
    """

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.report: MemoryReport | None = None  # the last answer; None before the first
        self.cache: CacheReport | None = None
        self._bridge = bridge
        self._shown: set[QWidget] = set()
        self._with_cache: set[QWidget] = set()
        self._unanswered: dict[int, str] = {}  # request id -> "memory" or "cache"
        self._timer = QTimer(self)
        self._timer.setInterval(ASK_MS)
        self._timer.timeout.connect(self._ask_for_shown)
        bridge.received.connect(self._receive)

    def watch(self, widget: QWidget, *, with_cache: bool = False) -> None:
        """Ask while this widget is seen, what the prompt cache holds too where it shows that."""
        if with_cache:
            self._with_cache.add(widget)
        widget.installEventFilter(self)
        self._set_shown(widget, widget.isVisible())

    @property
    def is_asking(self) -> bool:
        return self._timer.isActive()

    def ask(self) -> None:
        """Ask at once what is not asked already."""
        kinds = {"memory": DescribeMemory} | ({"cache": DescribeCache} if self._shown & self._with_cache else {})
        for kind, question in kinds.items():
            if kind not in self._unanswered.values():
                request_id = self._bridge.next_request_id()
                self._unanswered[request_id] = kind
                self._bridge.send(question(request_id))

    def _ask_for_shown(self) -> None:
        self._shown = {widget for widget in self._shown if isValid(widget) and widget.isVisible()}
        self._with_cache = {widget for widget in self._with_cache if isValid(widget)}
        if not self._shown:
            self._timer.stop()
        elif not all(widget.window().isMinimized() for widget in self._shown):
            self.ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWidget) and event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._set_shown(watched, event.type() == QEvent.Type.Show)
        return False

    def _set_shown(self, widget: QWidget, is_shown: bool) -> None:
        if is_shown:
            self._shown.add(widget)
        else:
            self._shown.discard(widget)
        if is_shown:
            self._timer.start()
            self.ask()
        elif not self._shown:
            self._timer.stop()

    def _receive(self, event: Event) -> None:
        match event:
            case Answer(value=MemoryReport() as report) if event.request_id in self._unanswered:
                self._take(report, self.cache)
            case Answer(value=CacheReport() as report) if event.request_id in self._unanswered:
                self._take(self.report, report)
            case Failed() if event.request_id in self._unanswered:
                pass
            case _:
                return
        del self._unanswered[event.request_id]

    def _take(self, report: MemoryReport | None, cache: CacheReport | None) -> None:
        if (report, cache) != (self.report, self.cache):
            self.report, self.cache = report, cache
            self.changed.emit()
