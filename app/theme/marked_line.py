"""One line of text with parts of it marked: what was looked for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextOption

Spans = Sequence[tuple[int, int]]  # half-open, in characters


def draw_marked_line(
    painter: QPainter, room: QRectF, text: str, spans: Spans, mark: QTextCharFormat, *, made: QFont, colour: str
) -> float:
    """From the layout's start; the text is not cut, and takes the direction of its first strong letter.

    Returns its width.
    """
    layout = QTextLayout(text, made)
    layout.setTextOption(_one_line())
    layout.setFormats([_range(text, span, mark) for span in spans])
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(room.width())
    layout.endLayout()
    painter.setPen(QColor(colour))
    is_mirrored = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
    left = room.right() - layout.maximumWidth() if is_mirrored else room.left()
    baseline = room.center().y() + QFontMetricsF(made).capHeight() / 2
    layout.draw(painter, QPointF(left, baseline - line.ascent()))
    return line.naturalTextWidth()


def _range(text: str, span: tuple[int, int], mark: QTextCharFormat) -> QTextLayout.FormatRange:
    """Qt counts in units of UTF-16."""
    made = QTextLayout.FormatRange()
    made.start = _units(text[: span[0]])
    made.length = _units(text[span[0] : span[1]])
    made.format = mark
    return made


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _one_line() -> QTextOption:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    return option
