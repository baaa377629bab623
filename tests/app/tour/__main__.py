"""A tour of the window: saves each state as a picture, in both themes and three sizes.

Run: python -m tests.app.tour FOLDER [--real] [--mirrored] [--text-size PERCENT] [--only NAME ...]

The engine is a scripted one; with --real it is the engine with the starter model.
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
from PySide6.QtWidgets import QApplication

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.recorder import Recorder
from app.looks import change_looks
from app.settings.preferences import Looks, Settings
from app.tasks import finish
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from app.window import MainWindow
from engine.thread import EngineThread
from tests.app.fake_engine import FakeEngine
from tests.app.tour import chat_states, real, window_states
from tests.app.tour.camera import Camera

STATES = (
    chat_states.first_start,
    chat_states.running,
    chat_states.found,
    window_states.statistics,
    chat_states.reading,
    chat_states.ended_early,
    chat_states.thinking,
    chat_states.branched,
    window_states.sidebar,
    window_states.importing,
    window_states.damage,
    chat_states.read_again,
    window_states.quitting,
    window_states.cache,
    window_states.menus,
)


async def walk(camera: Camera, engine: FakeEngine, names: Sequence[str]) -> None:
    await camera.until(lambda: camera.window.chooser.facts is not None)
    for state in STATES:
        if not names or state.__name__ in names:
            await state(camera, engine)


async def tour(options: argparse.Namespace, data: Path) -> None:
    engine = EngineThread(data_dir=data) if options.real else FakeEngine()
    theme = Theme()
    theme.apply(LIGHT)
    change_looks(Settings(data), Looks(text_size=options.text_size))
    database = Database(data)
    if not options.real:
        await asyncio.wrap_future(database.run(window_states.add_chats))
    bridge = EngineBridge(engine)
    recorder = Recorder(database, bridge)
    window = MainWindow(theme, database, bridge, recorder, data_dir=data, target="starter")
    bridge.start()
    window.show()
    try:
        await window.open()
        camera = Camera(window, theme, options.folder)
        await (walk(camera, engine, options.only) if isinstance(engine, FakeEngine) else real.walk(camera))
    finally:
        window.leave()
        await finish()
        bridge.stop(5)
        recorder.flush()
        database.close()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--real", action="store_true", help="with the starter model")
    parser.add_argument("--mirrored", action="store_true", help="as under an interface language from right to left")
    parser.add_argument("--text-size", type=int, default=100, metavar="PERCENT")
    parser.add_argument(
        "--only", nargs="*", default=(), metavar="NAME", help="of " + ", ".join(one.__name__ for one in STATES)
    )
    return parser.parse_args()


def main() -> None:
    options = parse()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    application.setStyle("Fusion")
    if options.mirrored:
        application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop, tempfile.TemporaryDirectory() as data:
        loop.run_until_complete(tour(options, Path(data)))


if __name__ == "__main__":
    main()
