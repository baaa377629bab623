"""From what a user named to a drafter that is known to fit its target, before any of its weights are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.drafters.base import DrafterSource, check_ports
from engine.models.drafting.files import DrafterFiles, read_files
from engine.models.drafting.fit import check_fit
from engine.models.drafting.spec import DrafterSpec
from engine.models.drafting.target import TargetShape, target_shape
from engine.models.errors import DrafterError
from engine.models.locate import resolve_target
from engine.models.memory import drafter_bytes

Spec = TypeVar("Spec", bound=DrafterSpec)


def open_pair(
    source: DrafterSource, read_spec: Callable[[DrafterFiles, TargetShape | None], Spec]
) -> tuple[DrafterFiles, Spec]:
    """Headers of a drafter and what they say; raises DrafterError or ModelError where the pair cannot work."""
    files = read_files(drafter_folder(source))
    target = target_shape(source.target)
    spec = read_spec(files, target)
    check_ports(spec.name, spec.needs, source.view)
    check_fit(spec, files, target)
    source.admit(drafter_bytes(spec, source.target)[0])
    return files, spec


def drafter_folder(source: DrafterSource) -> Path:
    """The folder that a path or the name of a Hugging Face cache entry stands for."""
    folder = resolve_target(source.path, source.data_dir)
    if not isinstance(folder, Path):
        raise DrafterError(
            f"{source.path!r} is a GGUF file, and drafters that read their target come as folders; choose 'model:PATH' "
            "where it is a whole model"
        )
    return folder
