"""What tests of the library share: a stand-in hub with models, and a cache of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
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
from tests.app.library.model_folders import make_cache_entry
from tests.app.library.model_folders import make_model as make_model_folder
from tests.app.library.stand_in_hub import HubFile, HubModel, StandInHub

TINY = "makers/tiny-4bit"
GB = 10**9


def make_content(size: int, seed: int) -> bytes:
    """Bytes that do not repeat."""
    return Random(seed).randbytes(size)


def make_model(**properties: object) -> HubModel:
    """Two shards and what belongs to them, and files that nothing needs."""
    files = {
        "config.json": HubFile(b'{"model_type": "llama"}'),
        "tokenizer.json": HubFile(make_content(2_000, 3)),
        "README.md": HubFile(b"---\nlicense: apache-2.0\n---\n"),
        "model-00001-of-00002.safetensors": HubFile(make_content(300_000, 1), is_large=True),
        "model-00002-of-00002.safetensors": HubFile(make_content(200_000, 2), is_large=True),
        "pytorch_model.bin": HubFile(make_content(900_000, 4), is_large=True),
        "modeling_tiny.py": HubFile(b"print('never fetched')"),
    }
    return HubModel(files, **properties)  # type: ignore[arg-type]


@pytest.fixture
def hub_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInHub]:
    for variable in ("HF_TOKEN", "HF_HUB_OFFLINE", "HF_HOME", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with StandInHub({TINY: make_model()}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
        yield server


class Gate:
    """Holds the server where a file has come so far."""

    def __init__(self, server: StandInHub, path: str, place: int) -> None:
        self.is_reached, self._opened = threading.Event(), threading.Event()
        self._path, self._place = path, place
        server.before_piece = self.pass_by

    def pass_by(self, path: str, place: int) -> None:
        if path == self._path and place >= self._place:
            self.is_reached.set()
            self._opened.wait(5)

    def open(self) -> None:
        self._opened.set()


@pytest.fixture
def gate(hub_server: StandInHub) -> Iterator[Gate]:
    gate = Gate(hub_server, "model-00001-of-00002.safetensors", 100_000)
    yield gate
    gate.open()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    return folder


@pytest.fixture
def settings(data_dir: Path) -> Settings:
    return Settings(data_dir)


@pytest.fixture
def hub(hub_server: StandInHub, settings: Settings, run_async: RunAsync) -> Iterator[Hub]:
    hub = Hub(settings)
    yield hub
    hub.close()
    run_async(finish())


@pytest.fixture
def go_offline(settings: Settings) -> Callable[[], None]:
    """Switch the network off, as the preference does."""

    def switch() -> None:
        kept = settings.preferences
        settings.change(replace(kept, library=replace(kept.library, is_offline=True)))

    return switch


@pytest.fixture
def make_downloads(hub: Hub, cache: Path, data_dir: Path) -> Callable[..., Downloads]:
    """Each is another start of the program on the same data folder."""

    def make(**options: object) -> Downloads:
        return Downloads(hub, data_dir, hub, **{"retry_seconds": (), **options})  # type: ignore[arg-type]

    return make


@pytest.fixture
def downloads(make_downloads: Callable[..., Downloads]) -> Downloads:
    return make_downloads()


@pytest.fixture
def wait(run_async: RunAsync) -> Callable[..., None]:
    return lambda is_there, seconds=5.0: run_async(until(is_there, seconds))


def _estimate(question: EstimateMemory) -> MemoryEstimate:
    return MemoryEstimate(18 * GB, 0, question.context_length * question.num_rows * 10**6, 30 * GB, GB, 27 * GB)


@pytest.fixture
def shelf(
    bridge: EngineBridge, settings: Settings, data_dir: Path, tmp_path: Path, cache: Path, fake_engine: FakeEngine,
    run_async: RunAsync,
) -> Iterator[Shelf]:  # fmt: skip
    make_cache_entry(cache, "org--Qwen3-8B-4bit")
    make_model_folder(tmp_path / "added" / "Llama-3.2-3B-4bit")
    preferences = settings.preferences
    library = replace(preferences.library, folders=(str(tmp_path / "added"),))
    settings.change(replace(preferences, target=STARTER, library=library))
    fake_engine.estimate = _estimate
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
