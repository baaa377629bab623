"""The states that only a script brings about: the starter model neither fails nor thinks, and its disk is not full.

Engine failures, a model that cannot be loaded, why a prompt was read again or drafted less, a paused prompt cache, and
the controls of a template that lets thinking be chosen.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from engine.messages import Failed, ModelLoaded, Notice, Statistics, TemplateSwitch
from tests.app.fake_engine import facts_of
from tests.app.tour.answers import STOP, ScriptedAnswers
from tests.app.tour.camera import Camera
from tests.app.tour.scripts import CACHE_COUNTS, LIMIT_TEXT, REPLY, REPORT, THOUGHT, script_of

SWITCHES = (TemplateSwitch("enable_thinking", ("on", "off"), "on"),)
NO_MODEL = "the model's folder has no config.json; choose a folder of a model that mlx-lm can read"


async def failed(camera: Camera, answers: ScriptedAnswers) -> None:
    camera.window.workspace.new_tab()
    answers.play([], Failed(0, "context", LIMIT_TEXT))
    await camera.ask("Rhyme scheme of the ghazal\nin two lines\n" + "and a long line " * 12, answers.seconds)
    await camera.shoot("failed")


async def explained(camera: Camera, answers: ScriptedAnswers) -> None:
    """Why a reply was slower than it might be."""
    reason = "5,702 tokens were read again: they were removed to stay within the cache's budget."
    known = Statistics(num_prompt=16_332, num_cached=10_512, num_read=5_820, num_reread=5_702, reread_reason=reason)
    counts = {name: getattr(known, name) for name in CACHE_COUNTS}
    script = [replace(one, statistics=replace(one.statistics, **counts)) for one in script_of(REPLY[:200])]
    answers.play([*script, Notice(0, "depth", "Depth 2 of 5: four replies share each forward.")], STOP)
    await camera.ask("Go on", answers.seconds)
    await camera.shoot("explained")


async def thinking(camera: Camera, answers: ScriptedAnswers) -> None:
    """A model that thinks, and whose template lets that be chosen."""
    answers.engine.emit(ModelLoaded(0, replace(facts_of("starter"), switches=SWITCHES)))
    camera.window.workspace.new_tab()
    answers.play(script_of(f"<think>{THOUGHT}"), None)
    tab = camera.tab
    tab.composer.field.setPlainText("Does a lake freeze from below?")
    tab.composer.submit()
    await camera.until(lambda: tab.transcript.last is not None and tab.transcript.last.latest.num_tokens > 20)
    await camera.shoot("thinking")
    await camera.shoot_popup("menu-thinking", tab.composer.foot.thinking_chip.click)
    tab.stop()
    await camera.rest(answers.seconds)
    answers.engine.emit(ModelLoaded(0, facts_of("starter")))


async def cache_paused(camera: Camera, answers: ScriptedAnswers) -> None:
    problem = "The disk is full, so prompts are not saved. Chats still are."
    answers.engine.report = replace(REPORT, problem=problem)
    page = camera.window.settings_pages.show_cache()
    assert page is not None
    await camera.until(lambda: page.note.text == problem)
    await camera.shoot_widget("cache-paused", page)
    camera.window.settings_pages.close()
    answers.engine.report = REPORT


async def engine_failed(camera: Camera, answers: ScriptedAnswers) -> None:
    answers.engine.emit(Failed(0, "engine", "The engine stopped. Every chat is saved; start Slipstream again."))
    await asyncio.sleep(0.2)
    await camera.shoot("engine-failed")
    camera.window.upkeep.engine.start()
    await camera.until(lambda: camera.window.chooser.is_loaded)


async def model_missing(camera: Camera, answers: ScriptedAnswers) -> None:
    status = camera.window.chooser
    await camera.until(lambda: status.is_loaded)
    answers.engine.unloadable = {status.target: NO_MODEL}
    status.load()
    await camera.until(lambda: status.error != "")
    await camera.shoot("model-missing")
    answers.engine.unloadable = {}
    status.load()
    answers.engine.emit(ModelLoaded(0, answers.engine.make_facts(status.target)))
    await camera.until(lambda: status.is_loaded)
