"""What the window costs on this machine: `python -m tests.benchmarks.window`.

A long chat is opened among thousands; then eight tabs stream at once, and the GUI thread's own CPU time is taken
between two waits of its event loop, also while other things are done in the window beside them. The offscreen platform
paints with the same rasterizer as a screen's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import qasync
from PySide6.QtCore import QAbstractEventDispatcher, Qt
from PySide6.QtTest import QTest

from app.application import Application
from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.recorder import Recorder
from app.conversations.records import Conversation, Message, new_id
from app.conversations.store import Store
from app.system.garbage import GarbageCollector
from app.tasks import finish
from app.theme.theme import Theme
from app.theme.tokens import DARK
from app.window import MainWindow
from tests.benchmarks.streaming_engine import FACTS, StreamingEngine, write_chat

NUM_TABS, RATE, SECONDS = 8, 200.0, 20.0
NUM_CHATS, NUM_LONG_TOKENS = 3_000, 300_000
TRIVIAL_SECONDS = 0.001  # a turn of the event loop that did next to nothing is no frame
LONG_TITLE = "A chat of 300,000 tokens"


@dataclass(eq=False)
class FrameClock:
    """CPU seconds of the GUI thread between two waits of its event loop; made and read on that thread.

    Turns of the loop that do not wait between them count as one, so a stretch of work cannot hide in pieces.
    """

    frames: list[float] = field(default_factory=list)
    _ended_at: float | None = None

    def attach(self) -> None:
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.aboutToBlock.connect(self._end)

    def _end(self) -> None:
        now = time.thread_time()
        if self._ended_at is not None:
            self.frames.append(now - self._ended_at)
        self._ended_at = now


@dataclass(frozen=True)
class Streaming:
    """Frames are turns of the event loop of at least TRIVIAL_SECONDS; milliseconds of CPU."""

    num_frames: int
    median_ms: float
    at_95_percent_ms: float
    at_99_5_percent_ms: float
    longest_ms: float
    share_of_core: float


async def longest_turn(clock: FrameClock, deed: Callable[[], object]) -> float:
    """Milliseconds of the longest turn of the loop in the second after a deed, the deed itself among them."""
    await asyncio.sleep(0.2)
    clock.frames.clear()
    deed()
    await asyncio.sleep(1.0)
    return round(1000 * max(clock.frames, default=0.0), 1)


async def until(is_there: Callable[[], bool], seconds: float = 60.0) -> float:
    """Seconds until something is so."""
    start = time.perf_counter()
    while not is_there():
        if time.perf_counter() - start > seconds:
            raise TimeoutError("the window did not come so far")
        await asyncio.sleep(0.001)
    return time.perf_counter() - start


async def begin_streaming(window: MainWindow, num_tabs: int) -> None:
    """Send one message in each of so many new tabs."""
    for _ in range(num_tabs):
        tab = window.workspace.new_tab()
        tab.composer.field.setPlainText("Write on and on about ice.")
        QTest.keyClick(tab.composer.field, Qt.Key.Key_Return)
        await until(lambda tab=tab: tab.session.running is not None)  # type: ignore[misc]
    await asyncio.sleep(1.0)


async def watch_streaming(window: MainWindow, clock: FrameClock, seconds: float, *, switches: bool) -> Streaming:
    """With `switches` another tab comes forward every second."""
    clock.frames.clear()
    began_at, cpu_at = time.perf_counter(), time.thread_time()
    while time.perf_counter() - began_at < seconds:
        await asyncio.sleep(1.0)
        if switches:
            window.workspace.step(1)
    share = (time.thread_time() - cpu_at) / (time.perf_counter() - began_at)
    frames = sorted(1000 * frame for frame in clock.frames if frame >= TRIVIAL_SECONDS)
    return Streaming(
        len(frames), at_share(frames, 0.5), at_share(frames, 0.95), at_share(frames, 0.995), frames[-1], share
    )


async def measure_deeds(window: MainWindow, theme: Theme, clock: FrameClock) -> dict[str, float]:
    """Longest turn, in milliseconds, of what is done while replies stream; the tab shown first was hidden till then."""
    workspace = window.workspace
    first = next(index for index, tab in enumerate(workspace.tabs) if tab.session.is_busy)
    deeds: dict[str, Callable[[], object]] = {
        "show a tab whose reply ran unseen": lambda: workspace.row.bar.setCurrentIndex(first),
        "change the theme": lambda: theme.apply(DARK),
        "change the text size": lambda: window.looks.step_text_size(1),
        "change it back": lambda: window.looks.step_text_size(0),
        "search all chats": lambda: window.sidebar.field.setText("molecule"),
        "end the search": lambda: window.sidebar.field.clear(),
        "open the inspector": window.statistics.toggle_inspector,
        "open the statistics": window.statistics.show_page,
        "open a new tab": workspace.new_tab,
    }
    return {words: await longest_turn(clock, deed) for words, deed in deeds.items()}


def at_share(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def fill(store: Store, num_chats: int, num_tokens: int) -> None:
    """Many short chats, and the long one among them."""
    for number in range(num_chats):
        is_long = number == num_chats - 5
        title = LONG_TITLE if is_long else f"Chat {number:,} on ice and water"
        conversation = Conversation(new_id(), title, FACTS.target, "none", float(number), float(number))
        store.create_conversation(conversation)
        parent = None
        for role, text in write_chat(number, num_tokens if is_long else 60):
            message = Message(new_id(), conversation.id, parent, role, text, created_at=float(number))
            store.add_message(message)
            parent = message.id


async def measure_opening(window: MainWindow) -> float:
    """Seconds from the click on the long chat to its end on the screen."""
    long = next(chat for chat in window.catalogue.conversations if chat.title == LONG_TITLE)
    start = time.perf_counter()
    window.workspace.open_chat(long.id)
    await until(lambda: window.workspace.current is not None and window.workspace.current.title == LONG_TITLE)
    tab = window.workspace.current
    assert tab is not None
    tab.transcript.viewport().grab()
    return time.perf_counter() - start


async def run(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    database = Database(folder)
    await asyncio.wrap_future(database.opened)
    await asyncio.wrap_future(database.run(lambda store: fill(store, NUM_CHATS, NUM_LONG_TOKENS)))
    bridge = EngineBridge(StreamingEngine(RATE))
    recorder = Recorder(database, bridge)
    theme = Theme()
    theme.follow_system()
    window = MainWindow(theme, database, bridge, recorder, data_dir=folder, target=FACTS.target, drafter="none")
    bridge.start()
    window.show()
    try:
        await window.open()
        start = time.perf_counter()
        await window.catalogue.refresh()
        window.sidebar.list.viewport().grab()
        listed = time.perf_counter() - start
        clock = FrameClock()
        clock.attach()
        opened = await measure_opening(window)
        longest = 1000 * max(clock.frames)
        await begin_streaming(window, options.tabs)
        streamed = await watch_streaming(window, clock, options.seconds, switches=options.switch)
        deeds = await measure_deeds(window, theme, clock)
        for tab in window.workspace.tabs:
            tab.stop()
        await until(lambda: not window.workspace.busy_sessions)
    finally:
        window.close()
        await finish()
        bridge.stop(5.0)
        recorder.flush()
        database.close()
    return {
        "listed_seconds": round(listed, 3),
        "opened_seconds": round(opened, 3),
        "longest_turn_of_opening_ms": round(longest, 1),
        "streaming": {name: round(value, 3) for name, value in asdict(streamed).items()},
        "longest_turns_ms": deeds,
    }


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tabs", type=int, default=NUM_TABS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--switch", action="store_true", help="bring another tab forward every second")
    return parser.parse_args()


def main() -> None:
    options = parse()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = Application([])
    garbage = GarbageCollector(application)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with tempfile.TemporaryDirectory() as folder, loop, suppress(RuntimeError):
        figures = loop.run_until_complete(run(options, Path(folder)))
        print(json.dumps(figures, indent=2))
    garbage.collect()


if __name__ == "__main__":
    main()
