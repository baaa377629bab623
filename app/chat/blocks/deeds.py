"""Deeds that a paragraph's links are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby

from PySide6.QtCore import QPointF, QUrl
from PySide6.QtGui import QDesktopServices

from app.chat.blocks.block import Deed
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.units import count_units


def links_of(paragraph: Paragraph, origin: QPointF) -> Iterator[Deed]:
    """Each link of a paragraph that is laid out at a place, with what of it is in its first row."""
    place = 0
    for address, spans in groupby(paragraph.spans, key=lambda span: span.style.href):
        words = "".join(span.text for span in spans)
        end = place + count_units(words)
        rects = paragraph.rects(place, end) if address else []
        if rects:
            said = words if words == address else f"{words}, {address}"
            open_link = partial(QDesktopServices.openUrl, QUrl(address))  # a span has no address that is not allowed
            yield Deed(f"Open {said}", rects[0].translated(origin), open_link)
        place = end
