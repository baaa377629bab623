"""Goldens of block drafters as files, with changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.models.drafting.block import read_spec
from engine.models.drafting.block_spec import BlockSpec
from engine.models.drafting.files import DrafterFiles, read_files
from engine.models.errors import DrafterError
from tests.engine.goldens import Golden, read_golden, write_golden

GONE = object()  # a field or tensor that is to be missing


def edited(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**values, **changes}.items() if value is not GONE}


def files_of(
    folder: Path, name: str, config: Mapping[str, Any] | None = None, weights: Mapping[str, Any] | None = None
) -> DrafterFiles:
    """A golden's checkpoint with changes."""
    golden = read_golden(f"block_{name}")
    changed = Golden(edited(golden.config, config or {}), edited(golden.weights, weights or {}), {})
    return read_files(write_golden(folder, changed))


def spec_of(folder: Path, name: str, config: Mapping[str, Any] | None = None) -> BlockSpec:
    return read_spec(files_of(folder, name, config), None)


def refusal(folder: Path, name: str, **changes: Any) -> str:
    with pytest.raises(DrafterError) as caught:
        read_spec(files_of(folder, name, **changes), None)
    return str(caught.value)
