"""The services of a Linux desktop, on a bus of their own: what is asked of them is kept."""

from __future__ import annotations

import queue
import subprocess
import threading

from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

NOTIFICATIONS = "org.freedesktop.Notifications"
PORTAL = "org.freedesktop.portal.Desktop"
SCREEN_SAVER = "org.freedesktop.ScreenSaver"
HANDLE = "/org/freedesktop/portal/desktop/request/1"
COOKIE = 7


def start_bus() -> tuple[subprocess.Popen[str], str]:
    """A private bus, and its address."""
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


class DesktopServices:
    """Answers calls in the order in which they come; `asked` has member and body of each."""

    def __init__(self, address: str, *, has_portal: bool = True) -> None:
        self.asked: queue.SimpleQueue[tuple[str, tuple[object, ...]]] = queue.SimpleQueue()
        self._connection: DBusConnection = open_dbus_connection(address)
        names = [NOTIFICATIONS, SCREEN_SAVER, *([PORTAL] if has_portal else [])]
        for name in names:
            self._connection.send_and_get_reply(message_bus.RequestName(name))
        self._num_shown = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def click(self, number: int) -> None:
        emitter = DBusAddress("/org/freedesktop/Notifications", interface=NOTIFICATIONS)
        self._connection.send(new_signal(emitter, "ActionInvoked", "us", (number, "default")))

    def close(self) -> None:
        self._connection.close()

    def _serve(self) -> None:
        try:
            while True:
                message = self._connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)
        except (OSError, ValueError):
            return  # closed

    def _answer(self, message: Message) -> None:
        member = message.header.fields[HeaderFields.member]
        interface = message.header.fields[HeaderFields.interface]
        self.asked.put((member, message.body))
        match member:
            case "Notify":
                self._num_shown += 1
                reply = new_method_return(message, "u", (message.body[1] or self._num_shown,))
            case "Inhibit" if interface == SCREEN_SAVER:
                reply = new_method_return(message, "u", (COOKIE,))
            case "Inhibit":
                reply = new_method_return(message, "o", (HANDLE,))
            case "Close" | "UnInhibit":
                reply = new_method_return(message)
            case _:
                reply = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        self._connection.send(reply)
