"""The models and drafters of this computer, as lists get them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.bridge import EngineBridge
from app.library.library import Library
from app.settings.preferences import Settings
from app.tasks import finish
from engine.messages import STARTER, DrafterFacts, Inspect
from tests.app.driver import RunAsync
from tests.app.fake_engine import FakeEngine, facts_of
from tests.app.library.model_folders import make_cache_entry, make_model

Look = Callable[[], None]


@pytest.fixture
def models(settings: Settings, tmp_path: Path) -> Path:
    """A folder that was added."""
    folder = tmp_path / "models"
    folder.mkdir()
    library = replace(settings.preferences.library, folders=(str(folder),))
    settings.change(replace(settings.preferences, target=STARTER, library=library))
    return folder


@pytest.fixture
def make_library(
    bridge: EngineBridge, settings: Settings, data_dir: Path, tmp_path: Path, cache: Path
) -> Callable[[], Library]:
    return lambda: Library(bridge, settings, data_dir, home=tmp_path / "home")


@pytest.fixture
def library(make_library: Callable[[], Library], models: Path, run_async: RunAsync) -> Iterator[Library]:
    library = make_library()
    yield library
    library.close()


@pytest.fixture
def look(run_async: RunAsync, library: Library) -> Look:
    def run() -> None:
        library.refresh()
        run_async(finish())

    return run


def test_models_are_listed_with_name_place_and_size(library: Library, models: Path, cache: Path, look: Look) -> None:
    make_model(models / "Qwen3-8B-4bit")
    entry = make_cache_entry(cache, "mlx-community--Llama-3.2-3B-Instruct-4bit")
    look()
    starter, hub, added = library.models
    assert (starter.target, starter.name, starter.place) == (STARTER, "SmolLM2 135M", "Came with Slipstream")
    assert (hub.target, hub.name, hub.place) == (str(entry), "Llama 3.2 3B", "Hugging Face cache")
    assert (added.name, added.quantisation, added.num_bytes) == ("Qwen3 8B", "4-bit", 1002)
    assert library.has_repository("mlx-community/Llama-3.2-3B-Instruct-4bit")


def test_what_the_engine_refuses_is_listed_with_its_reason(
    library: Library, models: Path, fake_engine: FakeEngine, look: Look
) -> None:
    file = models / "Qwen2.5-7B.Q5_K_M.gguf"
    file.write_bytes(b"GGUF")
    fake_engine.unreadable[str(file)] = "Q5_K is not supported; Q4_0, Q4_1 and Q8_0 are."
    look()
    found = library.find(str(file))
    assert found is not None
    assert (found.name, found.quantisation) == ("Qwen2.5 7B", "GGUF Q5_K_M")
    assert found.refusal == "Q5_K is not supported; Q4_0, Q4_1 and Q8_0 are."


def test_a_folder_that_only_drafts_is_no_model(
    library: Library, models: Path, fake_engine: FakeEngine, look: Look
) -> None:
    path = str(make_model(models / "Qwen3-8B-DFlash"))
    fake_engine.unreadable[path] = "It holds a drafter, not a model."
    fake_engine.drafters[path] = DrafterFacts(f"dflash:{path}", "dflash", path, "Qwen3-8B-DFlash")
    look()
    assert [model.target for model in library.models] == [STARTER]
    assert [(one.drafter, one.refusal) for one in library.drafters] == [(f"dflash:{path}", "")]


def test_a_model_is_asked_about_once_for_each_state_of_its_files(
    make_library: Callable[[], Library], library: Library, models: Path, fake_engine: FakeEngine, look: Look,
    run_async: RunAsync,
) -> None:  # fmt: skip
    folder = make_model(models / "one")

    def num_asked() -> int:
        return sum(isinstance(one, Inspect) and one.target == str(folder) for one in fake_engine.commands)

    look()
    look()
    later = make_library()  # of the next start
    later.refresh()
    run_async(finish())
    assert num_asked() == 1
    assert later.find(str(folder)) == library.find(str(folder))
    (folder / "model.safetensors").write_bytes(b"another")
    look()
    assert num_asked() == 2


def test_a_folder_that_vanished_is_listed_no_more(library: Library, models: Path, look: Look) -> None:
    folder = make_model(models / "one")
    look()
    shutil.rmtree(folder)
    look()
    assert [model.target for model in library.models] == [STARTER]


def test_the_chosen_model_that_vanished_says_so(
    library: Library, models: Path, settings: Settings, fake_engine: FakeEngine, look: Look
) -> None:
    folder = make_model(models / "one")
    settings.change(replace(settings.preferences, target=str(folder)))
    look()
    shutil.rmtree(folder)
    fake_engine.unreadable[str(folder)] = "Nothing found."
    look()
    found = library.find(str(folder))
    assert found is not None
    assert found.is_gone
    assert found.refusal == f"The files of this model are gone from {folder}. Put them back, or choose another model."


def test_a_chosen_model_of_another_folder_is_listed(
    library: Library, models: Path, settings: Settings, tmp_path: Path, look: Look
) -> None:
    folder = make_model(tmp_path / "elsewhere" / "two")
    settings.change(replace(settings.preferences, target=str(folder)))
    look()
    found = library.find(str(folder))
    assert found is not None
    assert (found.place, found.is_gone) == ("Folder elsewhere", False)


def test_facts_come_from_the_engine(library: Library, models: Path, fake_engine: FakeEngine, look: Look) -> None:
    folder = make_model(models / "one")
    fake_engine.make_facts = lambda target: replace(facts_of(target), licence="apache-2.0", num_layers=64)
    look()
    found = library.find(str(folder))
    assert found is not None
    assert found.facts == "4-bit, 64 layers, 8,192 context, apache-2.0"
