"""The page of models over a small library: two models and the starter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.library.downloads import Downloads
from app.library.fits import Fits
from app.library.hub import Hub
from app.library.library import Library
from app.library.models_page import ModelsPage, Shelf
from app.models.chooser import ModelChooser
from app.settings.preferences import Settings
from app.tasks import finish
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from engine.messages import STARTER, EstimateMemory, MemoryEstimate
from tests.app.driver import RunAsync, until
from tests.app.fake_engine import FakeEngine
from tests.app.library.model_folders import make_cache_entry, make_model

GB = 10**9
TAB = Qt.FocusPolicy.TabFocus
Wait = Callable[[Callable[[], bool]], None]


def estimate(question: EstimateMemory) -> MemoryEstimate:
    return MemoryEstimate(18 * GB, 0, question.context_length * question.num_rows * 10**6, 30 * GB, GB, 27 * GB)


@pytest.fixture
def wait(run_async: RunAsync) -> Wait:
    return lambda is_there: run_async(until(is_there))


@pytest.fixture
def shelf(
    bridge: EngineBridge, settings: Settings, data_dir: Path, tmp_path: Path, cache: Path, fake_engine: FakeEngine,
    run_async: RunAsync,
) -> Iterator[Shelf]:  # fmt: skip
    make_cache_entry(cache, "org--Qwen3-8B-4bit")
    make_model(tmp_path / "added" / "Llama-3.2-3B-4bit")
    preferences = settings.preferences
    library = replace(preferences.library, folders=(str(tmp_path / "added"),))
    settings.change(replace(preferences, target=STARTER, library=library))
    fake_engine.estimate = estimate
    hub = Hub(settings)
    shelf = Shelf(
        settings,
        Library(bridge, settings, data_dir, home=tmp_path / "home"),
        Fits(bridge, settings),
        hub,
        Downloads(hub, data_dir),
        ModelChooser(bridge, settings),
    )
    yield shelf
    for part in (shelf.library, shelf.fits, shelf.downloads):
        part.close()
    run_async(finish())


@pytest.fixture
def make_page(qtbot: QtBot, shelf: Shelf, run_async: RunAsync) -> Callable[[], ModelsPage]:
    theme = Theme()
    theme.apply(LIGHT)

    def make() -> ModelsPage:
        page = ModelsPage(theme, shelf)
        qtbot.addWidget(page)
        page.resize(1064, 760)
        page.show()
        shelf.library.refresh()
        run_async(finish())
        return page

    return make


@pytest.fixture
def page(make_page: Callable[[], ModelsPage]) -> ModelsPage:
    return make_page()
