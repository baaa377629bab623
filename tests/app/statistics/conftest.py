"""A theme, and replies to talk with, for the tests of the statistics."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from tests.app.statistics.replies import Talk


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    theme = Theme()
    theme.apply(LIGHT)
    return theme


@pytest.fixture
def talk(qapp: QApplication) -> Talk:
    return Talk()
