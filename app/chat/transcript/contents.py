"""Contents: the blocks of one message, made when they are first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from app.chat.blocks.block import Block
from app.chat.blocks.fold_block import FoldBlock
from app.chat.blocks.looks import text_scale
from app.chat.blocks.message import LiveBlocks, make_blocks
from app.chat.blocks.user_block import FOLD_LINES as USER_FOLD_LINES
from app.chat.blocks.user_block import SHARE as USER_SHARE
from app.chat.transcript.asked import with_code
from app.conversations.records import Message, ReplyState
from engine.messages import ReasoningTags

_CHARACTER, _LINE, _PARAGRAPH = 7.4, 24.0, 12.0  # px, on average, of a text that is not laid out
_USER_LINE, _USER_INSET = 23.0, 12.0


@dataclass(slots=True)
class Reading:
    """How reasoning is found in one chat; every section reads the same object."""

    tags: tuple[ReasoningTags, ...] = ()


@cache
def unfolded_chats() -> set[str]:
    """Ids of the chats whose reasoning the reader opened last, as long as the program runs."""
    return set()


class Contents:
    """`blocks` stay the same objects as long as their text does; only the last ones change while a reply runs."""

    def __init__(self, message: Message, reading: Reading) -> None:
        self._message = message
        self._reading = reading
        self._live: LiveBlocks | None = None
        self._plain: list[Block] | None = None  # of what is no reply
        self._text = message.text

    @property
    def is_made(self) -> bool:
        return self._live is not None or self._plain is not None

    @property
    def blocks(self) -> list[Block]:
        if self._message.role != "assistant":
            if self._plain is None:
                self._plain = with_code(make_blocks(self._message))
            return self._plain
        return self._made.blocks

    def forget(self) -> None:
        """Drop the blocks, which are made again when they are next asked for."""
        self._live = self._plain = None

    @property
    def _made(self) -> LiveBlocks:
        if self._live is None:
            is_unfolded = self._message.conversation_id in unfolded_chats()
            self._live = LiveBlocks(self._message.opening, self._reading.tags, is_unfolded=is_unfolded)
            if self._message.state is ReplyState.RUNNING:
                self._live.append(self._text)
                self._live.change(self._message)
            else:
                self._live.text = self._text
                self._live.end(self._message)
        return self._live

    def append(self, text: str) -> int:
        """Add text at the end of a reply; returns the index of the first block that changed."""
        first = self._made.append(text)
        self._text += text
        return first

    def take(self, message: Message) -> None:
        """The message has another state, or another text."""
        has_other_text = message.text != self._text
        has_other_opening = message.opening != self._message.opening
        was_running = self._message.state is ReplyState.RUNNING
        is_running = message.state is ReplyState.RUNNING
        self._message, self._text = message, message.text
        if has_other_text or has_other_opening or (is_running and not was_running):
            self._live = self._plain = None
        elif self._live is not None and was_running and not is_running:
            self._live.end(message)
        elif self._live is not None:
            self._live.change(message)

    def show_thinking(self, seconds: float) -> bool:
        """Say how long reasoning that runs took so far; False where none runs."""
        running = [fold for fold in self._made.folds if fold.is_running]
        for fold in running:
            fold.show_seconds(seconds)
        return bool(running)

    def keep_choice(self, block: int) -> None:
        """After a press on a block: replies that are read later show their reasoning as this one does."""
        pressed = self.blocks[block] if block < len(self.blocks) else None
        if self._message.role != "assistant":
            return
        if isinstance(pressed, FoldBlock) and pressed.is_open:
            unfolded_chats().add(self._message.conversation_id)
        elif isinstance(pressed, FoldBlock):
            unfolded_chats().discard(self._message.conversation_id)


def estimate_height(text: str, width: float, *, is_reply: bool) -> float:
    """Height of a text for a width without parsing or laying it out."""
    if not text:
        return 0.0
    scale = text_scale()
    width /= scale
    if not is_reply:
        num_lines = min(text.count("\n") + len(text) * _CHARACTER / max(1.0, USER_SHARE * width), USER_FOLD_LINES)
        return (num_lines + 1) * _USER_LINE * scale + 2 * _USER_INSET
    num_lines = text.count("\n")
    num_paragraphs = text.count("\n\n")
    wrapped = len(text) * _CHARACTER / max(1.0, width)
    lines = (wrapped + num_lines / 2 + 0.5) * _LINE * scale
    return lines + num_paragraphs * (_PARAGRAPH - _LINE * scale / 2)
