"""Fields of a config that a drafter's shapes follow from: each is read as what it must be, or refused by name. No MLX.

A config is what somebody wrote into a file: no value is believed to have its type, or to be of a size that can be
computed with.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from engine.models.errors import DrafterError

# Bounds of what is published, with room above: no loop, shape or message follows a damaged number beyond them.
LARGEST = 2**24  # of sizes: the longest contexts are of 10 million tokens, the largest vocabularies of 262,144
MOST_PARTS = 4096  # of what is gone through one by one, layers and experts: at most a few hundred are published

_SHOWN = 100  # characters of a wrong value in a message


@dataclass(frozen=True, slots=True)
class Fields:
    """A config, or a section of one; `where` is the file's name for messages. All methods raise DrafterError."""

    values: Mapping[str, Any]
    where: str = "the drafter's config.json"

    def has(self, name: str) -> bool:
        """Whether a field is there and not null, which many files write for what does not apply."""
        return self.values.get(name) is not None

    def number(self, name: str, *, most: int = LARGEST) -> int:
        """A whole number that has to be there, from 1 to `most`."""
        value = self.values.get(name)
        if not _is_whole(value) or not 0 < value <= most:
            raise self.fault(name, f"a whole number above 0 and not above {most:,}")
        return value

    def optional_number(self, name: str, default: int = 0, *, most: int = LARGEST) -> int:
        """The same, where absent, null and 0 all stand for `default`."""
        value = self.values.get(name)
        return default if value is None or (_is_whole(value) and value == 0) else self.number(name, most=most)

    def real(self, name: str, default: float | None = None, *, most: float = sys.float_info.max) -> float:
        """A finite number above 0, up to `most`; without a default it has to be there."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not _is_real(value) or not 0 < value <= most:
            bound = f" and not above {most:g}" if most < sys.float_info.max else ""
            raise self.fault(name, f"a finite number above 0{bound}")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """JSON's true or false; a text that says so is no flag."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return default if value is None else value

    def numbers(self, name: str, *, least: int = 0, most: int = MOST_PARTS) -> tuple[int, ...]:
        """A list of whole numbers that has to be there and not empty, each from `least` to `most`."""
        value = self.values.get(name)
        if not isinstance(value, list) or not value or not all(_is_whole(i) and least <= i <= most for i in value):
            raise self.fault(name, f"a list of whole numbers from {least} to {most:,}")
        return tuple(value)

    def choice(self, name: str, choices: Sequence[str], default: str | None = None) -> str:
        """One of some words; without a default it has to be there."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in choices:
            raise self.fault(name, " or ".join(map(repr, choices)), "choose another drafter")
        return value

    def section(self, name: str) -> Fields:
        """The fields of an object in this one; none where it is absent or null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise self.fault(name, "an object")
        return Fields(value or {}, self.where)

    def fault(
        self, name: str, needed: str, remedy: str = "download it again, or choose another drafter"
    ) -> DrafterError:
        """What to raise for a field that is missing, or that means something that cannot be computed."""
        return DrafterError(
            f"the field {name} is {_shown(self.values.get(name))} in {self.where}; it must be {needed}: {remedy}"
        )


def required_number(config: Mapping[str, Any], field: str) -> int:
    """A field that must be a whole number above 0; raises DrafterError."""
    return Fields(config).number(field)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_real(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
