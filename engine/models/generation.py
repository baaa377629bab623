"""How a model wants to be sampled, by its generation_config.json."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.messages import GREEDY, Sampling
from engine.models.small_files import read_settings
from engine.text.checks import check_sampling

FILE = "generation_config.json"
_MOST = {"temperature": 5.0, "top_k": 1_000_000}  # beyond them every token is as good as any other
_DRAWS = ("temperature", "top_p", "top_k", "min_p")
_FIELDS = (*_DRAWS, "repetition_penalty")


def read_sampling(folder: Path) -> Sampling:
    """What the file asks for; GREEDY where it does not sample, and without the values that make no sense.

    A file that gives values for draws and does not say `do_sample` means them. As in transformers, the temperature is
    1 where a file that samples gives none.
    """
    settings = read_settings(folder / FILE)
    found = {name: value for name in _FIELDS if (value := _sensible(name, settings.get(name))) is not None}
    does_sample = settings.get("do_sample")
    if not isinstance(does_sample, bool):
        does_sample = any(name in found for name in _DRAWS)
    if not does_sample:
        found = {name: value for name, value in found.items() if name not in _DRAWS}
    return replace(GREEDY, **({"temperature": 1.0} if does_sample else {}) | found)


def _sensible(name: str, value: Any) -> Any:
    """A value in the type and within the limits of its setting; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = int(value) if name == "top_k" else float(value)
    except (OverflowError, ValueError):
        return None
    if number != value or number > _MOST.get(name, number):
        return None
    alone: dict[str, Any] = {name: number}
    return None if check_sampling(replace(GREEDY, **alone), 1) else number
