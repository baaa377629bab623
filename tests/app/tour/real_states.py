"""The state that only the starter model brings about: drafters of it, measured on this machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import mlx.core as mx

from app.settings.drafters.picker import to_measure
from engine.messages import STARTER
from tests.app.tour.answers import Answers
from tests.app.tour.camera import Camera
from tests.engine.tiny import tiny_folder

NUM_LAYERS = 6  # of 30, of the drafter that is made of the starter
NUM_TOKENS = 40  # of each reply, so that a walk takes minutes
MEASURE_SECONDS = 900.0


def shorten(folder: Path, target: Path) -> None:
    """Make a model of the first layers of another one, with its tokenizer."""
    shutil.copytree(target, folder)
    (folder / "source.json").unlink(missing_ok=True)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": NUM_LAYERS}), "utf-8")
    path = str(folder / "model.safetensors")
    kept = {
        name: array
        for name, array in mx.load(path).items()
        if not name.startswith("model.layers.") or int(name.split(".")[2]) < NUM_LAYERS
    }
    mx.save_safetensors(path, kept, {"format": "mlx"})


async def drafters_here(camera: Camera, answers: Answers) -> None:
    """Of the starter: what measured, what is measured, and what does not fit."""
    window = camera.window
    facts = window.chooser.facts
    assert facts is not None
    drafters = window.settings.folder / "drafters"
    shorten(drafters / f"SmolLM2-{NUM_LAYERS}-layers", Path(facts.folder))
    tiny_folder(drafters / "Tiny-Llama")
    window.models.planner.use_drafter("")
    picker = window.drafters.picker
    for folder in sorted(drafters.iterdir()):
        picker.add_folder(str(folder))
    await camera.until(lambda: len(picker.candidates.of(STARTER).misfits) > 1, answers.seconds)
    window.drafters.show_drafters(STARTER)
    page = window.settings_pages.window
    assert page is not None
    await camera.shoot_widget("drafters-unmeasured", page)
    picker.measuring.num_tokens = NUM_TOKENS
    first, *others = to_measure(picker.candidates.of(STARTER))
    picker.measure(STARTER, [*others, first])
    await camera.until(lambda: bool(picker.measuring.progress and picker.measuring.progress.num_done), MEASURE_SECONDS)
    await camera.shoot_widget("drafters-measuring", page)
    await camera.until(lambda: not picker.measuring.is_any, MEASURE_SECONDS)
    assert not picker.measuring.errors, picker.measuring.errors
    page.resize(1040, 680)
    await camera.shoot_widget("drafters-measured", page)
    window.settings_pages.close()
