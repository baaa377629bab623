"""Places painted in a widget, for a layout that runs from right to left."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt


def mirrored(place: QRectF, within: QRectF, direction: Qt.LayoutDirection) -> QRectF:
    """The place itself, or its mirror image within a rectangle."""
    if direction != Qt.LayoutDirection.RightToLeft:
        return place
    return QRectF(within.left() + within.right() - place.right(), place.top(), place.width(), place.height())
