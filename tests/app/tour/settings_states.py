"""The states of the settings' pages that come of what was done there, or of what the engine knows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import replace

from app.parts.settings import MODELS, TEMPLATES
from app.settings.drafters.candidate import Candidate
from app.settings.drafters.measurements import ALONE, TOGETHER, Measurement
from app.settings.drafters.picker import Picker
from app.settings.key_list import KeyList
from app.settings.privacy_page import PrivacyPage
from app.settings.shortcuts_page import ShortcutsPage
from app.settings.templates_page import TemplatesPage
from app.settings.window import SettingsWindow
from app.system.machine import program_version, system_version
from engine.messages import CacheReport
from tests.app.tour import shelf
from tests.app.tour.answers import ScriptedAnswers
from tests.app.tour.camera import Camera
from tests.app.tour.scripts import REPLY, REPORT

DAY = 86_400
SPEEDS = {  # of drafters of Qwen3 8B: with one reply, with four at once, how many days ago
    "ngram": (1.2, 1.1, 3),
    "suffix": (1.3, 1.2, 3),
    shelf.SMALLEST: (1.5, 0.9, 3),
    shelf.DFLASH: (2.1, 1.6, 0),
}
PROMPT = "You help with a thesis about lakes. Answer in full sentences, name your units, and say what you do not know."


def window_of(camera: Camera) -> SettingsWindow:
    window = camera.window.settings_pages.window
    assert window is not None
    return window


async def drafters(camera: Camera, answers: ScriptedAnswers) -> None:
    """Before anything was measured, then measured, then while one is measured and while that waits."""
    window = camera.window
    target = shelf.entry_of(shelf.QWEN)
    await choose_model(camera, target)
    picker = window.drafters.picker
    window.models.planner.use_drafter("")
    await camera.until(lambda: len(picker.candidates.of(target).misfits) > 2)
    window.drafters.show_drafters(target)
    window_of(camera).resize(1040, 980)
    await camera.shoot_widget("drafters-unmeasured", window_of(camera))
    keep_measurements(picker, target)
    await camera.shoot_widget("drafters-measured", window_of(camera))
    await shoot_sizes(camera, "drafters")
    picker.measure(target, chosen(picker, target, shelf.SMALL, shelf.EAGLE))
    await camera.until(lambda: bool(picker.measuring.progress and picker.measuring.progress.num_done == 2))
    await camera.shoot_widget("drafters-measuring", window_of(camera))
    await measure_while_a_reply_runs(camera, answers, picker)
    picker.measuring.stop()
    await camera.until(lambda: not picker.measuring.is_any)
    window.settings_pages.close()


async def measure_while_a_reply_runs(camera: Camera, answers: ScriptedAnswers, picker: Picker) -> None:
    answers.begin(REPLY[:60])
    camera.window.workspace.new_tab().composer.field.setPlainText("Go on")
    camera.tab.composer.submit()
    await camera.until(lambda: bool(picker.measuring.progress and picker.measuring.progress.is_waiting))
    await camera.shoot_widget("drafters-waiting", window_of(camera))
    camera.tab.stop()
    await camera.rest(answers.seconds)
    camera.window.actions_of_window.close.trigger()


def chosen(picker: Picker, target: str, *names: str) -> Iterable[Candidate]:
    return [one for one in picker.candidates.of(target).fitting if shelf.name_of(one.path) in names]


def keep_measurements(picker: Picker, target: str) -> None:
    """The suffix drafter's is of an earlier version of the program."""
    scan = picker.candidates.of(target)
    for one in scan.fitting:
        speeds = SPEEDS.get(shelf.name_of(one.path) if one.path else one.drafter)
        if speeds is None:
            continue
        program = "0.0.1" if one.drafter == "suffix" else program_version()
        alone, together, days = speeds
        first = Measurement(
            *(target, one.drafter, ALONE, alone, 41.3, time.time() - days * DAY, 100.0),
            *(program, system_version(), scan.state, one.state),
        )
        picker.measurements.keep([first, replace(first, num_replies=TOGETHER, speedup=together, plain_rate=103.0)])


async def choose_model(camera: Camera, target: str) -> None:
    chooser = camera.window.chooser
    chooser.choose(target)
    await camera.until(lambda: chooser.is_loaded and chooser.facts is not None)
    await asyncio.sleep(0.3)


async def shoot_sizes(camera: Camera, name: str) -> None:
    """A page in the settings' usual size and in the smallest."""
    for size, ending in (((1040, 800), ""), ((1, 800), "-narrow")):
        window_of(camera).resize(*size)
        await asyncio.sleep(0.1)
        await camera.shoot_widget(f"{name}{ending}", window_of(camera))
    window_of(camera).resize(1040, 980)


async def caches(camera: Camera, answers: ScriptedAnswers) -> None:
    """Full to the budget, then with nothing in it."""
    pages = camera.window.settings_pages
    for name, report in (
        ("cache-full", replace(REPORT, disk_bytes=REPORT.budget_bytes, drafter_bytes=1_200_000_000)),
        ("cache-empty", CacheReport(folder=REPORT.folder, budget_bytes=REPORT.budget_bytes)),
    ):
        answers.engine.report = report
        page = pages.show_cache()
        assert page is not None
        await page.refresh()
        await camera.shoot_widget(name, window_of(camera))
        pages.close()
    answers.engine.report = REPORT


async def templates(camera: Camera, answers: ScriptedAnswers) -> None:
    """As the model has it, then with a fault, then another that is used."""
    camera.window.plan.show_template(shelf.entry_of(shelf.QWEN))
    page = window_of(camera).made_page(TEMPLATES)
    assert isinstance(page, TemplatesPage)
    await asyncio.sleep(0.5)  # or what is shown may be that of another model
    await camera.until(lambda: page.figures.text() != "")
    own = page.editor.toPlainText()
    await camera.shoot_widget("template", window_of(camera))
    page.editor.setPlainText(own.replace("message.content }}", "content }}"))
    await camera.until(lambda: not page.problem.isHidden())
    await camera.shoot_widget("template-fault", window_of(camera))
    page.editor.setPlainText(own.replace("assistant", "assistant "))
    await camera.until(lambda: page.problem.isHidden())
    await camera.shoot_widget("template-other", window_of(camera))
    page.use_own.click()
    camera.window.settings_pages.close()


async def presets(camera: Camera, answers: ScriptedAnswers) -> None:
    """One of three, then after one was deleted."""
    kept = camera.window.models.planner.presets
    fields = {"temperature": 0.2, "top_p": 0.9, "seed": 7, "stops": ("###",), "max_tokens": 2048}
    for name, prompt in (("Thesis", PROMPT), ("Translate into plain German", "Translate."), ("Rust review", "")):
        kept.change(replace(kept.add(), name=name, system_prompt=prompt, **fields if name == "Thesis" else {}))
    camera.window.plan.show_presets(kept.all[1].id)
    await asyncio.sleep(0.3)
    await camera.shoot_widget("presets", window_of(camera))
    window_of(camera).resize(1, 800)
    await camera.shoot_widget("presets-narrow", window_of(camera))
    window_of(camera).resize(1040, 980)
    page = window_of(camera).made_page(MODELS)
    camera.window.plan.show_presets(kept.all[3].id)
    page.delete.click()  # type: ignore[union-attr]
    await camera.shoot_widget("preset-deleted", window_of(camera))
    camera.window.settings_pages.close()


async def shortcuts(camera: Camera, answers: ScriptedAnswers) -> None:
    """While keys are pressed, and when they are those of another action."""
    camera.window.settings_pages.show("Shortcuts")
    page = window_of(camera).made_page("Shortcuts")
    assert isinstance(page, ShortcutsPage)
    keys: KeyList = page.list
    keys.keys.choose("tint", "Ctrl+Alt+J")
    keys.record("palette")
    await camera.shoot_widget("shortcut-recorded", window_of(camera))
    keys.record("")
    keys.told.emit(keys.keys.choose("palette", "Ctrl+D"))
    await camera.shoot_widget("shortcut-clash", window_of(camera))
    keys.keys.restore("tint")
    page.search.setText("no such action")
    await camera.shoot_widget("shortcuts-nothing", window_of(camera))
    page.search.clear()
    camera.window.settings_pages.close()


async def data_moved(camera: Camera, answers: ScriptedAnswers) -> None:
    """A folder that is not empty, then one that the data is copied to."""
    camera.window.settings_pages.show("Data and privacy")
    page = window_of(camera).made_page("Data and privacy")
    assert isinstance(page, PrivacyPage)
    await asyncio.sleep(0.3)
    taken, free = (camera.window.settings.folder.parent / name for name in ("taken", "free"))
    taken.mkdir()
    (taken / "letter.txt").touch()
    await page.mover.move(taken)
    await camera.shoot_widget("data-refused", window_of(camera))
    await page.mover.move(free)
    await camera.shoot_widget("data-moved", window_of(camera))
    camera.window.settings_pages.close()
