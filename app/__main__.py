"""The `slipstream` command: opens the window, and at its end stops everything in order."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sqlite3
import sys
from concurrent.futures import CancelledError
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication

from app.bridge import EngineBridge, EngineLike
from app.conversations.database import Database
from app.conversations.opening import StorageError
from app.conversations.recorder import Recorder
from app.garbage import GarbageCollector
from app.model_status import STARTER
from app.settings.folders import data_folder
from app.single import SingleInstance
from app.tasks import finish
from app.theme.theme import Theme
from app.window import MainWindow
from engine.thread import EngineThread

logger = logging.getLogger(__name__)
STOP_SECONDS = 20.0


def main(argv: list[str] | None = None) -> int:
    options = _parse(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Slipstream")
    application.setDesktopFileName("slipstream")
    application.setQuitOnLastWindowClosed(False)
    if sys.platform != "darwin":
        application.setStyle("Fusion")
    folder = data_folder()
    instance = SingleInstance(folder)
    if not instance.take():
        return _leave_to_other(instance)
    # Never closed: an automatic collection inside the end of one QObject, which Qt has locked, may end another one
    # under the same lock, and the process would wait for itself for ever.
    garbage = GarbageCollector(application)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        try:
            return int(
                loop.run_until_complete(
                    run_window(options.model, options.drafter, folder, instance, EngineThread(data_dir=folder))
                )
            )
        finally:
            instance.release()
            garbage.collect()


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="slipstream", description="Chat with a model on this computer.")
    parser.add_argument("--model", metavar="PATH", help="a model folder, Hugging Face cache entry or GGUF file")
    parser.add_argument("--drafter", choices=("none", "ngram"), default="ngram", help="drafter of new chats")
    return parser.parse_args(argv)


def _leave_to_other(instance: SingleInstance) -> int:
    if instance.raise_other():
        return 0
    print("Slipstream is already running with this data folder. Close it first, or use its window.", file=sys.stderr)
    return 1


async def run_window(
    model: str | None, drafter: str, folder: Path, instance: SingleInstance, engine: EngineLike
) -> int:
    """Open the window, wait for its end, then stop: replies first, so that all of them are saved."""
    database = Database(folder)
    try:
        problem = await asyncio.wrap_future(database.opened)
        await asyncio.wrap_future(database.run(lambda store: store.mark_cut_off()))
    except (sqlite3.Error, StorageError) as error:
        print(error, file=sys.stderr)
        database.close()
        return 1
    bridge = EngineBridge(engine)
    recorder = Recorder(database, bridge)
    theme = Theme()
    theme.follow_system()
    target = str(Path(model).expanduser().resolve()) if model else STARTER
    window = MainWindow(theme, database, bridge, recorder, data_dir=folder, target=target, drafter=drafter)
    ended = asyncio.Event()
    window.closed.connect(ended.set)
    instance.raise_asked.connect(window.raise_window)
    _quit_on_signals(ended)
    bridge.start()
    window.show()
    await window.open()
    if problem and window.workspace.current is not None:
        window.workspace.current.show_trouble(problem)
    try:
        await ended.wait()
    except CancelledError:
        logger.info("the window's loop was cancelled")
    window.close()
    await finish()
    _stop(window, bridge, recorder, database)
    return 0


def _quit_on_signals(ended: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, ended.set)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(ended.set))


def _stop(window: MainWindow, bridge: EngineBridge, recorder: Recorder, database: Database) -> None:
    if not bridge.stop(STOP_SECONDS):
        logger.error("the engine did not end within %.0f s", STOP_SECONDS)
    recorder.flush()
    database.close()
    window.deleteLater()


if __name__ == "__main__":
    sys.exit(main())
