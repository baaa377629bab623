"""MacDesktop: notifications and wakefulness by macOS's Foundation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import objc
from Foundation import NSObject, NSProcessInfo, NSUserNotification, NSUserNotificationCenter
from PySide6.QtCore import QObject

from app.desktop.desktop import Desktop

USER_INITIATED = 0x00FFFFFF  # NSActivityUserInitiated: no App Nap, no idle sleep; the screen may go dark


class NotificationDelegate(NSObject):
    """Shows notifications also in front of the program's own window, and tells of clicks."""

    def initWithActivated_(self, activated: Callable[[str], None]) -> Any:
        self = objc.super(NotificationDelegate, self).init()
        if self is not None:
            self.activated = activated
        return self

    def userNotificationCenter_shouldPresentNotification_(self, center: Any, notification: Any) -> bool:
        return True

    def userNotificationCenter_didActivateNotification_(self, center: Any, notification: Any) -> None:
        center.removeDeliveredNotification_(notification)
        self.activated(str(notification.identifier()))


class MacDesktop(Desktop):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._activity: Any = None
        self._delegate = NotificationDelegate.alloc().initWithActivated_(self.activated.emit)
        self._center = NSUserNotificationCenter.defaultUserNotificationCenter()  # None outside a bundle
        if self._center is not None:
            self._center.setDelegate_(self._delegate)

    def notify(self, key: str, title: str, words: str) -> None:
        if self._center is None:
            return
        notification = NSUserNotification.alloc().init()
        notification.setIdentifier_(key)
        notification.setTitle_(title)
        notification.setInformativeText_(words)
        self._center.deliverNotification_(notification)

    def hold(self, reason: str) -> None:
        if self._activity is None:
            information = NSProcessInfo.processInfo()
            self._activity = information.beginActivityWithOptions_reason_(USER_INITIATED, reason)

    def release(self) -> None:
        if self._activity is not None:
            NSProcessInfo.processInfo().endActivity_(self._activity)
            self._activity = None

    def close(self) -> None:
        self.release()
        if self._center is not None:
            self._center.setDelegate_(None)
