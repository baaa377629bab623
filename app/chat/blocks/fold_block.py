"""FoldBlock: the line over a reply's reasoning, which it shows and hides."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint
from app.chat.blocks.small_words import draw_words, words_width
from app.chat.markdown_pieces import Place
from app.figures import write_count
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol

_HEIGHT = 24.0
_CHEVRON = 15.0
_TEXT_X = 16.0


class FoldBlock(PlacedBlock):
    """Shows and hides the blocks of one part of reasoning; its words are not part of the text."""

    length = 0
    is_laid_out = True

    def __init__(self, source_start: int, gap: int = 0) -> None:
        super().__init__(Place(gap=gap, joint="\n\n" if gap else ""), "", source_start)
        self.is_open = False
        self.is_running = False
        self.is_unfinished = False  # its end was not written
        self.seconds = 0.0
        self.num_tokens = 0
        self._began: float | None = None  # seconds of the reply before it

    def show_seconds(self, seconds: float) -> None:
        """The reply has run for so long; what came before this part is not counted."""
        if self._began is None:
            self._began = seconds if self.gap else 0.0
        self.seconds = seconds - self._began

    @property
    def words(self) -> tuple[str, str]:
        """What it says, and the number of tokens after it."""
        seconds = f"{max(1, round(self.seconds))}\u00a0s" if self.seconds else ""
        if self.is_running:
            return f"Thinking, {seconds}" if seconds else "Thinking", ""
        said = f"Thought for {seconds}" if seconds else "Thought"
        tokens = write_count(self.num_tokens, "tokens") if self.num_tokens else ""
        return f"{said}, unfinished" if self.is_unfinished else said, tokens

    def estimate(self, width: float) -> float:
        return _HEIGHT

    def set_width(self, width: float) -> float:
        self._width = width
        return _HEIGHT

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        is_hovered = paint.hover is not None and self._ground.contains(paint.hover)
        ink = paint.tokens.ink if is_hovered else paint.tokens.ink2
        symbol = "chevron-down" if self.is_open else "chevron-right"
        draw_symbol(painter, symbol, ink, self._placed(-3, _CHEVRON, _CHEVRON))
        said, tokens = self.words
        width = words_width(said, "interface")
        draw_words(painter, said, ink, self._placed(_TEXT_X, width), "interface")
        rest = self._placed(_TEXT_X + width + 8, words_width(tokens, "interface"))
        draw_words(painter, tokens, paint.tokens.ink3, rest, "interface")

    def _placed(self, start: float, width: float, height: float = _HEIGHT) -> QRectF:
        """A place in the line, counted from its start side."""
        place = QRectF(start, (_HEIGHT - height) // 2, width, height)
        return mirrored(place, QRectF(0, 0, self._width, _HEIGHT), QGuiApplication.layoutDirection())

    @property
    def _ground(self) -> QRectF:
        width = _TEXT_X + sum(words_width(words, "interface") for words in self.words) + 8
        return self._placed(-4, width + 8)

    def press(self, point: QPointF) -> bool:
        if not self._ground.contains(point):
            return False
        self.is_open = not self.is_open
        return True

    def text(self, start: int, end: int) -> str:
        return ""

    def describe(self) -> str:
        state = "shown" if self.is_open else "folded"
        return ", ".join(words.replace("\u00a0", " ") for words in (*self.words, state) if words)


class SystemFold(FoldBlock):
    """The line over a system prompt, which other programs keep as a message."""

    @property
    def words(self) -> tuple[str, str]:
        return "System prompt", ""
