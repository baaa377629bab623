"""Starting and ending the window's program."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QApplication

from app.__main__ import main, run_window
from app.conversations.database import Database
from app.conversations.records import ReplyState
from app.garbage import GarbageCollector
from app.settings.folders import data_folder
from app.single import SingleInstance
from app.window import MainWindow
from engine.messages import Cancel, LoadModel, Shutdown
from tests.app.fake_engine import FakeEngine


def open_window() -> MainWindow | None:
    windows = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))
    return next((window for window in windows if window.isVisible()), None)


def test_a_window_closed_in_mid_reply_saves_the_reply_and_stops_the_engine(
    run_async: Callable[[Coroutine[Any, Any, Any]], Any], fake_engine: FakeEngine
) -> None:
    QApplication.setQuitOnLastWindowClosed(False)
    garbage = GarbageCollector()
    folder = data_folder()
    instance = SingleInstance(folder)
    assert instance.take()
    fake_engine.ending = None

    async def use() -> None:
        while (window := open_window()) is None or (tab := window.workspace.current) is None:
            await asyncio.sleep(0.01)
        tab.send("one")
        while tab.transcript.last_reply_text() != "Hello there":
            await asyncio.sleep(0.01)
        window.close()

    async def both() -> int:
        running = asyncio.ensure_future(run_window(None, "ngram", folder, instance, fake_engine))
        await asyncio.wait_for(use(), 10)
        return await asyncio.wait_for(running, 10)

    assert run_async(both()) == 0
    instance.release()
    gc.collect()  # here, rather than inside the end of some QObject, where it may wait for itself for ever
    garbage.close()
    assert [command.target for command in fake_engine.commands if isinstance(command, LoadModel)] == ["starter"]
    assert isinstance(fake_engine.commands[-1], Shutdown)
    assert not any(isinstance(command, Cancel) for command in fake_engine.commands)
    database = Database(folder)
    (conversation,) = database.run(lambda store: store.list_conversations()).result(5).conversations
    opened = database.run(lambda store: store.open_conversation(conversation.id)).result(5)
    database.close()
    assert (opened.messages[-1].text, opened.messages[-1].state) == ("Hello there", ReplyState.STOPPED)


def test_a_start_beside_a_program_that_does_not_answer_says_so(
    qapp: QApplication, capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    lock = QLockFile(str(data_folder() / "window.lock"))
    assert lock.tryLock(0)
    assert main([]) == 1
    assert "already running" in capsys.readouterr().err
    lock.unlock()


def test_an_unknown_drafter_is_named_with_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--drafter", "nonesuch"])
    assert stopped.value.code == 2
    assert "ngram" in capsys.readouterr().err
