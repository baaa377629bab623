"""A tiny fp32 target on disk, and the engine that answers with it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.table import DRAFTERS, DrafterKind
from engine.models.gguf import import_gguf
from engine.models.locate import find_starter, resolve_target
from engine.prove.scripted import ScriptedDrafter
from tests.engine.harness import TEXT, WEIGHTLESS, Harness, submit
from tests.engine.tiny import tiny_folder


@pytest.fixture(scope="module", autouse=True)
def _no_widgets_are_left() -> None:
    """What tests of the window left in this process goes here: collected on an engine's thread it would end it."""
    if "PySide6" in sys.modules:
        gc.collect()


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def looping_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target whose next token depends on the last one nearly alone, so that its text soon repeats itself."""
    folder = tiny_folder(tmp_path_factory.mktemp("models") / "looping")
    weights = mx.load(str(folder / "model.safetensors"))
    damped = {name: array * 0.005 if "o_proj" in name else array for name, array in weights.items()}
    mx.save_safetensors(str(folder / "model.safetensors"), damped, {"format": "mlx"})
    return folder


@pytest.fixture(scope="session")
def eight_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target of eight tokens: the letters a to e, then three control tokens, of which the last ends a reply."""
    return tiny_folder(tmp_path_factory.mktemp("models") / "eight", letters="abcde", seed=5)


@pytest.fixture(scope="session")
def drafters(target: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every drafter that equalities are tested with, by what it stands for."""
    models = tmp_path_factory.mktemp("drafters")
    return {
        **{name: name for name in WEIGHTLESS},
        "model like the target": f"model:{target}",
        "other model": f"model:{tiny_folder(models / 'other', seed=5)}",
        "recurrent model": f"model:{tiny_folder(models / 'recurrent', 'qwen3_next', seed=1)}",
        "window model": f"model:{tiny_folder(models / 'window', 'gemma3_text', seed=1, sliding_window=16)}",
    }


@pytest.fixture
def drafter(request: pytest.FixtureRequest, drafters: dict[str, str]) -> str:
    """The name of one of the drafters above, chosen by a test's parameter."""
    return drafters[request.param]


@pytest.fixture(scope="session")
def starter_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that holds the imported starter model."""
    folder = tmp_path_factory.mktemp("starter")
    list(import_gguf(find_starter(), folder))
    return folder


@pytest.fixture(scope="session")
def starter_folder(starter_data: Path) -> Path:
    """The starter model as a model folder."""
    imported = resolve_target("", starter_data)
    assert isinstance(imported, Path)
    return imported


@pytest.fixture
def engine(data_dir: Path) -> Harness:
    return Harness(data_dir)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Put a scripted drafter into the table; returns its name."""

    def add(name: str, truth: Sequence[int], accepts: Sequence[int], depth: int = 6) -> str:
        load = DrafterKind(lambda source: iter([ScriptedDrafter(truth, accepts, depth)]))
        monkeypatch.setitem(DRAFTERS, name, load)
        return name

    return add


@pytest.fixture
def no_rereading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows go on from all that was found of the target, whatever their drafters have read of it."""
    monkeypatch.setattr("engine.checkpoints.LEAST_REREAD", 0)
    monkeypatch.setattr("engine.checkpoints.REREAD_SECONDS", 0.0)


@pytest.fixture
def plain(data_dir: Path, target: Path) -> Harness:
    """The same request answered without anything special, to compare with."""
    engine = Harness(data_dir)
    engine.send(submit(1, target, TEXT))
    engine.run()
    return engine


@pytest.fixture
def alone(data_dir: Path, target: Path) -> Callable[..., list[int]]:
    """The ids that a request gives with no drafter and no neighbour."""

    def generate(text: str, on: Path = target, **options: object) -> list[int]:
        engine = Harness(data_dir)
        engine.send(submit(1, on, text, **options))  # type: ignore[arg-type]
        engine.run()
        return engine.ids_of(1)

    return generate
