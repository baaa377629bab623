"""Changes: blocks tell their owners that they look different without having been touched."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject, Signal


class Changes(QObject):
    """Whoever shows blocks lays out and paints what is seen when `changed` comes."""

    changed = Signal()


@cache
def changes() -> Changes:
    return Changes()
