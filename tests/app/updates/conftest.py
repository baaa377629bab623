"""A forge on the loopback that has releases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication

from app.library.hub import Hub
from app.settings.preferences import Settings
from app.theme.theme import Theme
from app.updates.release import VARIABLE
from app.updates.updates import Updates
from tests.app.library.stand_in_hub import StandInHub

LATEST = "/repos/one/slipstream/releases/latest"
NOON = 1_796_040_000.0  # Unix seconds


class Forge(StandInHub):
    @property
    def address(self) -> str:
        return self.endpoint + LATEST

    def publish(self, tag: str) -> None:
        page = f"{self.endpoint}/one/slipstream/releases/tag/{tag}"
        self.bodies[LATEST] = json.dumps({"tag_name": tag, "html_url": page}).encode()


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Forge]:
    """The one that is asked; nothing is published there yet."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with Forge() as forge:
        monkeypatch.setenv(VARIABLE, forge.address)
        yield forge


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme()


@pytest.fixture
def make_updates(settings: Settings) -> Callable[..., Updates]:
    """Those of a start; `now` may be moved on."""

    def make(current: str = "0.1.0", now: float = NOON) -> Updates:
        return Updates(settings, Hub(settings), current=current, now=lambda: now)

    return make
