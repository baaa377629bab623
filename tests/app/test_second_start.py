"""A second start while the first program comes to its end."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.__main__ import run_window
from app.system.single import Handed, SingleInstance
from tests.app.driver import RunAsync, until
from tests.app.fake_engine import FakeEngine
from tests.app.test_main import open_window


@pytest.mark.usefixtures("qapp")
def test_a_program_that_ends_answers_no_other_and_shows_its_window_no_more(
    run_async: RunAsync, fake_engine: FakeEngine, data_dir: Path
) -> None:
    first = SingleInstance(data_dir)
    assert first.take()

    async def end() -> bool:
        running = asyncio.ensure_future(run_window(None, "ngram", data_dir, first, fake_engine))
        await until(lambda: (window := open_window()) is not None and window.workspace.current is not None)
        window = open_window()
        assert window is not None
        window.leave()
        has_answered = SingleInstance(data_dir).raise_other(Handed("/models/late"))
        assert await asyncio.wait_for(running, 10) == 0
        return has_answered

    assert not run_async(end())
    assert open_window() is None
    first.release()


def test_a_start_waits_for_the_end_of_a_program_that_does_not_answer(qapp: QApplication, data_dir: Path) -> None:
    first, second = SingleInstance(data_dir), SingleInstance(data_dir)
    assert first.take()
    first.stop_answering()
    assert not second.raise_other()
    ending = threading.Timer(0.1, first.release)
    ending.start()
    assert second.take(5.0)
    ending.join()
    second.release()
