"""The states of models around a chat: chips and palette, loads, waits, what is gone, and the first page again."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu

from app.chat.draft import Draft
from app.palette.palette import CommandPalette
from app.popover.popover import Popover
from app.reports.report_window import ReportWindow
from engine.messages import STARTER, Notice, Progress
from tests.app.tour import shelf
from tests.app.tour.answers import ScriptedAnswers
from tests.app.tour.camera import SIZES, Camera
from tests.app.tour.scripts import REPLY
from tests.app.tour.settings_states import choose_model, keep_measurements
from tests.app.tour.tour_engine import TourEngine

WAITS = "A third reply at 32,768 tokens needs 4.8 GB more; 2.1 GB is free. It starts when another ends."


async def chips(camera: Camera, answers: ScriptedAnswers) -> None:
    """What the chips of a chat open, with all that does not fit."""
    window = camera.window
    target = shelf.entry_of(shelf.QWEN)
    window.workspace.new_tab()
    await choose_model(camera, target)
    window.models.planner.use_drafter("")
    picker = window.drafters.picker
    await camera.until(lambda: len(picker.candidates.of(target).misfits) > 2)
    keep_measurements(picker, target)
    await camera.shoot("chips")
    composer = camera.tab.composer
    composer.foot.model_chip.click()
    popover = shown(Popover)
    await shoot_rows(camera, "popover-model", popover)
    for words, name in (("Preset", "popover-presets"), ("Context", "popover-contexts")):
        choose(popover, words)
        menu = popover.findChildren(QMenu)[-1]
        await camera.shoot_widget(name, menu)
        menu.close()
    popover.close()
    composer.open_drafters()
    popover = shown(Popover)
    await shoot_rows(camera, "popover-drafters", popover)
    choose(popover, next(row.words for row in popover.list.rows.rows if row.words.endswith("do not fit")))
    await shoot_rows(camera, "popover-misfits", popover)
    popover.close()
    window.actions_of_window.close.trigger()


def shown(kind: type[Popover] | type[CommandPalette]) -> Popover:
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, kind)
    return popup  # type: ignore[return-value]


def choose(popover: Popover, words: str) -> None:
    rows = popover.list.rows
    popover.list.clicked.emit(rows.index([row.words for row in rows.rows].index(words), 0))


async def shoot_rows(camera: Camera, name: str, popover: Popover) -> None:
    await asyncio.sleep(0.2)
    await camera.shoot_widget(name, popover)


async def palette(camera: Camera, answers: ScriptedAnswers) -> None:
    camera.window.actions_of_window.palette.trigger()
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, CommandPalette)
    for typed, name in (("", ""), ("th", "-typed"), ("qwen", "-models"), ("lattice", "-nothing")):
        popup.field.setText(typed)
        await camera.shoot_widget(f"palette{name}", popup)
    popup.close()


async def loads(camera: Camera, answers: ScriptedAnswers) -> None:
    """A model on its way, with Stop; one that waits for replies; a reply that waits for memory."""
    window, engine = camera.window, answers.engine
    window.workspace.new_tab()
    engine.holds_loads = True
    window.chooser.choose(shelf.entry_of(shelf.BIG))
    engine.emit(Progress(await request_for(camera, engine, shelf.BIG), "loading", 9_300_000_000, 18_600_000_000))
    await camera.until(lambda: "of" in window.chooser.words)
    await camera.shoot("loading-model")
    window.chooser.stop()
    await camera.until(lambda: not window.chooser.is_loading)
    await camera.shoot("load-stopped")
    engine.holds_loads = False
    await choose_model(camera, shelf.entry_of(shelf.QWEN))
    await wait_for_replies(camera, answers)
    engine.holds_loads = False
    engine.finish_loads()


async def request_for(camera: Camera, engine: TourEngine, name: str) -> int:
    """The load of a model, which is looked at before."""
    target = shelf.entry_of(name)
    await camera.until(lambda: engine.loads[-1].target == target)
    return engine.loads[-1].request_id


async def wait_for_replies(camera: Camera, answers: ScriptedAnswers) -> None:
    window, engine = camera.window, answers.engine
    answers.begin(REPLY[:200])
    await camera.begin(Draft("What would a lake look like in winter if ice sank?"), 60, answers.seconds)
    engine.holds_loads = True
    window.chooser.choose(shelf.entry_of(shelf.BIG))
    engine.emit(Progress(await request_for(camera, engine, shelf.BIG), "waiting", 0, 0))
    await camera.until(lambda: "when" in window.chooser.words)
    await camera.shoot("switch-waiting")
    window.chooser.choose(shelf.entry_of(shelf.QWEN))
    camera.tab.stop()
    await camera.rest(answers.seconds)


async def memory_short(camera: Camera, answers: ScriptedAnswers) -> None:
    """A reply that waits for memory."""
    answers.play([Notice(0, "memory", WAITS)], None)
    tab = camera.window.workspace.new_tab()
    tab.send(Draft("Compare the two drafts of the methods section."))
    await camera.until(lambda: tab.transcript.last is not None and tab.transcript.last.progress is not None)
    await camera.shoot("memory-waiting")
    tab.stop()
    await camera.rest(answers.seconds)


async def model_gone(camera: Camera, answers: ScriptedAnswers) -> None:
    """The folder of the model that is chosen is not there: the one before answers again; then that is gone too."""
    window = camera.window
    window.workspace.new_tab()
    gone = str(window.settings.folder.parent / "disk" / "Qwen3-14B-4bit")
    reason = f"Nothing found at {gone!r}: its disk may not be connected."
    answers.engine.unloadable = {gone: reason}
    window.chooser.choose(gone)
    await camera.until(lambda: window.chooser.target != gone and window.chooser.is_loaded)
    await asyncio.sleep(0.3)
    await camera.shoot("model-gave-way")
    answers.engine.unloadable = {gone: reason, window.chooser.target: reason}
    window.chooser.choose(gone)
    await camera.until(lambda: window.chooser.error != "")
    await asyncio.sleep(0.3)
    await camera.shoot("model-gone")
    window.library.show_page()
    await asyncio.sleep(0.3)
    await camera.shoot("models-gone")
    window.actions_of_window.close.trigger()
    answers.engine.unloadable = {}
    await choose_model(camera, STARTER)


async def no_model(camera: Camera, answers: ScriptedAnswers) -> None:
    window = camera.window
    window.actions_of_window.welcome.trigger()
    await camera.shoot("welcome-again")
    window.welcome.take_models(())
    camera.tab.composer.field.setPlainText("Why does ice float?")
    await camera.shoot("no-model")
    camera.tab.composer.field.clear()
    window.welcome.take_models(window.library.library.models)
    window.actions_of_window.close.trigger()


async def report(camera: Camera, answers: ScriptedAnswers) -> None:
    window = camera.window
    window.actions_of_window.write_report.trigger()
    await camera.until(lambda: window.findChild(ReportWindow) is not None)
    await camera.shoot_dialog("report", lambda: None, ReportWindow)


async def palette_over_window(camera: Camera, answers: ScriptedAnswers) -> None:
    """Where it stands, on the screen."""
    window = camera.window
    window.resize(*SIZES[0])
    window.actions_of_window.palette.trigger()
    await asyncio.sleep(0.2)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    place = popup.mapToGlobal(QPoint()) - window.mapToGlobal(QPoint())
    whole = window.grab()
    popup.render(whole, place)
    whole.save(str(camera.folder / "palette-place.png"))
    popup.close()
