"""The icon in the forms that systems want, drawn from resources/icons/icon.svg."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SOURCE = Path(__file__).resolve().parents[2] / "resources" / "icons" / "icon.svg"
PNG_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
# By side in pixels; 16@2x and so on are pictures of twice the size under codes of their own.
# Source: Apple's icns container as `iconutil` writes it; every entry holds a PNG.
ICNS_CODES = {16: ("icp4",), 32: ("icp5", "ic11"), 64: ("ic12",), 128: ("ic07",), 256: ("ic08", "ic13")}
ICNS_CODES |= {512: ("ic09", "ic14"), 1024: ("ic10",)}


def png_of(size: int, source: Path = SOURCE) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(source)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want the format as bytes
    return bytes(buffer.data().data())


def icns_of(pictures: Mapping[int, bytes]) -> bytes:
    """One file of PNGs by their size."""
    entries = b"".join(
        code.encode() + struct.pack(">I", 8 + len(png)) + png
        for size, png in pictures.items()
        for code in ICNS_CODES[size]
    )
    return b"icns" + struct.pack(">I", 8 + len(entries)) + entries


def write_icons(folder: Path) -> None:
    """NAME.icns for macOS, and icons/SIZE.png for Linux."""
    (folder / "icons").mkdir(parents=True, exist_ok=True)
    for size in PNG_SIZES:
        (folder / "icons" / f"{size}.png").write_bytes(png_of(size))
    (folder / "Slipstream.icns").write_bytes(icns_of({size: png_of(size) for size in ICNS_CODES}))
