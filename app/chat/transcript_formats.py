"""Text formats of the transcript: what each kind of line looks like, and the marks that its painter reads."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.chat.markdown import Line, Span, Style
from app.theme.fonts import font
from app.theme.theme import Theme

INDENT = 22
USER_PADDING = 16
CODE_PADDING = 14
CELL_PADDING = 7
_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_HEADING_PIXELS = {1: 19, 2: 17, 3: 16}
_LINE_HEIGHTS = {
    "code": 20,
    "code-head": 26,
    "code-foot": 12,
    "rule": 1,
    "heading": 26,
    "strip": 26,
    "reason": 22,
    "fold": 24,
}


class Mark(IntEnum):
    """Properties of a block that only the painter reads."""

    KIND = QTextFormat.Property.UserProperty.value + 1
    OWNER = KIND + 1  # number of the section that the block belongs to
    BULLET = KIND + 2
    QUOTES = KIND + 3


def kind_of(block: QTextBlock) -> str:
    return str(block.blockFormat().property(Mark.KIND) or "")


def owner_of(block: QTextBlock) -> int:
    return int(block.blockFormat().property(Mark.OWNER) or 0)


def bare_block(kind: str, owner: int, *, gap: float = 0, height: float | None = None) -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setProperty(Mark.KIND, kind)
    made.setProperty(Mark.OWNER, owner)
    made.setTopMargin(gap)
    made.setLineHeight(height or _LINE_HEIGHTS.get(kind, 24), _FIXED)
    return made


class Formats:
    """Formats for one theme; made anew when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._characters: dict[tuple[str, int, Style], QTextCharFormat] = {}

    def block(self, line: Line, owner: int) -> QTextBlockFormat:
        made = bare_block(line.kind, owner, gap=line.gap)
        made.setLeftMargin(INDENT * (line.level if line.kind != "heading" else 0) + 16 * line.num_quotes)
        if line.kind == "heading":
            made.setHeadingLevel(line.level)
        if line.kind in ("code", "code-head", "code-foot"):
            made.setLeftMargin(made.leftMargin() + CODE_PADDING)
            made.setRightMargin(CODE_PADDING)
            made.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            made.setBottomMargin(14 if line.kind == "code-head" else 0)
        if line.mark:
            made.setProperty(Mark.BULLET, line.mark)
        made.setProperty(Mark.QUOTES, line.num_quotes)
        return made

    def characters(self, line: Line, span: Span) -> QTextCharFormat:
        key = (line.kind, line.level if line.kind == "heading" else 0, span.style)
        if key not in self._characters:
            self._characters[key] = self._make(*key)
        return self._characters[key]

    def plain(self, use: str, colour: str = "") -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(font(use))
        if colour:
            made.setForeground(self._theme.colour(colour))
        return made

    def _make(self, kind: str, level: int, style: Style) -> QTextCharFormat:
        made = self.plain({"code": "code", "code-head": "small", "cell-head": "small-strong"}.get(kind, "reply"))
        if kind == "heading":
            made.setProperty(QTextFormat.Property.FontPixelSize, _HEADING_PIXELS.get(level, 15))
            made.setFontWeight(QFont.Weight.DemiBold)
        if kind in ("code-head", "cell-head"):
            made.setForeground(self._theme.colour("ink2"))
        if style.is_bold:
            made.setFontWeight(QFont.Weight.DemiBold)
        made.setFontItalic(style.is_italic)
        made.setFontStrikeOut(style.is_struck)
        if style.is_code and kind != "code":
            made.setFont(font("code"))
            made.setBackground(self._theme.colour("sunken"))
        if style.tone:
            made.setForeground(self._theme.colour(style.tone))
        if style.href:
            made.setAnchor(True)
            made.setAnchorHref(style.href)
            made.setForeground(self._theme.colour("target"))
        return made


def cell_format(*, is_last: bool) -> QTextTableCellFormat:
    made = QTextTableCellFormat()
    made.setTopPadding(CELL_PADDING)
    made.setBottomPadding(CELL_PADDING)
    made.setRightPadding(0 if is_last else 16)
    return made


def table_format(gap: float) -> QTextTableFormat:
    """A table without a frame; the painter draws its hairlines."""
    made = QTextTableFormat()
    made.setBorder(0)
    made.setCellSpacing(0)
    made.setCellPadding(0)
    made.setTopMargin(gap)
    made.setHeaderRowCount(1)
    return made
