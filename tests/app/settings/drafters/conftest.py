"""A picker over an engine that knows some drafters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.conversations.recorder import Recorder
from app.conversations.records import Message, ReplyState
from app.settings.drafters.candidates import Candidates
from app.settings.drafters.measurements import Measurement
from app.settings.drafters.picker import Picker
from app.settings.preferences import Settings
from app.tasks import finish
from app.upkeep.running_replies import RunningReplies
from engine.messages import Finished
from tests.app.driver import RunAsync, until
from tests.app.settings.drafters.known_drafters import TARGET, KnowingEngine, TestLibrary

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def target() -> str:
    return TARGET


@pytest.fixture
def fake_engine() -> KnowingEngine:
    return KnowingEngine()


@pytest.fixture
def library() -> TestLibrary:
    return TestLibrary()


@pytest.fixture
def settings(data_dir: Path) -> Settings:
    return Settings(data_dir)


@pytest.fixture
def wait(run_async: RunAsync) -> Wait:
    return lambda is_there: run_async(until(is_there))


@pytest.fixture
def picker(
    bridge: EngineBridge,
    recorder: Recorder,
    settings: Settings,
    library: TestLibrary,
    run_async: RunAsync,
    wait: Wait,
    qtbot: QtBot,
) -> Iterator[Picker]:
    """It has looked at the target."""
    picker = Picker(bridge, RunningReplies(recorder), settings, library)
    look(picker.candidates, wait)
    yield picker
    picker.close()
    run_async(finish())


def look(candidates: Candidates, wait: Wait) -> None:
    """Let it look at the target, and wait for what it finds."""
    looked: list[str] = []
    connection = candidates.changed.connect(looked.append)
    candidates.refresh(TARGET)
    wait(lambda: bool(looked))
    candidates.changed.disconnect(connection)


def measured(drafter: str, speedup: float, num_replies: int = 1, **facts: object) -> Measurement:
    return Measurement(TARGET, drafter, num_replies, speedup, 41.0, 1e9, 60.0, **facts)  # type: ignore[arg-type]


class UserReplies:
    """The user's own replies."""

    def __init__(self, engine: KnowingEngine, recorder: Recorder, bridge: EngineBridge) -> None:
        self._engine, self._recorder, self._bridge = engine, recorder, bridge
        self._request_id = 0

    def begin(self) -> None:
        self._request_id = self._bridge.next_request_id()
        message = Message("m", "c", None, "assistant", "", state=ReplyState.RUNNING, model=TARGET)
        self._recorder.begin(self._request_id, message)

    def end(self) -> None:
        self._engine.emit(Finished(self._request_id, "stop"))


@pytest.fixture
def user(fake_engine: KnowingEngine, recorder: Recorder, bridge: EngineBridge) -> UserReplies:
    return UserReplies(fake_engine, recorder, bridge)
