"""The states of a chat: first start, running, waiting, stopped, failed, thinking, found, edited."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from app.chat.draft import Draft
from app.chat.find_bar import FindBar
from engine.messages import Failed, Finished, Notice, Progress, Statistics
from tests.app.fake_engine import FakeEngine
from tests.app.tour.camera import Camera
from tests.app.tour.scripts import CACHE_COUNTS, LIMIT_TEXT, REPLY, THOUGHT, script_of


async def first_start(camera: Camera, engine: FakeEngine) -> None:
    await camera.shoot("first-start")
    camera.window.resize(480, 400)
    await asyncio.sleep(0.1)
    camera.window.grab().save(str(camera.folder / "first-start-smallest.png"))


async def running(camera: Camera, engine: FakeEngine) -> None:
    depth = "Depth 2 of 5: four replies share each forward."
    engine.script = [*script_of(REPLY[:500]), Notice(0, "depth", depth)]
    await camera.ask("Why does ice float?")
    engine.script, engine.ending = script_of(REPLY), None
    tab = camera.tab
    tab.send(Draft("And what would a lake look like in winter if ice sank? Tell me of every layer, from the top."))
    await camera.until(lambda: len(tab.transcript.last_reply_text()) >= len(REPLY))
    await asyncio.sleep(0.4)
    await camera.shoot("running")
    tab.transcript.verticalScrollBar().setValue(240)
    tab.composer.field.setPlainText("Would the same hold for salt water?")
    tab.composer.submit()
    await camera.shoot("scrolled-queued")
    tab.composer.queued.take(Draft("Would the same hold for salt water?"))


async def found(camera: Camera, engine: FakeEngine) -> None:
    actions = camera.window.actions_of_window
    actions.tint.trigger()
    actions.find.trigger()
    bar = camera.tab.findChild(FindBar)
    assert bar is not None
    bar.field.setText("water")
    await asyncio.sleep(0.3)
    await camera.shoot("found-tinted")
    bar.close_bar()
    actions.tint.trigger()


async def reading(camera: Camera, engine: FakeEngine) -> None:
    tab = camera.window.workspace.new_tab()
    await camera.shoot("empty")
    engine.script = [Progress(0, "reading", 11_400, 19_650, num_cached=6_214)]
    tab.send(Draft("Rust lifetimes in the parser"))
    await camera.until(lambda: tab.transcript.last is not None and tab.transcript.last.progress is not None)
    await camera.shoot("reading")
    reason = "1,204 tokens were read again: the model's files changed."
    engine.when_stopped = Statistics(num_prompt=19_650, num_read=11_400, num_reread=1_204, reread_reason=reason)
    tab.stop()
    await camera.until(lambda: not tab.session.is_busy)
    await camera.shoot("stopped-reading")
    engine.when_stopped = Statistics()


async def ended_early(camera: Camera, engine: FakeEngine) -> None:
    tab = camera.tab
    engine.script = script_of("Sunlight warms only the upper metres, so the ice on the floor would stay through")
    tab.send(Draft("Rhyme scheme of the ghazal\nin two lines\n" + "and a long line " * 12))
    await camera.until(lambda: tab.transcript.last_reply_text().endswith("through"))
    tab.stop()
    await camera.until(lambda: not tab.session.is_busy)
    await camera.shoot("stopped")
    engine.script, engine.ending = [], Failed(0, "context", LIMIT_TEXT)
    await camera.ask("Once more")
    await camera.shoot("failed")
    engine.script = script_of("ملخص الاجتماع الأسبوعي في ثلاث نقاط", drafted=False)
    engine.ending = Finished(0, "length")
    await camera.ask("ملخص الاجتماع الأسبوعي")
    await camera.shoot("limit-arabic")


async def thinking(camera: Camera, engine: FakeEngine) -> None:
    camera.window.workspace.new_tab()
    engine.script, engine.ending = script_of(f"<think>{THOUGHT}</think>{REPLY[:400]}"), Finished(0, "stop")
    await camera.ask("Does a lake freeze from below? Price in total: $5 and $7; the density is $\\rho(t)$.")
    await camera.shoot("thought")


async def branched(camera: Camera, engine: FakeEngine) -> None:
    tab = camera.tab
    engine.script = script_of("It freezes from the top, since ice is lighter: $$\\rho = \\frac{m}{V}$$")
    camera.window.actions_of_window.again.trigger()
    await camera.until(lambda: tab.session.is_busy)
    await camera.until(lambda: not tab.session.is_busy)
    await camera.shoot("branches")
    camera.window.actions_of_window.edit_last.trigger()
    await camera.shoot("editing")
    tab.composer.end_edit()


async def read_again(camera: Camera, engine: FakeEngine) -> None:
    reason = "5,702 tokens were read again: they were removed to stay within the cache's budget."
    known = Statistics(num_prompt=16_332, num_cached=10_512, num_read=5_820, num_reread=5_702, reread_reason=reason)
    counts = {name: getattr(known, name) for name in CACHE_COUNTS}
    engine.script = [replace(one, statistics=replace(one.statistics, **counts)) for one in script_of(REPLY[:200])]
    engine.ending = Finished(0, "stop")
    await camera.ask("Go on")
    await camera.shoot("read-again")
