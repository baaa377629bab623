"""How layers that attend to everything keep their keys and values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KvScheme:
    """Quantised to `bits` in groups of `group_size` for the tokens from position `start` on; 0 bits: not at all."""

    bits: int = 0
    group_size: int = 64
    start: int = 0


UNQUANTISED = KvScheme()
