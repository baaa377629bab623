"""The bar of how much of the memory a model takes, and the sentence beside it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.library.verdict import Verdict
from app.sidebar.delegate import draw_title
from app.theme.glyphs import draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.tokens import Tokens

BAR_WIDTH, BAR_HEIGHT = 56, 5


def draw_verdict(
    painter: QPainter, tokens: Tokens, rect: QRectF, verdict: Verdict, place: QRectF, *, is_chosen: bool = False
) -> None:
    """A bar of how much it takes, or the sign that it does not fit, and the sentence; `rect` is the whole row."""
    direction = painter.layoutDirection()
    middle = place.center().y()
    if verdict.is_fit:
        bar = QRectF(place.left(), round(middle - BAR_HEIGHT / 2), BAR_WIDTH, BAR_HEIGHT)
        draw_round(painter, mirrored(bar, rect, direction), 2.5, tokens.raised if is_chosen else tokens.hover)
        bar.setWidth(max(BAR_HEIGHT, BAR_WIDTH * min(1.0, verdict.share)))
        draw_round(painter, mirrored(bar, rect, direction), 2.5, tokens.target)
    else:
        symbol = QRectF(place.left(), round(middle - 8), 16, 16)
        draw_symbol(painter, "warning", tokens.alert, mirrored(symbol, rect, direction))
    words = place.adjusted((BAR_WIDTH if verdict.is_fit else 16) + 10, 0, 0, 0)
    colour = tokens.ink2 if verdict.is_fit else tokens.alert
    draw_title(painter, mirrored(words, rect, direction), verdict.sentence, colour, "small")
