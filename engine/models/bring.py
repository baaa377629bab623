"""A model from what the user named into memory: found, imported where needed, checked, loaded."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from engine.messages import ModelFacts, Progress
from engine.models.drafting.inspection import read_model
from engine.models.gguf import import_gguf
from engine.models.load import LoadedModel, choose_fp32, load_steps
from engine.models.locate import GgufFile, resolve_target

_SLICE_SECONDS = 0.1


def bring_model(
    name: str, data_dir: Path, check: Callable[[ModelFacts], None] = lambda facts: None
) -> Generator[Progress, None, LoadedModel]:
    """Yields Progress (request_id 0) about ten times a second; raises ModelError.

    `check` sees the facts before any weights are read, and raises where the model is not to be loaded.
    """
    folder = resolve_target(name, data_dir)
    if isinstance(folder, GgufFile):
        for done, total in import_gguf(folder.path, data_dir):
            yield Progress(0, "importing", done, total)
        folder = resolve_target(name, data_dir)
    assert isinstance(folder, Path), f"{folder} is imported"
    facts = yield from _read(name, folder)
    check(facts)
    return (yield from _load(facts))


def _read(name: str, folder: Path) -> Generator[Progress, None, ModelFacts]:
    """The facts, from a thread of their own: what a chat template offers can take seconds to find out."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="facts")
    reading = executor.submit(read_model, name, folder)
    executor.shutdown(wait=False)
    num_bytes = sum(path.stat().st_size for path in folder.glob("*.safetensors") if path.is_file())
    while not wait([reading], _SLICE_SECONDS).done:
        yield Progress(0, "loading", 0, num_bytes)
    return reading.result()


def _load(facts: ModelFacts) -> Generator[Progress, None, LoadedModel]:
    steps = load_steps(facts, as_fp32=choose_fp32(facts))
    while True:
        try:
            done, total = next(steps)
        except StopIteration as end:
            return end.value
        yield Progress(0, "loading", done, total)
