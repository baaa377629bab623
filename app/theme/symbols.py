"""The SVG symbols, tinted by a token and kept as pixmaps: parsing one in every paintEvent is slow."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer


def draw_symbol(painter: QPainter, name: str, colour: str, rect: QRectF) -> None:
    """Paint a symbol into a square rect."""
    ratio = painter.device().devicePixelRatioF()
    pixmap = symbol_pixmap(name, colour, round(rect.width()), ratio)
    painter.drawPixmap(rect.topLeft(), pixmap)


@lru_cache(maxsize=512)
def symbol_pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    # QtSvg draws currentColor as black, so the word is replaced before it parses.
    source = _read(f"symbols/{name}.svg").replace(b"currentColor", colour.encode())
    return _render(source, size, ratio)


@lru_cache(maxsize=16)
def app_pixmap(size: int, ratio: float = 1.0) -> QPixmap:
    return _render(_read("icon.svg"), size, ratio)


def app_icon() -> QIcon:
    icon = QIcon()
    for size in (16, 32, 48, 64, 128, 256):
        icon.addPixmap(app_pixmap(size))
    return icon


@cache
def _read(name: str) -> bytes:
    return (files("resources") / "icons" / name).read_bytes()


def _render(source: bytes, size: int, ratio: float) -> QPixmap:
    pixels = round(size * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(source)).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
