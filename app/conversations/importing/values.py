"""What a file of another program says, taken only where it is of the kind that is needed."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from typing import Any

from app.conversations.exchange import storable

_GREATEST = 1e300
_LAST_MOMENT = 4e9  # seconds; later ones are milliseconds or nonsense
_NAMESPACE = uuid.UUID("5d9f3c52-0b0e-4f0c-9c4b-6c1f6f1f2a77")


class UnreadableChatError(Exception):
    """A chat that makes no sense; the text says what is wrong with it."""


def text_of(value: object) -> str:
    """As it can be stored: without zero bytes and halves of characters; "" where it is no text."""
    return storable(value).replace("\0", "") if isinstance(value, str) else ""


def items_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def fields_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def number_of(value: object, default: float = 0.0) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or abs(value) > _GREATEST:
        return default
    return float(value) if math.isfinite(value) else default


def moment_of(value: object, default: float = 0.0) -> float:
    """Seconds; milliseconds are told by their size."""
    seconds = number_of(value, default)
    if seconds > _LAST_MOMENT:
        seconds /= 1000
    return seconds if 0 <= seconds <= _LAST_MOMENT else default


def id_from(program: str, name: str) -> str:
    """The same id whenever the same chat of a program is imported."""
    return uuid.uuid5(_NAMESPACE, storable(f"{program}:{name}")).hex
