"""The blocks of a message: all at once with `make_blocks`, or as its text comes with `LiveBlocks`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from app.chat.blocks.attachments_block import AttachmentsBlock
from app.chat.blocks.block import Block
from app.chat.blocks.factory import make_block
from app.chat.blocks.fold_block import FoldBlock, SystemFold
from app.chat.blocks.folded_block import FoldedBlock
from app.chat.blocks.growing import GrowingMarkdown, PieceBlock
from app.chat.blocks.looks import REPLY, THOUGHT, Look
from app.chat.blocks.part_block import PartBlock
from app.chat.blocks.user_block import UserBlock
from app.chat.markdown_parts import MAX_WHOLE
from app.chat.markdown_pieces import Piece, Place
from app.conversations.reasoning import Part, split_reasoning
from app.conversations.records import Message
from engine.messages import ReasoningTags

_REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*\S", re.MULTILINE)
_AFTER_FOLD = 8  # px
_AFTER_CHIPS = 8


def make_blocks(message: Message, tags: Sequence[ReasoningTags] = (), *, is_unfolded: bool = False) -> list[Block]:
    """The blocks of a message that is not running; `tags` are those of its model, `is_unfolded` shows reasoning."""
    if message.role == "system":
        return _blocks_of_system_prompt(message.text)
    if message.role != "assistant":
        return _blocks_as_written(message)
    live = LiveBlocks(message.opening, tags, is_unfolded=is_unfolded)
    live.text = message.text
    live.end(message)
    return live.blocks


@dataclass(slots=True)
class _Shown:
    """One part of a reply; `fold` stands above the blocks of reasoning."""

    growing: GrowingMarkdown
    fold: FoldBlock | None
    is_live: bool = True

    @property
    def blocks(self) -> Sequence[Block]:
        return self.growing.blocks if self.fold is None else (self.fold, *self.growing.blocks)


class LiveBlocks:
    """The blocks of one reply as its text comes."""

    def __init__(self, opening: str = "", tags: Sequence[ReasoningTags] = (), *, is_unfolded: bool = False) -> None:
        self.blocks: list[Block] = []
        self.text = ""
        self._opening = opening
        self._tags = tags
        self._is_unfolded = is_unfolded
        self._shown: list[_Shown] = []

    @property
    def folds(self) -> list[FoldBlock]:
        return [shown.fold for shown in self._shown if shown.fold]

    def append(self, text: str) -> int:
        """Take what came; returns the index of the first block that is another, or looks otherwise, than before."""
        self.text += text
        parts = split_reasoning(self.text, self._opening, self._tags, is_growing=True)
        return self._show(parts, is_live=True)

    def change(self, message: Message) -> None:
        """Say over the first reasoning what the message says of all of it: its time and tokens."""
        for place, fold in enumerate(self.folds):
            fold.seconds = 0.0 if place else message.thought_seconds
            fold.num_tokens = 0 if place else message.num_thought

    def end(self, message: Message) -> int:
        """Show the reply as it ended: the last block as finished Markdown, reasoning without an end unfolded."""
        parts = split_reasoning(self.text, self._opening, self._tags)
        kinds = ["reasoning" if shown.fold else "answer" for shown in self._shown]
        if [part.kind for part in parts] != kinds or (self._shown and self._has_references):
            self._shown.clear()
            self.blocks.clear()
        changed = self._show(parts, is_live=False)
        self.change(message)
        return changed

    @property
    def _has_references(self) -> bool:
        """Whether addresses of links stand by themselves: they are found only where the whole is parsed at once."""
        return len(self.text) <= MAX_WHOLE and _REFERENCE.search(self.text) is not None

    def _show(self, parts: Sequence[Part], *, is_live: bool) -> int:
        first_changed = len(self.blocks)
        place = 0
        for index, part in enumerate(parts):
            if index == len(self._shown):
                self._shown.append(self._begin(part, follows=index > 0))
                first_changed = min(first_changed, place)
            shown = self._shown[index]
            if shown.is_live:
                changed = self._extend(shown, part, is_live=is_live and index == len(parts) - 1)
                first_changed = min(first_changed, place + changed)
            place += len(shown.blocks)
        self.blocks[first_changed:] = [block for shown in self._shown for block in shown.blocks][first_changed:]
        return first_changed

    def _begin(self, part: Part, *, follows: bool) -> _Shown:
        gap = _AFTER_FOLD if follows else 0
        if part.kind == "answer":
            part_maker = partial(_make_part, REPLY)
            return _Shown(GrowingMarkdown(make_block, part.start, first_gap=gap, make_part=part_maker), None)
        fold = FoldBlock(part.start, gap)
        fold.is_open = self._is_unfolded
        part_maker = partial(_make_thoughts, fold)
        return _Shown(GrowingMarkdown(partial(_make_thought, fold), part.start, make_part=part_maker), fold)

    def _extend(self, shown: _Shown, part: Part, *, is_live: bool) -> int:
        """Take a part's text as far as it goes; returns the index of the first block of it that changed."""
        text = self.text[shown.growing.end : part.end]
        changed = shown.growing.append(text, is_live=is_live) if text or not is_live else len(shown.growing.blocks)
        shown.is_live = is_live
        if shown.fold is None:
            return changed
        was_running = shown.fold.is_running
        shown.fold.is_running = is_live and part.is_open
        shown.fold.is_unfinished = part.is_open and not is_live
        shown.fold.is_open = shown.fold.is_open or shown.fold.is_unfinished
        return 0 if was_running != shown.fold.is_running else changed + 1


def _make_thought(fold: FoldBlock, piece: Piece, source: str, source_start: int) -> PieceBlock:
    return FoldedBlock(make_block(piece, source, source_start, THOUGHT), fold, has_line=True)


def _make_part(look: Look, source: str, source_start: int, place: Place) -> PieceBlock:
    return PartBlock(source, source_start, place, partial(make_block, look=look))


def _make_thoughts(fold: FoldBlock, source: str, source_start: int, place: Place) -> PieceBlock:
    return FoldedBlock(_make_part(THOUGHT, source, source_start, place), fold, has_line=True)


def _blocks_of_system_prompt(text: str) -> list[Block]:
    """A quiet line, and under it, until it is pressed unseen, what the prompt says."""
    fold = SystemFold(0)
    maker, part_maker = partial(_make_thought, fold), partial(_make_thoughts, fold)
    growing = GrowingMarkdown(maker, 0, make_part=part_maker)
    growing.append(text, is_live=False)
    return [fold, *growing.blocks]


def _blocks_as_written(message: Message) -> list[Block]:
    """A user's message: chips of its attachments, then its own text."""
    blocks: list[Block] = []
    if message.attachments:
        blocks.append(AttachmentsBlock(message.attachments))
    if message.text or not blocks:
        blocks.append(UserBlock(message.text, _AFTER_CHIPS if blocks else 0))
    return blocks
