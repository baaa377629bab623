"""Names of models for people."""

from __future__ import annotations

import pytest

from app.models.names import model_name
from engine.messages import STARTER


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (STARTER, "SmolLM2 135M"),
        ("/models/Qwen3-8B-4bit/", "Qwen3-8B-4bit"),
        ("C:\\models\\tiny", "tiny"),
        ("/cache/hub/models--mlx-community--Qwen3-8B-4bit/snapshots/0f1e2d", "Qwen3-8B-4bit"),
        ("", ""),
    ],
)
def test_a_model_is_called_what_the_window_calls_it(target: str, name: str) -> None:
    assert model_name(target) == name
