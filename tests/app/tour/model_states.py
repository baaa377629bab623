"""The states of the page of models: what is here, what is on its way, what is found, and what is asked first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.library.download import Download, State
from app.library.find_more import FindMore
from app.library.models_page import ModelsPage
from app.library.problems import GATED, Kind, Problem, of_disk
from app.library.removal_sheet import RemovalSheet
from tests.app.library.stand_in_hub import HubFile, HubModel, StandInHub
from tests.app.tour import shelf
from tests.app.tour.answers import ScriptedAnswers
from tests.app.tour.camera import SIZES, Camera
from tests.app.tour.settings_states import choose_model

NOWHERE = "http://127.0.0.1:9"  # where nothing answers
GIGABYTE = 1_000_000_000
CHECKSUM = Problem(Kind.CHECKSUM, "Shard 2 of 2 failed its checksum and was removed.")
NETWORK = Problem(Kind.NETWORK, "")
DOWNLOADS = (
    Download("mlx-community/gemma-4-12b-it-4bit", "", "a", State.RUNNING, 4_500_000_000, 7_200_000_000, 24_600_000),
    Download("mlx-community/Qwen3-4B-4bit", "", "", State.WAITING),
    Download("mlx-community/Qwen3-30B-A3B-4bit", "", "a", State.PAUSED, 4_500_000_000, 17_200_000_000),
    Download("mlx-community/GLM-4.5-Air-4bit", "", "a", State.FAILED, 4_500_000_000, 60_200_000_000, problem=NETWORK),
    Download("mlx-community/Qwen3-14B-4bit", "", "a", State.FAILED, 0, 8_300_000_000, problem=CHECKSUM),
    Download(
        *("mlx-community/Llama-3.3-70B-Instruct-4bit", "", "a", State.FAILED, 0, 39_700_000_000),
        problem=of_disk(39_800_000_000, 6_100_000_000),
    ),
    Download("google/gemma-3-27b-it", "", "", State.FAILED, problem=GATED),
)
FOUND = {  # on the stand-in hub, by name: gigabytes, downloads, whether a licence is asked for
    "mlx-community/Qwen3-4B-4bit": (2.3, 52_310, False),
    "mlx-community/Qwen3-14B-4bit": (8.3, 40_127, False),
    "mlx-community/Qwen3-8B-4bit": (4.6, 98_004, False),
    "mlx-community/Qwen3-235B-A22B-Instruct-2507-4bit": (132.3, 1_204, False),
    "someone/Qwen3-8B-with-a-very-long-name-that-goes-on-and-on-abliterated-4bit": (4.7, 310, True),
}


class Hollow(bytes):
    """As long as it says, with nothing in it."""

    length = 0

    def __len__(self) -> int:
        return self.length


def hollow(gigabytes: float) -> HubFile:
    content = Hollow()
    content.length = int(gigabytes * GIGABYTE)
    return HubFile(content, is_large=True)


def hub_models() -> dict[str, HubModel]:
    return {
        name: HubModel(
            {"config.json": HubFile(b"{}"), "model.safetensors": hollow(size)}, downloads=number, is_gated=is_gated
        )
        for name, (size, number, is_gated) in FOUND.items()
    }


async def page_of(camera: Camera) -> ModelsPage:
    camera.window.library.show_page()
    await camera.until(lambda: isinstance(camera.window.workspace.current_page, ModelsPage))
    page = camera.window.workspace.current_page
    assert isinstance(page, ModelsPage)
    return page


async def models(camera: Camera, answers: ScriptedAnswers) -> None:
    """Each kind of model with its detail, beside the list and over it."""
    page = await page_of(camera)
    page.add_folder("/Volumes/Models")
    await choose_model(camera, shelf.entry_of(shelf.QWEN))
    library = camera.window.library
    await camera.until(lambda: library.library.has_looked and not library.library.is_looking)
    await asyncio.sleep(0.5)
    for name in (shelf.QWEN, shelf.BIG, shelf.HUGE, "Llama-3.2-1B-Instruct-4bit"):
        target = next(one.target for one in library.library.models if shelf.name_of(one.target) == name)
        page.show_here(target)
        await asyncio.sleep(0.1)
        await camera.shoot(f"models-{name.lower()}")
    await shoot_unreadable(camera, page)
    await shoot_narrow(camera, page)
    page.here.forget("/Volumes/Models")
    camera.window.actions_of_window.close.trigger()


async def shoot_unreadable(camera: Camera, page: ModelsPage) -> None:
    refused = next((one for one in camera.window.library.library.models if one.is_gguf), None)
    assert refused is not None
    page.show_here(refused.target)
    await camera.shoot("models-unreadable", SIZES[:1])


async def shoot_narrow(camera: Camera, page: ModelsPage) -> None:
    """The detail over the list."""
    page.show_here(shelf.entry_of(shelf.BIG))
    camera.window.resize(*SIZES[2])
    await asyncio.sleep(0.1)
    page.here.list.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(page.here.list, Qt.Key.Key_Return)
    await camera.shoot("models-detail", SIZES[2:])
    QTest.keyClick(page, Qt.Key.Key_Escape)


async def downloading(camera: Camera, answers: ScriptedAnswers) -> None:
    """Two beside a model that fits with a shorter context; then one of each state that a download can be in."""
    page = await page_of(camera)
    settings, target = camera.window.settings, shelf.entry_of(shelf.BIG)
    settings.change_model(target, replace(settings.preferences.model(target), context_length=16_384))
    show_downloads(camera, (DOWNLOADS[0], DOWNLOADS[4]))
    page.show_here(target)
    await asyncio.sleep(0.5)
    await camera.shoot("downloads-two", SIZES[:1])
    show_downloads(camera, DOWNLOADS)
    await camera.shoot("downloads")
    page.show_more()
    await camera.shoot("downloads-find")
    page.show_here()
    show_downloads(camera, ())
    camera.window.actions_of_window.close.trigger()


def show_downloads(camera: Camera, downloads: Sequence[Download]) -> None:
    camera.window.library.downloads.downloads = tuple(downloads)
    camera.window.library.downloads.changed.emit()


async def finding(camera: Camera, answers: ScriptedAnswers) -> None:
    """The catalogue, then what the hub finds, nothing, no network, and the network switched off."""
    settings = camera.window.settings
    before = settings.preferences
    with StandInHub(hub_models()) as hub:
        settings.change(replace(before, library=replace(before.library, endpoint=hub.endpoint)))
        page = await page_of(camera)
        page.show_more()
        await camera.shoot("find-catalogue")
        find = page.find_more
        for words in ("qwen3", "lattice"):
            await search(camera, find, words)
            await camera.shoot(f"find-{words}")
    settings.change(replace(before, library=replace(before.library, endpoint=NOWHERE)))
    find.field.setText("tiny")
    await camera.until(lambda: find.search.results.problem is not None)
    await camera.shoot("find-no-network")
    settings.change(replace(before, library=replace(before.library, is_offline=True)))
    await camera.shoot("find-offline")
    find.field.clear()
    settings.change(before)
    page.show_here()
    camera.window.actions_of_window.close.trigger()


async def search(camera: Camera, find: FindMore, words: str) -> None:
    """Until the sizes are known too."""
    find.field.setText(words)
    await camera.until(lambda: find.search.results.words == words and not find.search.results.is_searching)
    await camera.until(lambda: all(one.size_bytes for one in find.search.results.models))


async def deleting(camera: Camera, answers: ScriptedAnswers) -> None:
    page = await page_of(camera)
    library = camera.window.library.library
    for name, ending in ((shelf.SMALLEST, ""), ("Mistral-Small-24B-Instruct-2501-4bit", "-trash")):
        model = next(one for one in library.models if shelf.name_of(one.target) == name)
        page.show_here(model.target)
        await asyncio.sleep(0.1)
        page.delete(model)
        await camera.until(lambda: page.findChild(RemovalSheet) is not None)
        await camera.shoot_dialog(f"delete{ending}", lambda: None, RemovalSheet)
        await camera.until(lambda: page.findChild(RemovalSheet) is None)
    camera.window.actions_of_window.close.trigger()


async def none_here(camera: Camera, answers: ScriptedAnswers) -> None:
    """Nothing was found."""
    page = await page_of(camera)
    library = camera.window.library.library
    kept = library.models, library.drafters
    library.models = library.drafters = ()
    library.changed.emit()
    await camera.shoot("models-none")
    library.models, library.drafters = kept
    library.changed.emit()
    page.show_here()
    camera.window.actions_of_window.close.trigger()
