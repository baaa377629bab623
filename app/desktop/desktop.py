"""Desktop: what the program asks of the system that it runs in: to notify, and to stay awake."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class Desktop(QObject):
    """One that does nothing, for systems that are not known."""

    activated = Signal(str)  # key of a notification that was clicked

    def notify(self, key: str, title: str, words: str) -> None:
        """Show a notification in the place of the one with the same key."""

    def hold(self, reason: str) -> None:
        """Let neither the system sleep for want of a user nor the program nap, until `release`."""

    def release(self) -> None: ...

    def close(self) -> None:
        """Ask nothing more."""


def make_desktop(platform: str = sys.platform) -> Desktop:
    if platform == "darwin":
        from app.desktop.mac import MacDesktop

        return MacDesktop()
    if platform == "linux":
        from app.desktop.bus import BusDesktop

        return BusDesktop()
    return Desktop()
