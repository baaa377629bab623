"""Formulas as drawings, set on a thread of their own: one takes 10 to 300 ms."""

from __future__ import annotations

from collections import OrderedDict
from functools import cache, lru_cache
from itertools import count
from queue import PriorityQueue
from threading import Thread

from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.chat.blocks.changes import changes
from app.chat.blocks.formula_setter import COLOUR, Drawing, FormulaKey, set_formula

MAX_SOURCE = 400  # characters; ziamath needs 2 s for 3,000
_MAX_KEPT = 4_000
_ARRIVAL_MS = 30  # what comes within so long is shown together
_STOP_SECONDS = 1.0


class Formulas(QObject):
    """What was set and what is being set; the last question is answered first, since it is what is seen."""

    _came = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drawings: OrderedDict[FormulaKey, Drawing | None] = OrderedDict()
        self._asked: set[FormulaKey] = set()
        self._questions: PriorityQueue[tuple[int, FormulaKey | None]] = PriorityQueue()
        self._numbers = count(-1, -1)
        self._thread: Thread | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_ARRIVAL_MS)
        self._timer.timeout.connect(changes().changed)
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def is_known(self, key: FormulaKey) -> bool:
        """Whether `find` has its last word: a drawing, or None for what cannot be set."""
        return key in self._drawings or len(key.source) > MAX_SOURCE

    def find(self, key: FormulaKey) -> Drawing | None:
        """The drawing; None where there is none, or none yet: it is then asked for, and `changes().changed` tells."""
        if self.is_known(key):
            return self._drawings.get(key)
        if key not in self._asked:
            self._asked.add(key)
            self._questions.put((next(self._numbers), key))
            self._start()
        return None

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._work, name="formulas", daemon=True)
            self._thread.start()
            application = QCoreApplication.instance()
            if application is not None:
                application.aboutToQuit.connect(self.stop)

    def stop(self) -> None:
        """End the thread after the formula that it is at."""
        if self._thread is not None:
            self._questions.put((-(2**62), None))
            self._thread.join(_STOP_SECONDS)
            self._thread = None

    def _work(self) -> None:
        while (key := self._questions.get()[1]) is not None:
            self._came.emit(key, set_formula(key))

    def _take(self, key: FormulaKey, drawing: Drawing | None) -> None:
        self._asked.discard(key)
        self._drawings[key] = drawing
        if len(self._drawings) > _MAX_KEPT:
            self._drawings.popitem(last=False)
        if not self._timer.isActive():
            self._timer.start()


@cache
def formulas() -> Formulas:
    return Formulas()


def draw_formula(painter: QPainter, drawing: Drawing, colour: str, left: float, baseline: float) -> None:
    ratio = painter.device().devicePixelRatioF()
    top = round((baseline - drawing.ascent) * ratio) / ratio
    painter.drawPixmap(QPointF(round(left * ratio) / ratio, top), _pixmap_of(drawing, colour, ratio))


@lru_cache(maxsize=512)
def _pixmap_of(drawing: Drawing, colour: str, ratio: float) -> QPixmap:
    height = drawing.ascent + drawing.descent
    pixmap = QPixmap(max(1, round(drawing.width * ratio)), max(1, round(height * ratio)))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    source = drawing.svg.replace(COLOUR.encode(), colour.encode())
    QSvgRenderer(QByteArray(source)).render(painter, QRectF(0, 0, pixmap.width(), pixmap.height()))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
