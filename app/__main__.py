"""The `slipstream` command: opens the window, and at its end stops everything in order."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication, QMessageBox

from app.application import Application
from app.arguments import parse_arguments
from app.bridge import EngineBridge, EngineLike
from app.conversations.database import Database
from app.conversations.opening import StorageError
from app.conversations.recorder import Recorder
from app.conversations.restoring import SetAside
from app.desktop.desktop import make_desktop
from app.opening.opener import Opener, absolute, look_for
from app.parts.updates import begin_updates
from app.reports.reports import Reports, begin
from app.reports.showing import WindowReports
from app.settings.folders import DataFolderError, named_folder
from app.settings.missing_folder import ask_what_to_do, find_folder
from app.settings.moving import finish_move
from app.system.frozen import bundle_folder, free_children
from app.system.garbage import GarbageCollector
from app.system.single import Handed, SingleInstance
from app.tasks import finish, start
from app.theme.theme import Theme
from app.upkeep.damage import tell_damage
from app.upkeep.unmoved import tell_unmoved
from app.window import MainWindow
from engine.thread import EngineThread

logger = logging.getLogger(__name__)
STOP_SECONDS = 8.0  # for the engine to end a step and write what its prompt cache still holds
LEAVE_SECONDS = 20.0  # for another start of the program that has closed its window to save all and to end
CAME_FORWARD = "Slipstream is open with this data folder already; its window has come forward."
UNSEEN_PLATFORMS = ("offscreen", "minimal")


class WindowError(Exception):
    """The program cannot go on; the text is a sentence for the user."""


def main(options: argparse.Namespace) -> int:
    """`options` are those of `parse_arguments`; returns the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    application = make_application()
    try:
        return _run(application, options)
    except WindowError as error:
        _tell(str(error))
        return 1


def make_application() -> QApplication:
    """The one of this process, made where there is none."""
    application = QApplication.instance() or Application(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Slipstream")
    application.setDesktopFileName("slipstream")
    application.setQuitOnLastWindowClosed(False)
    if sys.platform != "darwin":
        application.setStyle("Fusion")
    free_children(bundle_folder())
    return application


def _run(application: QApplication, options: argparse.Namespace) -> int:
    folder = _data_folder()
    if folder is None:
        return 1
    instance = SingleInstance(folder)
    handed = Handed(target_of(options.model), options.drafter or "", absolute(options.paths))
    if not instance.take() and _is_left_to_other(instance, handed):
        print(CAME_FORWARD)
        return 0
    folder, instance = _moved(folder, instance)
    try:
        with begin(folder, expected=(WindowError,)) as reports:
            return _run_reported(application, options, folder, instance, reports)
    finally:
        instance.release()


def _run_reported(
    application: QApplication, options: argparse.Namespace, folder: Path, instance: SingleInstance, reports: Reports
) -> int:
    # Never closed: an automatic collection inside the end of one QObject, which Qt has locked, may end another one
    # under the same lock, and the process would wait for itself for ever.
    garbage = GarbageCollector(application)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    reports.attend(loop)
    engine = EngineThread(data_dir=folder)
    with loop:
        try:
            paths = absolute(options.paths)
            window = run_window(options.model, options.drafter or "", folder, instance, engine, reports, paths)
            return int(loop.run_until_complete(window))
        finally:
            garbage.collect()


def _data_folder() -> Path | None:
    """None where it is not there and the user would rather quit."""
    try:
        return find_folder(ask_what_to_do if _has_display() else None)
    except DataFolderError as error:
        raise WindowError(str(error)) from error


def _moved(folder: Path, instance: SingleInstance) -> tuple[Path, SingleInstance]:
    """The folder that the data was moved to since the last start, and the hold on it."""
    if named_folder() is not None or (moved := finish_move(folder)) == folder:
        return folder, instance
    other = SingleInstance(moved)
    has_taken = other.take()
    if has_taken:
        instance.hand_on(other)  # that the data was being moved took a while
    instance.release()
    if not has_taken:
        raise WindowError("Slipstream is already running with the folder that its data was moved to. Close it first.")
    return moved, other


def _is_left_to_other(instance: SingleInstance, handed: Handed) -> bool:
    """False where the other one, which was about to end, has ended, and the instance is this one."""
    if instance.raise_other(handed):
        return True
    if instance.take(LEAVE_SECONDS):
        return False
    raise WindowError("Slipstream is already running with this data folder. Close it first, or use its window.")


def _tell(sentence: str) -> None:
    """On the terminal, and in a box where there is a display: an icon that was clicked has no terminal."""
    print(sentence, file=sys.stderr)
    if _has_display():
        QMessageBox.critical(None, "Slipstream", sentence)


def _has_display() -> bool:
    return QApplication.platformName() not in UNSEEN_PLATFORMS


def target_of(model: str | None) -> str:
    """What `--model` names as a target: a path that exists made absolute, any other name as it is, "" for none."""
    if not model:
        return ""
    path = Path(os.path.expanduser(model))
    return str(path.resolve()) if path.exists() else model


async def run_window(
    model: str | None,
    drafter: str,
    folder: Path,
    instance: SingleInstance,
    engine: EngineLike,
    reports: Reports | None = None,
    paths: Sequence[str] = (),
) -> int:
    """Open the window, wait for its end, then stop: replies first, so that all of them are saved."""
    database = Database(folder)
    set_aside = await _open(database)
    bridge = EngineBridge(engine)
    recorder = Recorder(database, bridge)
    theme = Theme()
    theme.follow_system()
    desktop = make_desktop()
    given = await look_for(paths)
    target = target_of(model) or given.model
    window = MainWindow(
        theme, database, bridge, recorder, data_dir=folder, target=target, drafter=drafter, desktop=desktop
    )
    if reports is not None:
        window.workspace.alike.do_to_each(WindowReports(reports, window.notes, window).attend)
    bridge.start()
    opener = Opener(window, given)
    instance.follow(opener.take_over)
    window.closed.connect(instance.stop_answering)
    try:
        await _use(window, bridge, set_aside, opener)
    except asyncio.CancelledError:
        logger.info("the window's loop was cancelled")
    finally:
        is_saved = _stop(window, bridge, recorder, database)
        desktop.close()
    if not is_saved:
        raise WindowError("The end of a running reply could not be saved. What was saved before is kept.")
    return 0


async def _open(database: Database) -> SetAside | None:
    """Wait until conversations can be read; returns the damaged file that was set aside, None where all is well."""
    try:
        await asyncio.wrap_future(database.opened)
        await asyncio.wrap_future(database.run(lambda store: store.mark_cut_off()))
    except (sqlite3.Error, StorageError) as error:
        database.close()
        raise WindowError(str(error)) from error
    return database.set_aside


async def _use(window: MainWindow, bridge: EngineBridge, set_aside: SetAside | None, opener: Opener) -> None:
    """Show the window until it is closed and all that it began has ended, or has had its time to."""
    ended = asyncio.Event()
    window.closed.connect(ended.set)
    _quit_on_signals(ended)
    application = QApplication.instance()
    if isinstance(application, Application):
        application.quit_asked.connect(window.close)
    if set_aside is not None:
        tell_damage(window.notes, set_aside)
    else:
        start(window.cache_keeper.keep_all())
    start(tell_unmoved(window.notes))
    window.show()
    await window.open()
    opener.begin()
    begin_updates(window)
    await ended.wait()
    window.leave()
    await window.plan.come_to_rest()
    bridge.refuse_questions()
    await finish()


def _quit_on_signals(ended: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, ended.set)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(ended.set))


def _stop(window: MainWindow, bridge: EngineBridge, recorder: Recorder, database: Database) -> bool:
    """False where a reply was not saved."""
    if not bridge.stop(STOP_SECONDS):
        logger.error("the engine did not end within %.0f s", STOP_SECONDS)
    is_saved = recorder.flush()
    database.close()
    window.workspace.save()
    window.deleteLater()
    return is_saved


if __name__ == "__main__":
    sys.exit(main(parse_arguments(sys.argv[1:])))
