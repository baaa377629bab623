"""Amounts as sentences and tables show them to people."""

from __future__ import annotations

_UNITS = ("KB", "MB", "GB", "TB")


def write_size(num_bytes: int) -> str:
    """Two or three digits in the unit that fits: 512 bytes, 1.9 MB, 48 GB, 730 GB."""
    if abs(num_bytes) < 1000:
        return write_count(num_bytes, "byte")
    value, unit = num_bytes / 1000, 0
    while abs(value) >= 999.5 and unit + 1 < len(_UNITS):
        value, unit = value / 1000, unit + 1
    return f"{value:,.{1 if abs(value) < 9.95 else 0}f} {_UNITS[unit]}"


def write_count(number: int, one: str, several: str = "") -> str:
    """1 file, 1,200 files; `several` where an s does not make it."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
