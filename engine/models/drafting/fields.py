"""Fields of a drafter's config that its shapes follow from. No MLX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.models.architecture import find_number
from engine.models.errors import DrafterError


def required_number(config: Mapping[str, Any], field: str) -> int:
    """A field that must be a whole number above 0; raises DrafterError."""
    if value := find_number(dict(config), field):
        return value
    raise DrafterError(
        f"{field} is {config.get(field)!r} in the drafter's config.json; it must be a whole number above 0: download "
        "the drafter again"
    )
