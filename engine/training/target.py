"""A target as training wants it: dense, since many rows at once are bound by arithmetic and not by reading weights."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx

from engine.models.drafting.inspection import read_model
from engine.models.gguf import import_gguf
from engine.models.load import cast_floats, load_steps
from engine.models.locate import GgufFile, default_data_dir, resolve_target
from engine.models.memory import row_size
from engine.target import Target


def open_target(name: str, data_dir: Path | None = None) -> Target:
    """Load a model, importing it where needed: in fp32 on a CPU, in bf16 elsewhere; raises ModelError.

    Nothing that was measured of its forwards is kept, since replies run in another form of it.
    """
    data_dir = data_dir or default_data_dir()
    folder = resolve_target(name, data_dir)
    if isinstance(folder, GgufFile):
        for _ in import_gguf(folder.path, data_dir):
            pass
        folder = resolve_target(name, data_dir)
    assert isinstance(folder, Path), f"{folder} is imported"
    steps = load_steps(read_model(name, folder), as_fp32=True)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            loaded = end.value
            break
    if mx.default_device() != mx.Device(mx.cpu):
        loaded.model.apply(lambda array: cast_floats(array, mx.bfloat16))
        mx.eval(loaded.model.parameters())
    return Target(loaded.model, loaded.facts, row_size=row_size(loaded.facts))
