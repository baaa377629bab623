"""What tests of the settings share: a theme, the preferences, and a place for pages to be shown in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.settings.preferences import Settings
from app.theme.theme import Theme


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme()


@pytest.fixture
def settings(qapp: QApplication, data_dir: Path) -> Settings:
    return Settings(data_dir)


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
