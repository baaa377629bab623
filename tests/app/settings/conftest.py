"""What tests of the settings share: a theme, a home folder, and a place for pages to be shown in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.theme.theme import Theme


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme()


@pytest.fixture
def show(qtbot: QtBot) -> Callable[..., None]:
    """Shows a widget, and keeps it until the test ends."""
    kept: list[QWidget] = []

    def show_one(widget: QWidget, width: int = 400) -> None:
        kept.append(widget)
        qtbot.addWidget(widget)
        widget.resize(width, 300)
        widget.show()

    return show_one


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home folder of its own, with no folder named by SLIPSTREAM_DATA."""
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SLIPSTREAM_DATA")
    return tmp_path
