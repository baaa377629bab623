"""Sizes that belong to texts and grow with them."""

from __future__ import annotations

from app.theme.fonts import SIZES, font


def scaled(pixels: int) -> int:
    """Pixels at the text size of 100 %, at the one that the user chose."""
    return round(pixels * font("interface").pixelSize() / SIZES["interface"][0])
