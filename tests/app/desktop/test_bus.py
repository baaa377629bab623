"""Notifications and wakefulness over a real bus, with services that note what is asked of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

if sys.platform != "linux" or shutil.which("dbus-daemon") is None:
    pytest.skip("there is no D-Bus here", allow_module_level=True)

from app.desktop.bus import BusDesktop
from tests.app.desktop.services import COOKIE, DesktopServices, start_bus


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    process, address = start_bus()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    yield address
    process.terminate()
    process.communicate()


@pytest.fixture
def desktop(address: str, qtbot: QtBot) -> Iterator[BusDesktop]:
    desktop = BusDesktop()
    yield desktop
    desktop.close()


def test_a_notification_is_shown_replaced_and_clicked(address: str, desktop: BusDesktop, qtbot: QtBot) -> None:
    services = DesktopServices(address)
    desktop.notify("chat-1", "Why does ice float?", "Reply finished, 212 tokens.")
    member, body = services.asked.get(timeout=5)
    assert (member, body[0], body[1], body[3], body[4]) == (
        "Notify",
        "Slipstream",
        0,
        "Why does ice float?",
        "Reply finished, 212 tokens.",
    )
    desktop.notify("chat-1", "Why does ice float?", "Reply finished, 3 tokens.")
    assert services.asked.get(timeout=5)[1][1] == 1
    with qtbot.waitSignal(desktop.activated) as clicked:
        services.click(1)
    assert clicked.args == ["chat-1"]
    services.close()


def test_the_portal_keeps_the_system_awake_until_it_is_released(address: str, desktop: BusDesktop) -> None:
    services = DesktopServices(address)
    desktop.hold("A reply is being written.")
    assert services.asked.get(timeout=5) == ("Inhibit", ("", 4, {"reason": ("s", "A reply is being written.")}))
    desktop.release()
    assert services.asked.get(timeout=5) == ("Close", ())
    services.close()


def test_without_a_portal_the_screen_saver_is_asked(address: str, desktop: BusDesktop) -> None:
    services = DesktopServices(address, has_portal=False)
    desktop.hold("A reply is being written.")
    assert services.asked.get(timeout=5) == ("Inhibit", ("Slipstream", "A reply is being written."))
    desktop.release()
    assert services.asked.get(timeout=5) == ("UnInhibit", (COOKIE,))
    services.close()


def test_a_bus_without_services_and_no_bus_at_all_are_silent(
    desktop: BusDesktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.notify("chat-1", "Title", "Words")
    desktop.hold("why")
    desktop.release()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
    other = BusDesktop()
    other.notify("chat-1", "Title", "Words")
    other.close()
