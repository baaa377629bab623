"""MemoryWatch: what the engine holds in memory and on disk, asked while something shows it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.bridge import EngineBridge
from engine.messages import Answer, CacheReport, DescribeCache, DescribeMemory, Event, Failed, MemoryReport

ASK_MS = 2000


class MemoryWatch(QObject):
    """Asks every two seconds while a widget that was handed to `watch` is visible; never twice at once."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.report: MemoryReport | None = None  # the last answer; None before the first
        self.cache: CacheReport | None = None
        self._bridge = bridge
        self._shown: set[QWidget] = set()
        self._unanswered: dict[int, str] = {}  # request id -> "memory" or "cache"
        self._timer = QTimer(self)
        self._timer.setInterval(ASK_MS)
        self._timer.timeout.connect(self._ask_for_shown)
        bridge.received.connect(self._receive)

    def watch(self, widget: QWidget) -> None:
        """Ask whenever this widget is visible."""
        widget.installEventFilter(self)
        self._set_shown(widget, widget.isVisible())

    @property
    def is_asking(self) -> bool:
        return self._timer.isActive()

    def ask(self) -> None:
        """Ask at once what is not asked already."""
        for kind, question in (("memory", DescribeMemory), ("cache", DescribeCache)):
            if kind not in self._unanswered.values():
                request_id = self._bridge.next_request_id()
                self._unanswered[request_id] = kind
                self._bridge.send(question(request_id))

    def _ask_for_shown(self) -> None:
        self._shown = {widget for widget in self._shown if isValid(widget) and widget.isVisible()}
        if self._shown:
            self.ask()
        else:
            self._timer.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWidget) and event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._set_shown(watched, event.type() == QEvent.Type.Show)
        return False

    def _set_shown(self, widget: QWidget, is_shown: bool) -> None:
        if is_shown:
            self._shown.add(widget)
        else:
            self._shown.discard(widget)
        if self._shown and not self._timer.isActive():
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
