"""The type sizes, in pixels, on the system's own families."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from PySide6.QtGui import QFont, QFontDatabase

SIZES = MappingProxyType(  # name -> (pixels, weight)
    {
        "page-title": (22, QFont.Weight.DemiBold),
        "first-title": (26, QFont.Weight.DemiBold),
        "big-number": (28, QFont.Weight.DemiBold),
        "heading": (15, QFont.Weight.DemiBold),
        "reply": (15, QFont.Weight.Normal),
        "interface": (13, QFont.Weight.Normal),
        "interface-medium": (13, QFont.Weight.Medium),
        "interface-strong": (13, QFont.Weight.DemiBold),
        "small": (12, QFont.Weight.Normal),
        "small-strong": (12, QFont.Weight.DemiBold),
        "caption": (11, QFont.Weight.Medium),
        "code": (13, QFont.Weight.Normal),
    }
)


class TextSize:
    """What all sizes are multiplied by, as the user chose it."""

    percent = 100


def set_text_size(percent: int) -> None:
    """Fonts that were handed out before keep their size."""
    TextSize.percent = percent
    font.cache_clear()


@cache
def font(name: str) -> QFont:
    """The font of a use named in SIZES; numbers in it have tabular figures. Not to be changed by the caller."""
    pixels, weight = SIZES[name]
    pixels = round(pixels * TextSize.percent / 100)
    kind = QFontDatabase.SystemFont.FixedFont if name == "code" else QFontDatabase.SystemFont.GeneralFont
    made = QFontDatabase.systemFont(kind)
    made.setPixelSize(pixels)
    made.setWeight(weight)
    made.setFeature(QFont.Tag("tnum"), 1)
    if name == "code":
        made.setStyleHint(QFont.StyleHint.Monospace)
    if name.endswith("title") or name == "big-number":
        made.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, -0.3)
    return made
