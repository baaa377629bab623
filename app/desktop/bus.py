"""BusDesktop: notifications and wakefulness over D-Bus, as Linux desktops have them; silent where there is no bus.

Qt's D-Bus cannot send unsigned numbers from Python, which both services ask for; hence jeepney, on a thread of its own.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from jeepney import DBusAddress, DBusErrorResponse, MatchRule, Message, MessageType, message_bus, new_method_call
from jeepney.io.asyncio import DBusRouter, open_dbus_router
from jeepney.io.common import RouterClosed
from jeepney.wrappers import unwrap_msg
from PySide6.QtCore import QObject

from app.desktop.desktop import Desktop

logger = logging.getLogger(__name__)
NAME = "Slipstream"
NOTIFICATIONS = DBusAddress(
    "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "org.freedesktop.Notifications"
)
PORTAL = DBusAddress(
    "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Desktop", "org.freedesktop.portal.Inhibit"
)
SCREEN_SAVER = DBusAddress("/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver", "org.freedesktop.ScreenSaver")
SUSPEND = 4  # the portal's flag: the screen may go dark
JOIN_SECONDS = 2.0
NO_BUS = (OSError, EOFError, KeyError, RuntimeError, RouterClosed, TimeoutError)  # what jeepney raises without one


@dataclass(frozen=True, slots=True)
class Notify:
    key: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Hold:
    reason: str


@dataclass(frozen=True, slots=True)
class Release:
    pass


Asked = Notify | Hold | Release | None  # None ends the thread


class BusDesktop(Desktop):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._inbox: queue.SimpleQueue[Asked] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def notify(self, key: str, title: str, words: str) -> None:
        self._ask(Notify(key, title, words))

    def hold(self, reason: str) -> None:
        self._ask(Hold(reason))

    def release(self) -> None:
        self._ask(Release())

    def close(self) -> None:
        if self._thread is not None:
            self._inbox.put(None)
            self._thread.join(JOIN_SECONDS)

    def _ask(self, asked: Asked) -> None:
        """The bus is opened with the first thing that is asked of it."""
        self._inbox.put(asked)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="desktop", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        except NO_BUS as error:
            logger.info("no desktop to ask: %s", error)

    async def _serve(self) -> None:
        async with open_dbus_router() as router:
            services = Services(router, self.activated.emit)
            clicks = asyncio.create_task(services.follow_clicks())
            try:
                while (asked := await asyncio.to_thread(self._inbox.get)) is not None:
                    await services.do(asked)
            finally:
                clicks.cancel()


class Services:
    """The desktop's services on an open bus; one that is missing is asked for nothing more than once a time."""

    def __init__(self, router: DBusRouter, activated: Callable[[str], None]) -> None:
        self._router = router
        self._activated = activated
        self._shown: dict[str, int] = {}  # number of the notification by key
        self._release: Message | None = None  # what ends the hold

    async def do(self, asked: Asked) -> None:
        try:
            match asked:
                case Notify():
                    await self._notify(asked)
                case Hold(reason=reason):
                    self._release = await self._hold(reason)
                case Release() if self._release is not None:
                    release, self._release = self._release, None
                    await self._call(release)
        except DBusErrorResponse as error:
            logger.info("the desktop did not do it: %s", error)

    async def follow_clicks(self) -> None:
        rule = MatchRule(type=MessageType.signal, interface=NOTIFICATIONS.interface, member="ActionInvoked")
        await self._call(message_bus.AddMatch(rule))
        with self._router.filter(rule, queue=asyncio.Queue()) as clicks:
            while True:
                number, _ = (await clicks.get()).body
                for key in [key for key, shown in self._shown.items() if shown == number]:
                    self._activated(key)

    async def _call(self, message: Message) -> tuple[object, ...]:
        body: tuple[object, ...] = unwrap_msg(await self._router.send_and_get_reply(message))
        return body

    async def _notify(self, asked: Notify) -> None:
        replaces = self._shown.get(asked.key, 0)
        hints = {"desktop-entry": ("s", "slipstream")}
        body = (NAME, replaces, "slipstream", asked.title, asked.words, ["default", "Open"], hints, -1)
        (number,) = await self._call(new_method_call(NOTIFICATIONS, "Notify", "susssasa{sv}i", body))
        assert isinstance(number, int)
        self._shown[asked.key] = number

    async def _hold(self, reason: str) -> Message:
        """Returns what ends it. The portal keeps the system awake alone, the other service the screen too."""
        try:
            options = {"reason": ("s", reason)}
            (path,) = await self._call(new_method_call(PORTAL, "Inhibit", "sua{sv}", ("", SUSPEND, options)))
            request = DBusAddress(str(path), PORTAL.bus_name, "org.freedesktop.portal.Request")
            return new_method_call(request, "Close")
        except DBusErrorResponse:
            (cookie,) = await self._call(new_method_call(SCREEN_SAVER, "Inhibit", "ss", (NAME, reason)))
            return new_method_call(SCREEN_SAVER, "UnInhibit", "u", (cookie,))
