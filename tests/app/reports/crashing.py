"""A program that types a text into a real window and then breaks in the way that it is told to."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import qasync
from PySide6.QtCore import QTimer

from app.application import Application
from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.recorder import Recorder
from app.reports.reports import Reports, begin
from app.settings.folders import data_folder
from app.tasks import start
from app.theme.theme import Theme
from app.window import MainWindow
from tests.app.driver import until
from tests.app.fake_engine import FakeEngine

TEXT = "Purple elephants waltz at midnight"


def fail() -> None:
    raise ValueError(f"the composer said {TEXT!r}")


async def fail_in_a_task() -> None:
    fail()


async def fail_in_a_started_task() -> None:
    fail()


def fail_in_a_thread() -> None:
    fail()


def fail_in_a_slot() -> None:
    fail()


FAULTS = (
    lambda: QTimer.singleShot(0, fail_in_a_slot),
    lambda: threading.Thread(target=fail_in_a_thread).start(),
    lambda: asyncio.ensure_future(fail_in_a_task()),
    lambda: start(fail_in_a_started_task()),
)


async def use(way: str, reports: Reports) -> None:
    database = Database(data_folder())
    await asyncio.wrap_future(database.opened)
    bridge = EngineBridge(FakeEngine())
    window = MainWindow(Theme(), database, bridge, Recorder(database, bridge), data_dir=data_folder(), target="tiny")
    bridge.start()
    window.show()
    await window.open()
    tab = window.workspace.current
    assert tab is not None
    tab.composer.field.setPlainText(TEXT)
    tab.composer.submit()
    await until(lambda: len(tab.session.messages) == 2 and not tab.session.is_busy)
    if way == "abort":
        os.abort()
    for begin_fault in FAULTS:
        begin_fault()
    await until(lambda: len(reports.files.all) == len(FAULTS))
    window.leave()
    bridge.stop(5)
    database.close()


def main() -> None:
    application = Application(sys.argv[:1])
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with begin(data_folder()) as reports:
        reports.attend(loop)
        loop.run_until_complete(use(sys.argv[1], reports))
    sys.stdout.flush()
    os._exit(0)  # windows that were not ended in order are no part of this


if __name__ == "__main__":
    main()
