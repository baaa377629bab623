"""How text is set: fonts, heights of lines, inks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QTextCharFormat

from app.chat.markdown_inline import Style
from app.theme.fonts import SIZES, font
from app.theme.tokens import Tokens

PLAIN = Style()
_INDENT = 22  # of a list
QUOTE_INDENT = 16
_CODE_SMALLER = 2  # px than the text around it
_HEADING_PIXELS = {1: 19, 2: 17, 3: 16}


@dataclass(frozen=True, slots=True)
class Look:
    """The ordinary text of a message; `pixels` and `weight` other than 0 take the place of the font's own."""

    font: str = "reply"
    line_height: int = 24
    ink: str = "ink"
    pixels: int = 0
    weight: int = 0
    code_ground: str = "sunken"  # behind code in a line

    @property
    def row_height(self) -> int:
        """Height of a line at the user's text size."""
        return round(self.line_height * text_scale())


REPLY = Look()
THOUGHT = Look("interface", 20, "ink2")
USER = Look(line_height=23, code_ground="hover")  # on a ground that is sunken itself
CODE = Look("code", 20)
CELL = Look(line_height=20)
CELL_HEAD = Look("small-strong", 16, "ink2")


def heading_look(level: int, look: Look) -> Look:
    """A heading within text of a look; one inside reasoning is no larger than its text."""
    if look is not REPLY:
        return Look(look.font, look.line_height, look.ink, weight=QFont.Weight.DemiBold.value)
    return Look("reply", 26, "ink", _HEADING_PIXELS.get(level, 15), QFont.Weight.DemiBold.value)


def text_scale() -> float:
    """What the user's text size multiplies all sizes by."""
    return font("reply").pixelSize() / SIZES["reply"][0]


def indent() -> int:
    """Px that a list sets its items in."""
    return round(_INDENT * text_scale())


def is_mirrored() -> bool:
    """Whether the interface runs from right to left; paragraphs follow their own first letter."""
    return QGuiApplication.isRightToLeft()


def font_of(look: Look, style: Style = PLAIN) -> QFont:
    """Not to be changed by the caller."""
    return _font_of(look, style, text_scale())


def metrics_of(look: Look, style: Style = PLAIN) -> QFontMetricsF:
    return _metrics_of(look, style, text_scale())


def format_of(look: Look, style: Style, tokens: Tokens) -> QTextCharFormat:
    """Of a span that differs from the plain text of its look."""
    return _format_of(look, style, tokens, text_scale())


@lru_cache(maxsize=256)
def _font_of(look: Look, style: Style, scale: float) -> QFont:
    is_fixed = style.is_code or style.is_formula or look.font == "code"
    made = QFont(font("code" if is_fixed else look.font))
    pixels = look.pixels or SIZES[look.font][0]
    if is_fixed:
        pixels = min(SIZES["code"][0], pixels - (0 if look.font == "code" else _CODE_SMALLER))
    made.setPixelSize(round(pixels * scale))
    if look.weight:
        made.setWeight(QFont.Weight(look.weight))
    if style.is_bold:
        made.setWeight(QFont.Weight.DemiBold)
    made.setItalic(style.is_italic)
    made.setStrikeOut(style.is_struck)
    return made


@lru_cache(maxsize=256)
def _metrics_of(look: Look, style: Style, scale: float) -> QFontMetricsF:
    return QFontMetricsF(_font_of(look, style, scale))


@lru_cache(maxsize=1024)
def _format_of(look: Look, style: Style, tokens: Tokens, scale: float) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(_font_of(look, style, scale))
    tone = "target" if style.href else style.tone
    if tone:
        made.setForeground(QColor(getattr(tokens, tone)))
    return made
