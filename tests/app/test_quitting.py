"""The program comes to its end whatever is pending."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import run_window
from app.asking import QUITTING, RefusedError, ask
from app.bridge import EngineBridge
from app.chat.draft import Draft
from app.system.single import SingleInstance
from app.tabs.open_tabs import read_open_tabs
from app.tasks import finish, start
from app.window import MainWindow
from engine.messages import Command, Inspect, ModelFacts, Shutdown
from tests.app.driver import RunAsync, settle, until
from tests.app.fake_engine import FakeEngine
from tests.app.test_main import open_window

NEVER_ENDS = "import sys, threading; from app.launch import end_process; {begin}; sys.exit(end_process(3))"


class SilentEngine(FakeEngine):
    """Takes what it is sent and does nothing but end."""

    def send(self, *commands: Command) -> None:
        self.commands += commands
        super().send(*(command for command in commands if isinstance(command, Shutdown)))


async def run_with(folder: Path, hands: Callable[[MainWindow], Coroutine[Any, Any, None]]) -> SilentEngine:
    engine = SilentEngine()
    running = asyncio.ensure_future(run_window(None, "ngram", folder, SingleInstance(folder), engine))
    await until(lambda: (window := open_window()) is not None and window.workspace.current is not None)
    window = open_window()
    assert window is not None
    await hands(window)
    window.leave()
    assert await asyncio.wait_for(running, 10) == 0
    return engine


@pytest.mark.usefixtures("qapp")
def test_quitting_with_the_settings_open_waits_for_no_answer(run_async: RunAsync, data_dir: Path) -> None:
    async def open_every_page(window: MainWindow) -> None:
        window.settings_pages.show()
        settings = window.settings_pages.window
        assert settings is not None
        for name in settings.names:
            settings.show_page(name)
            await asyncio.sleep(0.01)

    engine = run_async(run_with(data_dir, open_every_page))
    assert any(isinstance(command, Inspect) for command in engine.commands)


def test_quitting_waits_for_no_model_to_be_known_before_a_message_is_sent(run_async: RunAsync, data_dir: Path) -> None:
    async def send(window: MainWindow) -> None:
        assert window.workspace.current is not None
        window.workspace.current.send(Draft("one"))

    run_async(run_with(data_dir, send))


def test_quitting_with_an_edit_that_waits_for_a_reply_to_end_gives_the_edit_up(
    run_async: RunAsync, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def edit(window: MainWindow) -> None:
        tab = window.workspace.current
        assert tab is not None
        tab.send(Draft("one"))
        await until(lambda: tab.session.running is not None)
        start(tab.session.send(Draft("other", edits=tab.session.messages[0].id)))

    run_async(run_with(data_dir, edit))
    assert "is cancelled" in caplog.text
    ((draft,),) = read_open_tabs(data_dir).drafts.values()
    assert draft.text == "other"
    caplog.clear()


def test_a_question_at_the_end_of_the_program_is_refused(
    run_async: RunAsync, bridge: EngineBridge, fake_engine: FakeEngine
) -> None:
    async def ask_and_end() -> None:
        fake_engine.answers_on_models = False
        before = asyncio.ensure_future(ask(bridge, lambda number: Inspect(number, "gone"), ModelFacts))
        await settle()
        bridge.refuse_questions()
        for question in (before, ask(bridge, lambda number: Inspect(number, "gone"), ModelFacts)):
            with pytest.raises(RefusedError, match=QUITTING):
                await question

    run_async(ask_and_end())


def test_what_saves_is_waited_for_and_the_rest_is_cancelled(
    run_async: RunAsync, caplog: pytest.LogCaptureFixture
) -> None:
    async def end() -> tuple[bool, bool]:
        saving = start(asyncio.sleep(0.1), saves=True)
        endless = start(asyncio.Event().wait())
        await finish(0.01)
        return saving.cancelled(), endless.cancelled()

    assert run_async(end()) == (False, True)
    caplog.clear()


@pytest.mark.parametrize(
    "begin",
    [
        "threading.Thread(target=threading.Event().wait, name='engine').start()",
        "threading.Thread(target=print, name='engine').start()",
    ],
)
def test_a_thread_that_does_not_end_does_not_keep_the_process(begin: str) -> None:
    assert subprocess.run([sys.executable, "-c", NEVER_ENDS.format(begin=begin)], timeout=30).returncode == 3
