"""A tour of the window with a scripted engine: saves each state as a picture, in both themes and three sizes.

Run: python -m tests.app.tour FOLDER
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication, QPushButton

from app.bridge import EngineBridge
from app.chat.draft import Draft
from app.conversations.database import Database
from app.conversations.recorder import Recorder
from app.settings.prompt_cache import CacheDialog
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT, Tokens
from app.window import MainWindow
from engine.messages import CachedConversation, CacheReport, Delta, Failed, Finished, Notice, Progress, Statistics
from tests.app.fake_engine import FakeEngine

REPLY = """It would freeze **from the bottom up**, and many lakes would never fully thaw.

Water is densest at about 4 °C. As a lake cools, surface water sinks until the whole column reaches 4 °C; below that, \
colder water stays on top and freezes there. See [the tables](https://example.org/ice), `density(t)` and these:

- near the surface, ice at about −5 °C
- in the middle, water at 1 to 3 °C
- at the floor, water at 4 °C

## In January

| Layer in January | With floating ice | If ice sank | Depth |
|---|---|---|--:|
| Surface | Ice, about −5 °C | Open water, 0 °C | 0.3 m |
| Middle | Water, 1 to 3 °C | Slush, 0 °C | 6 m |
| Floor | Water, 4 °C | Ice that summer cannot reach | 12 m |

1. First the surface cools.
2. Then it *sinks*.

> A pond is a small lake.

```rust
impl<'src> Parser<'src> {
    // The token borrows the source, not the parser.
    fn next(&mut self) -> Option<Token<'src>> {
        let end = rest.find(' ').unwrap_or(12);
        self.position += end + 1;
    }
}
```

Each winter would add another sheet to the floor. In summer, sunlight warms only the upper metres."""
SIZES = ((1320, 860), (900, 600), (480, 560))
STARTER = Statistics(num_prompt=118, num_cached=0)
CACHE_COUNTS = ("num_prompt", "num_cached", "num_read", "num_reread", "reread_reason")
REPORT = CacheReport(
    folder="/home/someone/.local/share/slipstream/prompt-cache",
    memory_bytes=412_000_000,
    memory_limit_bytes=2_000_000_000,
    disk_bytes=11_400_000_000,
    budget_bytes=20_000_000_000,
    written_today_bytes=1_230_000_000,
    daily_limit_bytes=50_000_000_000,
    conversations=tuple(CachedConversation(str(number), 900_000_000, 6_100) for number in range(12)),
)


def script_of(text: str, *, drafted: bool = True) -> list[Delta]:
    """Rounds of one to five tokens, with the statistics that such rounds give."""
    chance = random.Random(7)
    words = text.split(" ")
    deltas: list[Delta] = []
    place = proposed = accepted = 0
    while place < len(words):
        depth = 5 if drafted and chance.random() < 0.8 else 0
        kept = min(chance.randint(0, depth), len(words) - place - 1)
        piece = " ".join(words[place : place + kept + 1])
        ids = tuple(range(place, place + kept + 1))
        deltas.append(Delta(0, piece if not place else f" {piece}", ids, kept, STARTER))
        place += kept + 1
        proposed += depth
        accepted += kept
        rounds = len(deltas)
        statistics = replace(
            STARTER,
            num_tokens=place,
            num_rounds=rounds,
            num_proposed=proposed,
            num_accepted=accepted,
            proposed_by_position=(rounds,) * 5,
            accepted_by_position=tuple(rounds * share // 100 for share in (81, 63, 46, 31, 19)),
            acceptance_length=1 + accepted / max(1, rounds) if drafted else 0.0,
            tokens_per_forward=place / rounds,
            tokens_per_second=62.3,
            time_to_first_token_seconds=0.42,
            depth=5,
            speedup=1.9 if drafted else 0.0,
        )
        deltas[-1] = replace(deltas[-1], statistics=statistics)
    return deltas


class Tour:
    def __init__(self, window: MainWindow, engine: FakeEngine, theme: Theme, folder: Path) -> None:
        self.window = window
        self.engine = engine
        self.theme = theme
        self.folder = folder

    async def shoot(self, name: str) -> None:
        for tokens in (LIGHT, DARK):
            self.theme.apply(tokens)
            for size in SIZES:
                await self._shoot_one(name, tokens, size)
        self.theme.apply(LIGHT)
        self.window.resize(*SIZES[0])
        await asyncio.sleep(0.05)

    async def _shoot_one(self, name: str, tokens: Tokens, size: tuple[int, int]) -> None:
        self.window.resize(*size)
        await asyncio.sleep(0.1)
        shade = "dark" if tokens.is_dark else "light"
        self.window.grab().save(str(self.folder / f"{name}-{shade}-{size[0]}.png"))

    async def until(self, is_there: Callable[[], bool]) -> None:
        for _ in range(1000):
            if is_there():
                return
            await asyncio.sleep(0.01)
        raise TimeoutError("the tour waited in vain")

    async def ask(self, text: str) -> None:
        tab = self.window.workspace.current
        assert tab is not None
        before = len(tab.session.messages)
        tab.send(Draft(text))
        await self.until(lambda: len(tab.session.messages) >= before + 2 and not tab.session.is_busy)

    async def walk(self) -> None:
        engine, workspace = self.engine, self.window.workspace
        await self.window.open()
        await self.until(lambda: self.window.status.facts is not None)
        await self.shoot("first-start")
        self.window.resize(480, 400)
        await asyncio.sleep(0.1)
        self.window.grab().save(str(self.folder / "first-start-smallest.png"))
        engine.script = [*script_of(REPLY[:500]), Notice(0, "depth", "Depth 2 of 5: four replies share each forward.")]
        await self.ask("Why does ice float?")
        engine.script, engine.ending = script_of(REPLY), None
        tab = workspace.current
        assert tab is not None
        tab.send(Draft("And what would a lake look like in winter if ice sank? Tell me of every layer, from the top."))
        await self.until(lambda: len(tab.transcript.last_reply_text()) >= len(REPLY))
        await asyncio.sleep(0.4)
        await self.shoot("running")
        await self.other_states()

    async def other_states(self) -> None:
        engine, workspace = self.engine, self.window.workspace
        tab = workspace.current
        assert tab is not None
        tab.transcript.verticalScrollBar().setValue(240)
        tab.composer.field.setPlainText("Would the same hold for salt water?")
        tab.composer.submit()
        await self.shoot("scrolled-queued")
        tab.composer.take_next()
        second = workspace.new_tab()
        await self.shoot("empty")
        engine.script = [Progress(0, "reading", 11_400, 19_650, num_cached=6_214)]
        second.send(Draft("Rust lifetimes in the parser"))
        await self.until(lambda: second.transcript.last is not None and second.transcript.last.progress is not None)
        await self.shoot("reading")
        reason = "1,204 tokens were read again: the model's files changed."
        engine.when_stopped = Statistics(num_prompt=19_650, num_read=11_400, num_reread=1_204, reread_reason=reason)
        second.stop()
        await self.until(lambda: not second.session.is_busy)
        await self.shoot("stopped-reading")
        engine.when_stopped = Statistics()
        engine.script = script_of("Sunlight warms only the upper metres, so the ice on the floor would stay through")
        second.send(Draft("Rhyme scheme of the ghazal\nin two lines\n" + "and a long line " * 12))
        await self.until(lambda: second.transcript.last_reply_text().endswith("through"))
        second.stop()
        await self.until(lambda: not second.session.is_busy)
        await self.shoot("stopped")
        engine.script = []
        engine.ending = Failed(0, "context", "the prompt has 33,108 tokens; the context holds 32,768. Remove 340.")
        await self.ask("Once more")
        await self.shoot("failed")
        engine.script, engine.ending = (
            script_of("ملخص الاجتماع الأسبوعي في ثلاث نقاط", drafted=False),
            Finished(0, "length"),
        )
        await self.ask("ملخص الاجتماع الأسبوعي")
        await self.shoot("limit-arabic")
        await self.cache()
        await self.menus()

    async def cache(self) -> None:
        """A prompt that was read again, and the dialog on the prompt cache in each of its states."""
        engine, window = self.engine, self.window
        reason = "5,702 tokens were read again: they were removed to stay within the cache's budget."
        known = Statistics(num_prompt=16_332, num_cached=10_512, num_read=5_820, num_reread=5_702, reread_reason=reason)
        engine.script = [
            replace(one, statistics=replace(one.statistics, **{name: getattr(known, name) for name in CACHE_COUNTS}))
            for one in script_of(REPLY[:200])
        ]
        engine.ending = Finished(0, "stop")
        await self.ask("Go on")
        await self.shoot("read-again")
        engine.report = REPORT
        window.show_cache()
        await self.shoot_dialog("cache")
        dialog = window.findChild(CacheDialog)
        assert dialog is not None
        (clear,) = (button for button in dialog.findChildren(QPushButton) if button.text() == "Clear…")
        clear.click()
        await self.shoot_dialog("cache-clear")
        engine.report = replace(REPORT, problem="The disk is full, so prompts are not saved. Chats still are.")
        await asyncio.sleep(1.2)
        await self.shoot_dialog("cache-paused")
        dialog.close()
        await asyncio.sleep(0.1)

    async def shoot_dialog(self, name: str) -> None:
        await asyncio.sleep(0.2)
        dialog = self.window.findChild(CacheDialog)
        assert dialog is not None
        for tokens in (DARK, LIGHT):
            self.theme.apply(tokens)
            await asyncio.sleep(0.1)
            dialog.grab().save(str(self.folder / f"{name}-{'dark' if tokens.is_dark else 'light'}.png"))

    async def menus(self) -> None:
        window = self.window
        tab = window.workspace.current
        assert tab is not None
        for name, open_it in (
            ("drafters", tab.composer.open_drafters),
            ("menu", window.workspace.row.menu_button.click),
        ):
            open_it()
            await asyncio.sleep(0.1)
            popup = QApplication.activePopupWidget()
            assert popup is not None
            popup.grab().save(str(self.folder / f"{name}.png"))
            popup.close()
        window.sidebar.list.edit(window.sidebar.model.index(1))
        await self.shoot("rename")
        window.resize(*SIZES[2])
        window.shell.toggle_sidebar()
        await asyncio.sleep(0.1)
        window.grab().save(str(self.folder / "overlay.png"))


async def tour(folder: Path) -> None:
    engine = FakeEngine()
    theme = Theme()
    theme.apply(LIGHT)
    with tempfile.TemporaryDirectory() as data:
        database = Database(Path(data))
        bridge = EngineBridge(engine)
        recorder = Recorder(database, bridge)
        window = MainWindow(theme, database, bridge, recorder, data_dir=Path(data), target="starter")
        bridge.start()
        window.show()
        try:
            await Tour(window, engine, theme, folder).walk()
        finally:
            window.leave()
            bridge.stop(5)
            recorder.flush()
            database.close()


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    application.setStyle("Fusion")
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(tour(folder))


if __name__ == "__main__":
    main()
