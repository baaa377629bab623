"""A model folder that a test may damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.tiny import tiny_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole tiny llama folder."""
    return tiny_folder(tmp_path / "tiny")
