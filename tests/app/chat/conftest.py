"""A transcript or composer of its own for a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.composer import Composer
from app.chat.draft import Draft
from app.chat.transcript import Transcript
from app.chat.transcript.wakes import forget_wakes
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.theme.tokens import LIGHT


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    theme = Theme()
    theme.apply(LIGHT)
    return theme


@pytest.fixture
def transcript(qtbot: QtBot, theme: Theme) -> Iterator[Transcript]:
    transcript = Transcript(theme, Pulse())
    qtbot.addWidget(transcript)
    transcript.resize(800, 400)
    transcript.show()
    yield transcript
    transcript.hide()
    forget_wakes()  # every test has the same ids of messages


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme) -> Iterator[Composer]:
    composer = Composer(theme)
    qtbot.addWidget(composer)
    composer.set_drafter("ngram")
    composer.set_model("SmolLM2 135M", "4-bit")
    composer.resize(744, 120)
    composer.show()
    yield composer
    composer.hide()


@pytest.fixture
def sent(composer: Composer) -> list[Draft]:
    """What the composer sends, as it sends it."""
    drafts: list[Draft] = []
    composer.sent.connect(drafts.append)
    return drafts
