"""The window's part of the self-test: the program's own window opens, loads the packaged model and closes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication

from app.__main__ import WindowError, make_application, run_window
from app.self_test.replies import CheckError
from app.system.garbage import GarbageCollector
from app.system.single import SingleInstance
from app.window import MainWindow
from engine.thread import EngineThread

LOOK_SECONDS = 0.05
LEAST_COLOURS = 20  # of the picture of a window with symbols and smooth text; an empty one has one
STEP = 3  # px between those that are looked at


def check_window(folder: Path) -> str:
    """What was seen of it, as words; `folder` is for its data. Raises CheckError."""
    application = make_application()
    garbage = GarbageCollector(application)  # never closed, as in the program itself
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    instance = SingleInstance(folder)
    if not instance.take():
        raise CheckError("a lock in a folder of its own could not be taken")
    with loop:
        try:
            return str(loop.run_until_complete(_open_and_close(folder, instance)))
        finally:
            instance.release()
            garbage.collect()


async def _open_and_close(folder: Path, instance: SingleInstance) -> str:
    running = asyncio.ensure_future(run_window(None, "", folder, instance, EngineThread(folder)))
    watching = asyncio.ensure_future(_look())
    await asyncio.wait((running, watching), return_when=asyncio.FIRST_COMPLETED)
    is_seen = watching.done()
    watching.cancel()
    if (window := _window()) is not None:
        window.leave()
    try:
        status = await running
    except WindowError as error:
        raise CheckError(str(error)) from error
    if status or not is_seen:
        raise CheckError(f"it ended by itself, with status {status}")
    return watching.result()


async def _look() -> str:
    while (window := _window()) is None or not window.chooser.is_loaded:
        if window is not None and window.chooser.error:
            raise CheckError(f"the model was not loaded in it: {window.chooser.error}")
        await asyncio.sleep(LOOK_SECONDS)
    picture = window.grab().toImage()
    width, height = picture.width(), picture.height()
    colours = {picture.pixel(x, y) for x in range(0, width, STEP) for y in range(0, height, STEP)}
    if len(colours) < LEAST_COLOURS:
        raise CheckError(f"its picture has {len(colours)} colours only: symbols or fonts are missing")
    return f"{width} × {height} px on the platform {QApplication.platformName()!r}, the model loaded behind it"


def _window() -> MainWindow | None:
    windows = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))
    return next((window for window in windows if window.isVisible()), None)
