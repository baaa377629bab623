"""What every test stands on: no display, no user's data, no unexpected warning."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what it starts in the background ignore it


@pytest.fixture(scope="session", autouse=True)
def _session_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fixtures that outlive one test write here, never in the user's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLIPSTREAM_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of one test."""
    folder = tmp_path / "data"
    monkeypatch.setenv("SLIPSTREAM_DATA", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _no_logged_warning(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A test that expects a logged warning looks at it and calls `caplog.clear()`."""
    yield
    ours = [record for record in caplog.get_records("call") if record.name.split(".")[0] in {"app", "engine"}]
    unexpected = [record.getMessage() for record in ours if record.levelno >= logging.WARNING]
    assert not unexpected, f"logged without being expected: {unexpected}"
