"""The page of models: what fits, what does not, what cannot be read, what is on its way, and how one is deleted."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from app.library.download import Download, State
from app.library.models_page import ModelsPage
from app.library.problems import Kind, Problem
from app.library.removal_sheet import RemovalSheet
from engine.messages import DrafterFacts, EstimateMemory, MemoryEstimate, ModelFacts
from tests.app.fake_engine import facts_of
from tests.app.library.model_folders import make_model
from tests.app.tour.answers import ScriptedAnswers
from tests.app.tour.camera import OVER, Camera

GB = 10**9
SIZES = {"Qwen3-8B": 4.6, "Qwen3-32B": 18.6, "Qwen3-235B": 132.0, "Mistral": 13.3, "SmolLM2": 0.1}
DOWNLOADS = (
    Download("mlx-community/gemma-3-12b-it-4bit", "", "", State.RUNNING, 45 * GB // 10, 72 * GB // 10, 41e6),
    Download(
        "mlx-community/Qwen3-14B-4bit",
        state=State.FAILED,
        total_bytes=83 * GB // 10,
        problem=Problem(Kind.CHECKSUM, "Shard 2 of 2 failed its checksum and was removed."),
    ),
)


async def models(camera: Camera, answers: ScriptedAnswers) -> None:
    """All kinds of rows, a model beside and over them, the question before it goes, what may be found, and nothing."""
    window, folder = camera.window, camera.folder / "models"
    before = window.settings.preferences
    prepare(answers, folder)
    library = replace(before.library, folders=(str(folder), "/Volumes/Models"))
    window.settings.change(replace(before, library=library))
    window.library.downloads.downloads = DOWNLOADS
    window.library.show_page()
    page = window.workspace.current_page
    assert isinstance(page, ModelsPage)
    await camera.until(lambda: any("Qwen3 235B" in row.name for row in page.here.list.rows.rows))
    await asyncio.sleep(0.5)
    page.here.list.choose(str(folder / "Qwen3-32B-4bit"))
    await camera.shoot("models")
    await over_the_list(camera, page)
    page.here.list.choose(str(folder / "Qwen3-235B-A22B-4bit"))
    await camera.shoot("models-misfit")
    await camera.shoot_dialog("models-delete", lambda: ask_to_delete(page), RemovalSheet)
    page.show_more()
    await camera.shoot("models-find")
    page.show_here()
    window.library.downloads.downloads = ()
    window.settings.change(before)
    window.actions_of_window.close.trigger()
    shutil.rmtree(folder)


def prepare(answers: ScriptedAnswers, folder: Path) -> None:
    """Models of several sizes, a file that cannot be read, a drafter."""
    engine = answers.engine
    for name in ("Qwen3-8B-4bit", "Qwen3-32B-4bit", "Qwen3-235B-A22B-4bit", "Mistral-Small-24B-4bit"):
        make_model(folder / name)
    file, drafter = folder / "Qwen2.5-7B-Instruct.Q5_K_M.gguf", str(make_model(folder / "Qwen3-8B-DFlash-b16"))
    file.write_bytes(b"GGUF")
    engine.unreadable |= {str(file): "Q5_K_M is not supported; Q4_0, Q4_1 and Q8_0 are.", drafter: "It drafts."}
    engine.drafters[drafter] = DrafterFacts(f"dflash:{drafter}", "dflash", drafter, "DFlash", quantisation="bf16")
    engine.make_facts = facts
    engine.estimate = estimate


def facts(target: str) -> ModelFacts:
    return replace(facts_of(target), context_length=40_960, num_layers=64, licence="apache-2.0")


def estimate(question: EstimateMemory) -> MemoryEstimate:
    size = next((size for name, size in SIZES.items() if name in question.target), 0.1)
    kv_bytes = question.context_length * question.num_rows * 140_000
    return MemoryEstimate(int(size * GB), 0, kv_bytes, 30 * GB, 11 * GB // 10, 27 * GB)


async def over_the_list(camera: Camera, page: ModelsPage) -> None:
    camera.window.resize(*OVER[0])
    await asyncio.sleep(0.1)
    page.here.list.opened.emit(page.here.list.model_shown)
    await camera.shoot("models-detail", OVER)
    page.detail.back.click()


def ask_to_delete(page: ModelsPage) -> None:
    assert page.detail.model is not None
    page.delete(page.detail.model)
