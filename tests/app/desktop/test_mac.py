"""What is asked of macOS, told to stand-ins for its frameworks: the real ones are on a Mac alone."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import pytest
from pytestqt.qtbot import QtBot


class Recorded:
    """An object of a framework: every message to it is kept and answered with another one."""

    def __init__(self, name: str, sent: list[tuple[str, tuple[Any, ...]]]) -> None:
        self._name = name
        self._sent = sent

    def __getattr__(self, message: str) -> Any:
        def send(*arguments: Any) -> Recorded:
            self._sent.append((message, arguments))
            return Recorded(f"{self._name}.{message}", self._sent)

        return send


class PlainObject:
    @classmethod
    def alloc(cls) -> PlainObject:
        return cls()

    def init(self) -> PlainObject:
        return self


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    sent: list[tuple[str, tuple[Any, ...]]] = []
    foundation = types.ModuleType("Foundation")
    foundation.NSObject = PlainObject  # type: ignore[attr-defined]
    for name in ("NSProcessInfo", "NSUserNotification", "NSUserNotificationCenter"):
        setattr(foundation, name, Recorded(name, sent))
    objc = types.ModuleType("objc")
    objc.super = super  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "Foundation", foundation)
    monkeypatch.setitem(sys.modules, "objc", objc)
    monkeypatch.delitem(sys.modules, "app.desktop.mac", raising=False)
    return sent


def test_an_activity_is_begun_once_and_ended(sent: list[tuple[str, tuple[Any, ...]]], qtbot: QtBot) -> None:
    desktop = importlib.import_module("app.desktop.mac").MacDesktop()
    desktop.hold("A reply is being written.")
    desktop.hold("A model is being downloaded.")
    desktop.release()
    desktop.release()
    names = [message for message, _ in sent if "ctivity" in message]
    assert names == ["beginActivityWithOptions_reason_", "endActivity_"]
    assert ("beginActivityWithOptions_reason_", (0x00FFFFFF, "A reply is being written.")) in sent


def test_a_notification_has_title_and_words_and_a_click_tells_its_chat(
    sent: list[tuple[str, tuple[Any, ...]]], qtbot: QtBot
) -> None:
    mac = importlib.import_module("app.desktop.mac")
    desktop = mac.MacDesktop()
    desktop.notify("chat-1", "Why does ice float?", "Reply finished, 212 tokens.")
    assert ("setTitle_", ("Why does ice float?",)) in sent
    assert ("setInformativeText_", ("Reply finished, 212 tokens.",)) in sent
    assert [message for message, _ in sent][-1] == "deliverNotification_"
    delegate = next(arguments[0] for message, arguments in sent if message == "setDelegate_")
    clicked = types.SimpleNamespace(identifier=lambda: "chat-1")
    with qtbot.waitSignal(desktop.activated) as told:
        delegate.userNotificationCenter_didActivateNotification_(Recorded("center", sent), clicked)
    assert told.args == ["chat-1"]
    desktop.close()
