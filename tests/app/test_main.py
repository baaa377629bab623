"""Starting and ending the window's program."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.__main__ import CAME_FORWARD, WindowError, main, run_window, target_of
from app.arguments import parse_arguments
from app.chat.draft import Draft
from app.chat.tab import ChatTab
from app.conversations.database import Database
from app.conversations.records import Message, ReplyState
from app.settings.folders import data_folder
from app.system.garbage import GarbageCollector
from app.system.single import Handed, SingleInstance
from app.window import MainWindow
from engine.messages import Cancel, KeepConversations, LoadModel, Shutdown
from tests.app.conversations.saved_replies import save_reply
from tests.app.driver import until
from tests.app.fake_engine import FakeEngine


def open_window() -> MainWindow | None:
    windows = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))
    return next((window for window in windows if window.isVisible()), None)


@pytest.fixture
def run_program(
    run_async: Callable[[Coroutine[Any, Any, Any]], Any], fake_engine: FakeEngine
) -> Iterator[Callable[[Callable[[MainWindow], Coroutine[Any, Any, None]]], int]]:
    """Run the program to its end, with hands at its window."""
    QApplication.setQuitOnLastWindowClosed(False)
    garbage = GarbageCollector()
    folder = data_folder()
    instance = SingleInstance(folder)
    assert instance.take()

    async def use(hands: Callable[[MainWindow], Coroutine[Any, Any, None]]) -> None:
        while (window := open_window()) is None or window.workspace.current is None:
            await asyncio.sleep(0.01)
        await hands(window)

    async def both(hands: Callable[[MainWindow], Coroutine[Any, Any, None]]) -> int:
        running = asyncio.ensure_future(run_window(None, "ngram", folder, instance, fake_engine))
        await asyncio.wait_for(use(hands), 10)
        return await asyncio.wait_for(running, 10)

    yield lambda hands: run_async(both(hands))
    instance.release()
    gc.collect()  # here, rather than inside the end of some QObject, where it may wait for itself for ever
    garbage.close()


def last_saved_reply() -> Message:
    database = Database(data_folder())
    (conversation,) = database.run(lambda store: store.list_conversations()).result(5).conversations
    opened = database.run(lambda store: store.open_conversation(conversation.id)).result(5)
    database.close()
    return opened.messages[-1]


def tab_of(window: MainWindow) -> ChatTab:
    assert window.workspace.current is not None
    return window.workspace.current


def test_a_window_closed_in_mid_reply_saves_the_reply_and_stops_the_engine(
    run_program: Callable[..., int], fake_engine: FakeEngine
) -> None:
    fake_engine.ending = None

    async def close(window: MainWindow) -> None:
        tab = tab_of(window)
        tab.send(Draft("one"))
        while tab.transcript.last_reply_text() != "Hello there":
            await asyncio.sleep(0.01)
        window.leave()

    assert run_program(close) == 0
    assert [command.target for command in fake_engine.commands if isinstance(command, LoadModel)] == ["starter"]
    assert isinstance(fake_engine.commands[-1], Shutdown)
    assert not any(isinstance(command, Cancel) for command in fake_engine.commands)
    reply = last_saved_reply()
    assert (reply.text, reply.state) == ("Hello there", ReplyState.STOPPED)


def test_quitting_while_a_message_is_being_saved_saves_it_and_stops_the_engine(
    run_program: Callable[..., int], fake_engine: FakeEngine, data_dir: Path
) -> None:
    async def quit_twice(window: MainWindow) -> None:
        other = sqlite3.connect(data_dir / "conversations.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        tab_of(window).send(Draft("one"))
        for _ in range(2):
            await asyncio.sleep(0.05)
            QApplication.quit()
        await asyncio.sleep(0.1)
        other.execute("ROLLBACK")
        other.close()

    assert run_program(quit_twice) == 0
    assert isinstance(fake_engine.commands[-1], Shutdown)
    assert last_saved_reply().state is not ReplyState.RUNNING


def test_a_start_before_the_first_window_is_made_is_heeded(
    run_program: Callable[..., int], fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    assert SingleInstance(data_folder()).raise_other(Handed("/models/early"))
    qtbot.wait(100)  # it is answered, and nobody is there

    async def close(window: MainWindow) -> None:
        assert window.chooser.target == "/models/early"
        window.leave()

    assert run_program(close) == 0


def test_a_start_names_the_conversations_whose_prompts_are_kept(
    run_program: Callable[..., int], fake_engine: FakeEngine, data_dir: Path
) -> None:
    database = Database(data_dir)
    database.run(lambda store: save_reply(store, "a", (1,))).result(5)
    database.close()
    assert run_program(close_when_kept(fake_engine)) == 0
    assert [command for command in fake_engine.commands if isinstance(command, KeepConversations)] == [
        KeepConversations(("a",))
    ]


def close_when_kept(fake_engine: FakeEngine) -> Callable[[MainWindow], Coroutine[Any, Any, None]]:
    async def close(window: MainWindow) -> None:
        await until(lambda: any(isinstance(command, KeepConversations) for command in fake_engine.commands))
        window.leave()

    return close


def test_a_damaged_database_names_no_conversations(
    run_program: Callable[..., int], fake_engine: FakeEngine, data_dir: Path
) -> None:
    (data_dir / "conversations.sqlite").write_bytes(b"no database at all" * 100)

    async def close(window: MainWindow) -> None:
        window.leave()

    assert run_program(close) == 0
    assert not any(isinstance(command, KeepConversations) for command in fake_engine.commands)


def test_conversations_that_cannot_be_opened_end_the_start_with_a_sentence(
    run_async: Callable[[Coroutine[Any, Any, Any]], Any], data_dir: Path, fake_engine: FakeEngine
) -> None:
    (data_dir / "conversations.sqlite").mkdir()
    with pytest.raises(WindowError, match="cannot be opened"):
        run_async(run_window(None, "ngram", data_dir, SingleInstance(data_dir), fake_engine))


def test_a_data_folder_that_is_a_file_is_said_in_a_sentence(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SLIPSTREAM_DATA", str(tmp_path / "file" / "data"))
    assert main(parse_arguments([])) == 1
    assert "SLIPSTREAM_DATA" in capsys.readouterr().err


def test_a_path_at_the_start_is_the_model_that_is_loaded(
    run_async: Callable[[Coroutine[Any, Any, Any]], Any], data_dir: Path, tmp_path: Path, fake_engine: FakeEngine
) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    paths = (str(tmp_path / "tiny.gguf"), str(tmp_path / "missing.json"))

    async def start_and_close() -> None:
        instance = SingleInstance(data_dir)
        running = asyncio.ensure_future(run_window(None, "", data_dir, instance, fake_engine, paths=paths))
        await until(lambda: (window := open_window()) is not None and window.workspace.bar.isVisible())
        window = open_window()
        assert window is not None
        assert "missing.json is not there" in window.workspace.bar.text
        window.leave()
        assert await running == 0

    run_async(start_and_close())
    loads = [command.target for command in fake_engine.commands if isinstance(command, LoadModel)]
    assert loads == [str(tmp_path / "tiny.gguf")]


def test_only_a_model_path_that_exists_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    assert target_of("model") == str((tmp_path / "model").resolve())
    assert target_of("organisation/name") == "organisation/name"
    assert target_of("~nobody-of-that-name/model") == "~nobody-of-that-name/model"
    assert target_of(None) == ""


def test_a_start_beside_a_program_that_does_not_answer_says_so(
    qapp: QApplication, capsys: pytest.CaptureFixture[str], data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.__main__.LEAVE_SECONDS", 0.1)
    lock = QLockFile(str(data_folder() / "window.lock"))
    assert lock.tryLock(0)
    assert main(parse_arguments([])) == 1
    assert "already running" in capsys.readouterr().err
    lock.unlock()


def test_a_start_beside_an_open_window_says_that_it_came_forward(
    qapp: QApplication, qtbot: QtBot, capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    first = SingleInstance(data_dir)
    assert first.take()
    with qtbot.waitSignal(first.raise_asked):
        assert main(parse_arguments([])) == 0
    assert capsys.readouterr().out == f"{CAME_FORWARD}\n"
    first.release()
