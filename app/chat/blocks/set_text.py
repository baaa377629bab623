"""SetText: spans as the characters that are laid out; a formula that is drawn has one in place of its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QFont, QTextLayout

from app.chat.blocks.formula_setter import Drawing, FormulaKey
from app.chat.blocks.formulas import formulas
from app.chat.blocks.looks import PLAIN, Look, font_of, format_of, metrics_of
from app.chat.blocks.units import count_units
from app.chat.markdown_inline import Span
from app.theme.tokens import Tokens

_ROOM = "\u00a0"  # made as wide as the drawing
_FORMULA_PADDING = 1.0


@dataclass(frozen=True, slots=True)
class DrawnFormula:
    """One character at `shown` stands for the plain text from `start` to `end`."""

    start: int
    end: int
    shown: int
    drawing: Drawing


@dataclass(frozen=True, slots=True)
class SetText:
    """Positions `start` to `end` are those of the plain text, "shown" ones those of the layout; UTF-16 units."""

    shown: str
    formats: tuple[QTextLayout.FormatRange, ...]
    formulas: tuple[DrawnFormula, ...]
    waiting: tuple[FormulaKey, ...]  # of formulas that stand as source until they are drawn

    def to_shown(self, position: int) -> int:
        shift = 0
        for formula in self.formulas:
            if position <= formula.start:
                break
            if position < formula.end:
                return formula.shown
            shift += formula.end - formula.start - 1
        return position - shift

    def to_plain(self, shown: int) -> int:
        shift = 0
        for formula in self.formulas:
            if shown <= formula.shown:
                break
            shift += formula.end - formula.start - 1
        return shown + shift


class _Setter:
    def __init__(self, look: Look, tokens: Tokens) -> None:
        self.texts: list[str] = []
        self.formats: list[QTextLayout.FormatRange] = []
        self.formulas: list[DrawnFormula] = []
        self.waiting: list[FormulaKey] = []
        self._look = look
        self._tokens = tokens
        self._plain = 0
        self._shown = 0

    def add(self, span: Span) -> None:
        length = count_units(span.text)
        key = formula_key(span.text, self._look) if span.style.is_formula else None
        drawing = formulas().find(key) if key else None
        if drawing is not None:
            self._add_drawing(drawing, length)
        else:
            self._add_text(span, length)
            if key and not formulas().is_known(key):
                self.waiting.append(key)
        self._plain += length

    def _add_text(self, span: Span, length: int) -> None:
        self.texts.append(span.text)
        if span.style != PLAIN:
            made = QTextLayout.FormatRange()
            made.format = format_of(self._look, span.style, self._tokens)
            self._add_format(made, length)
        self._shown += length

    def _add_drawing(self, drawing: Drawing, length: int) -> None:
        made = QTextLayout.FormatRange()
        form = format_of(self._look, PLAIN, self._tokens)
        form = type(form)(form)
        font = QFont(font_of(self._look))
        room = drawing.width + 2 * _FORMULA_PADDING - metrics_of(self._look).horizontalAdvance(_ROOM)
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, room)
        form.setFont(font)
        made.format = form
        self.formulas.append(DrawnFormula(self._plain, self._plain + length, self._shown, drawing))
        self.texts.append(_ROOM)
        self._add_format(made, 1)
        self._shown += 1

    def _add_format(self, made: QTextLayout.FormatRange, length: int) -> None:
        made.start = self._shown
        made.length = length
        self.formats.append(made)


def set_spans(spans: Sequence[Span], look: Look, tokens: Tokens) -> SetText:
    setter = _Setter(look, tokens)
    for span in spans:
        setter.add(span)
    return SetText("".join(setter.texts), tuple(setter.formats), tuple(setter.formulas), tuple(setter.waiting))


def formula_key(written: str, look: Look) -> FormulaKey:
    """Of a formula with its marks, in text of a look; letters of formulas are smaller than others of their size."""
    num_marks = 1 if written.startswith("$") and not written.startswith("$$") else 2
    pixels = font_of(look).pixelSize() + 1
    return FormulaKey(written[num_marks:-num_marks].strip(), pixels, written.startswith(("$$", "\\[")))
