"""Formulas as drawings; each takes 10 to 300 ms to set, so that the worker does it."""

from __future__ import annotations

from collections import OrderedDict
from functools import cache, lru_cache, partial

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.chat.blocks.formula_setter import COLOUR, Drawing, FormulaKey, is_too_deep, set_formula
from app.chat.blocks.worker import worker

MAX_SOURCE = 400  # characters; ziamath needs 2 s for 3,000
_MAX_KEPT = 4_000


class Formulas:
    """What was set, and what was asked for."""

    def __init__(self) -> None:
        self._drawings: OrderedDict[FormulaKey, Drawing | None] = OrderedDict()
        self._asked: set[FormulaKey] = set()

    def is_known(self, key: FormulaKey) -> bool:
        """Whether `find` has its last word: a drawing, or None for what cannot be set."""
        return key in self._drawings or _cannot_be_set(key.source)

    def find(self, key: FormulaKey) -> Drawing | None:
        """The drawing; None where there is none, or none yet: it is then asked for, and `changes().changed` tells."""
        if self.is_known(key):
            return self._drawings.get(key)
        if key not in self._asked:
            self._asked.add(key)
            worker().ask(partial(set_formula, key), partial(self._take, key))
        return None

    def _take(self, key: FormulaKey, drawing: Drawing | None) -> None:
        self._asked.discard(key)
        self._drawings[key] = drawing
        if len(self._drawings) > _MAX_KEPT:
            self._drawings.popitem(last=False)


@lru_cache(maxsize=4096)
def _cannot_be_set(source: str) -> bool:
    return len(source) > MAX_SOURCE or is_too_deep(source)


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
