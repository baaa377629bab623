"""A tour of the window: saves each state as a picture, in both themes and three sizes.

Run: python -m tests.app.tour FOLDER [--real] [--mirrored] [--text-size PERCENT] [--only NAME ...]

The engine is a scripted one; with --real it is the engine with the starter model, and what only a script can bring
about is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import qasync
from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.recorder import Recorder
from app.frame.looks import change_looks
from app.settings.folders import data_folder
from app.settings.preferences import Looks, Settings
from app.tasks import finish
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from app.window import MainWindow
from engine.thread import EngineThread
from tests.app.tour import (
    chat_states,
    dialog_states,
    message_states,
    model_states,
    real_states,
    running_states,
    scripted_states,
    settings_states,
    shelf,
    window_states,
)
from tests.app.tour.answers import Answers, ScriptedAnswers
from tests.app.tour.camera import Camera
from tests.app.tour.saved import add_chats
from tests.app.tour.tour_engine import TourEngine

STATES = (
    chat_states.answered,
    chat_states.running,
    window_states.statistics,
    chat_states.found,
    chat_states.stopped,
    chat_states.reading,
    chat_states.composing,
    message_states.branched,
    message_states.checked,
    message_states.messages_deleted,
    message_states.attachment,
    window_states.told,
    window_states.menus,
    chat_states.gone_on,
    window_states.sidebar,
    window_states.searched,
    message_states.saved_replies,
    message_states.thought,
    message_states.document,
    dialog_states.importing,
    dialog_states.cache,
    dialog_states.settings,
    dialog_states.dialogs,
    dialog_states.quitting,
)
REAL_STATES = (real_states.drafters_here,)
SCRIPTED_STATES = (
    scripted_states.failed,
    scripted_states.explained,
    scripted_states.thinking,
    scripted_states.cache_paused,
    scripted_states.engine_failed,
    scripted_states.model_missing,
    settings_states.caches,
    settings_states.presets,
    settings_states.templates,
    settings_states.shortcuts,
    settings_states.data_moved,
    settings_states.drafters,
    model_states.models,
    model_states.downloading,
    model_states.finding,
    model_states.deleting,
    model_states.none_here,
    running_states.chips,
    running_states.palette,
    running_states.palette_over_window,
    running_states.loads,
    running_states.memory_short,
    running_states.model_gone,
    running_states.no_model,
    running_states.report,
)


async def walk(camera: Camera, answers: Answers, database: Database, names: Sequence[str]) -> None:
    await chat_states.first_start(camera, answers)
    await asyncio.wrap_future(database.run(add_chats))
    await camera.window.catalogue.refresh()
    real = () if isinstance(answers, ScriptedAnswers) else REAL_STATES
    for state in (*STATES, *real):
        if not names or state.__name__ in names:
            await state(camera, answers)
    for scripted in SCRIPTED_STATES:
        if isinstance(answers, ScriptedAnswers) and (not names or scripted.__name__ in names):
            await scripted(camera, answers)


async def tour(options: argparse.Namespace, data: Path) -> None:
    engine = EngineThread(data_dir=data) if options.real else TourEngine()
    answers = ScriptedAnswers(engine) if isinstance(engine, TourEngine) else Answers()
    theme = Theme()
    theme.apply(LIGHT)
    change_looks(Settings(data), Looks(text_size=options.text_size))
    database = Database(data)
    bridge = EngineBridge(engine)
    recorder = Recorder(database, bridge)
    window = MainWindow(theme, database, bridge, recorder, data_dir=data, target="starter")
    bridge.start()
    window.show()
    QCursor.setPos(window.screen().geometry().bottomRight())  # or what lies under it would be shown as hovered
    try:
        await window.open()
        await walk(Camera(window, theme, options.folder), answers, database, options.only)
    finally:
        window.leave()
        await finish()
        bridge.stop(5)
        recorder.flush()
        database.close()


def move_in(home: Path, *, has_models: bool) -> Path:
    """Have a home folder of the tour's own, with models in it or not; returns the data folder."""
    for name in [name for name in os.environ if name.startswith(("HF_", "HUGGINGFACE_", "XDG_", "SLIPSTREAM_"))]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    if has_models:
        shelf.fill(home)
    return data_folder()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    names = [state.__name__ for state in (*STATES, *REAL_STATES)] + [state.__name__ for state in SCRIPTED_STATES]
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--real", action="store_true", help="with the starter model")
    parser.add_argument("--mirrored", action="store_true", help="as under an interface language from right to left")
    parser.add_argument("--text-size", type=int, default=100, metavar="PERCENT")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="of " + ", ".join(names))
    return parser.parse_args()


def main() -> None:
    options = parse()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "xcb" if os.environ.get("DISPLAY") else "offscreen")
    application = QApplication([])
    application.setStyle("Fusion")
    application.setQuitOnLastWindowClosed(False)  # the end of what runs is waited for
    if options.mirrored:
        application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop, tempfile.TemporaryDirectory() as home:
        loop.run_until_complete(tour(options, move_in(Path(home), has_models=not options.real)))


if __name__ == "__main__":
    main()
