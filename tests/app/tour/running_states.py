"""Living with models all day: what the first page offers, a load, a wait for memory, the chip's popover, no model."""

from __future__ import annotations

from dataclasses import dataclass

from app.popover.popover import Popover
from engine.messages import Notice, Progress
from tests.app.tour.answers import ScriptedAnswers
from tests.app.tour.camera import Camera

MEMORY = "A third reply at 32,768 tokens needs 4.8 GB more; 2.1 GB is free. It starts when another ends."


@dataclass(frozen=True, slots=True)
class Found:
    target: str
    name: str
    num_bytes: int
    refusal: str = ""
    quantisation: str = "4-bit"
    place: str = "Hugging Face cache"
    kind: str = "hub"


FOUND = (
    Found("starter", "SmolLM2 135M", 98_000_000),
    Found("/models/qwen", "Qwen3 8B", 4_600_000_000),
    Found("/models/large", "Qwen3 32B", 18_600_000_000, "Needs 31.2 GB; 27.0 GB is allowed."),
    Found("/models/llama", "Llama 3.2 3B", 1_800_000_000, place="LM Studio folder", kind="lm-studio"),
)


async def welcome(camera: Camera, answers: ScriptedAnswers) -> None:
    camera.window.chooser.load_rate = 1.2e9
    camera.window.welcome.take_models(FOUND)
    camera.window.welcome.show()
    await camera.shoot("welcome")


async def model_popover(camera: Camera, answers: ScriptedAnswers) -> None:
    popovers = camera.window.models.popovers
    popovers.models, popovers.refusal_of = lambda: FOUND, lambda model: model.refusal
    popover: Popover = popovers.open(camera.tab)
    await camera.shoot_widget("model-popover", popover)
    popover.close()


async def model_loading(camera: Camera, answers: ScriptedAnswers) -> None:
    engine, chooser = answers.engine, camera.window.chooser
    engine.holds_loads = True
    chooser.choose("/models/qwen")
    engine.emit(Progress(engine.loads[-1].request_id, "loading", 3_100_000_000, 4_600_000_000))
    await camera.until(lambda: "3.1 of" in chooser.words)
    await camera.shoot("model-loading")
    engine.holds_loads = False
    chooser.choose("starter")
    await camera.until(lambda: chooser.is_loaded)


async def memory_wait(camera: Camera, answers: ScriptedAnswers) -> None:
    tab = camera.window.workspace.new_tab()
    answers.play([Notice(0, "memory", MEMORY)], None)
    tab.composer.field.setPlainText("Would the same hold in a Vec?")
    tab.composer.submit()
    await camera.until(lambda: isinstance(tab.transcript.last and tab.transcript.last.progress, Notice))
    await camera.shoot("memory-wait")
    tab.stop()
    await camera.rest(answers.seconds)


async def no_model(camera: Camera, answers: ScriptedAnswers) -> None:
    camera.window.workspace.new_tab().empty.greet()
    camera.window.welcome.take_models(())
    await camera.shoot("no-model")
    camera.window.welcome.take_models(FOUND)
