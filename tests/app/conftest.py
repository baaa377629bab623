"""What tests of the window share: a data folder, the database thread, a fake engine and its bridge."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import qasync
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.bridge import EngineBridge
from app.chat.plan import Planner
from app.chat.session import ChatSession
from app.conversations.database import Database
from app.conversations.recorder import Recorder
from app.conversations.store import Store
from app.desktop.desktop import Desktop
from app.settings.folders import data_folder
from app.settings.preferences import Preferences, Settings
from app.settings.presets import Presets
from app.system.garbage import GarbageCollector
from app.tasks import finish
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from app.window import MainWindow
from tests.app.driver import Driver, RunAsync
from tests.app.fake_engine import FakeEngine

T = TypeVar("T")


@pytest.fixture(autouse=True)
def _collect_on_the_main_thread() -> Iterator[None]:
    """A QObject that the collector finds on the database or engine thread would end the process."""
    gc.disable()
    yield
    gc.collect(1)
    gc.enable()


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    return Application


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of one test, made as the program makes it."""
    monkeypatch.setenv("SLIPSTREAM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # where models are looked for
    monkeypatch.setattr("app.library.places.CARRIED", tmp_path / "carried")
    for name in ("HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    return data_folder()


@pytest.fixture
def database(data_dir: Path) -> Iterator[Database]:
    database = Database(data_dir)
    yield database
    database.close()


@pytest.fixture
def fake_engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def bridge(qapp: QApplication, fake_engine: FakeEngine) -> Iterator[EngineBridge]:
    """Started; stops at the end of the test."""
    bridge = EngineBridge(fake_engine)
    bridge.start()
    yield bridge
    assert bridge.stop(timeout_seconds=5)


@pytest.fixture
def recorder(database: Database, bridge: EngineBridge) -> Iterator[Recorder]:
    recorder = Recorder(database, bridge)
    yield recorder
    assert bridge.stop(timeout_seconds=5)
    recorder.flush()
    QApplication.processEvents()


@pytest.fixture
def target() -> str:
    """What chats and the window begin with."""
    return "/models/tiny"


@pytest.fixture
def settings(data_dir: Path, target: str) -> Settings:
    settings = Settings(data_dir)
    settings.change(Preferences(target=target))
    return settings


@pytest.fixture
def presets(data_dir: Path) -> Presets:
    return Presets(data_dir)


@pytest.fixture
def planner(settings: Settings, presets: Presets, bridge: EngineBridge) -> Planner:
    """What chats that have no window are made with."""
    return Planner(settings, presets, bridge)


@pytest.fixture
def make_session(
    database: Database, bridge: EngineBridge, recorder: Recorder, planner: Planner
) -> Callable[[], ChatSession]:
    return lambda: ChatSession(database, bridge, recorder, planner)


@pytest.fixture
def run_async(qapp: QApplication) -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Run a coroutine to its end on the qasync loop of the application."""
    loop = qasync.QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    yield loop.run_until_complete
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def ask(database: Database) -> Callable[[Callable[[Store], Any]], Any]:
    """Run something on the database thread and wait for it."""
    return lambda work: database.run(work).result(5)


@pytest.fixture
def desktop() -> Desktop:
    """One that does nothing."""
    return Desktop()


@pytest.fixture
def make_driver(
    qtbot: QtBot,
    run_async: RunAsync,
    database: Database,
    bridge: EngineBridge,
    recorder: Recorder,
    data_dir: Path,
    target: str,
    desktop: Desktop,
) -> Iterator[Callable[[], Driver]]:
    QApplication.setQuitOnLastWindowClosed(False)  # or the end of one test ends the loop of the next
    garbage = GarbageCollector()  # as the program does
    theme = Theme()
    theme.apply(LIGHT)
    windows: list[MainWindow] = []

    def make() -> Driver:
        window = MainWindow(
            theme, database, bridge, recorder, data_dir=data_dir, target=target, drafter="ngram", desktop=desktop
        )
        windows.append(window)
        qtbot.addWidget(window)
        window.show()
        run_async(window.open())
        return Driver(window, run_async, qtbot)

    yield make
    for window in windows:
        window.leave()
    run_async(finish())
    windows.clear()
    gc.collect()  # here, rather than inside the end of some QObject, where it may wait for itself for ever
    garbage.close()


@pytest.fixture
def driver(make_driver: Callable[[], Driver]) -> Driver:
    return make_driver()
