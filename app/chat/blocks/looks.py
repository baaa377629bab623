"""How text is set: fonts, heights of lines, inks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextCharFormat

from app.chat.markdown_inline import Style
from app.theme.fonts import SIZES, font
from app.theme.tokens import Tokens

PLAIN = Style()
INDENT = 22  # of a list
QUOTE_INDENT = 16
_HEADING_PIXELS = {1: 19, 2: 17, 3: 16}


@dataclass(frozen=True, slots=True)
class Look:
    """The ordinary text of a message; `pixels` and `weight` other than 0 take the place of the font's own."""

    font: str = "reply"
    line_height: int = 24
    ink: str = "ink"
    pixels: int = 0
    weight: int = 0


REPLY = Look()
THOUGHT = Look("interface", 20, "ink2")
USER = Look(line_height=23)
CODE = Look("code", 20)
CELL = Look(line_height=20)
CELL_HEAD = Look("small-strong", 16, "ink2")


def heading_look(level: int, look: Look) -> Look:
    """A heading within text of a look; one inside reasoning is no larger than its text."""
    if look is not REPLY:
        return Look(look.font, look.line_height, look.ink, weight=QFont.Weight.DemiBold.value)
    return Look("reply", 26, "ink", _HEADING_PIXELS.get(level, 15), QFont.Weight.DemiBold.value)


@lru_cache(maxsize=256)
def font_of(look: Look, style: Style = PLAIN) -> QFont:
    """Not to be changed by the caller."""
    made = QFont(font("code" if style.is_code or style.is_formula else look.font))
    if style.is_code or style.is_formula:
        made.setPixelSize(min(made.pixelSize(), (look.pixels or SIZES[look.font][0]) - 2 + (look.font == "code") * 2))
    elif look.pixels:
        made.setPixelSize(look.pixels)
    if look.weight:
        made.setWeight(QFont.Weight(look.weight))
    if style.is_bold:
        made.setWeight(QFont.Weight.DemiBold)
    made.setItalic(style.is_italic)
    made.setStrikeOut(style.is_struck)
    return made


@lru_cache(maxsize=256)
def metrics_of(look: Look, style: Style = PLAIN) -> QFontMetricsF:
    return QFontMetricsF(font_of(look, style))


@lru_cache(maxsize=1024)
def format_of(look: Look, style: Style, tokens: Tokens) -> QTextCharFormat:
    """Of a span that differs from the plain text of its look."""
    made = QTextCharFormat()
    made.setFont(font_of(look, style))
    tone = "target" if style.href else style.tone
    if tone:
        made.setForeground(QColor(getattr(tokens, tone)))
    return made
