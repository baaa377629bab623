"""A system prompt that another program kept as a message: a quiet line, its text folded under it."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from app.chat.blocks.fold_block import FoldBlock, SystemFold
from app.chat.blocks.message import make_blocks
from app.chat.blocks.user_block import UserBlock
from app.conversations.records import Message

PROMPT = Message("s", "c", None, "system", "Answer **briefly**.\n\nSay where it is from.")


def test_it_is_a_line_that_opens(qtbot: object) -> None:
    fold, *text = make_blocks(PROMPT)
    assert isinstance(fold, SystemFold)
    assert not any(isinstance(block, UserBlock) for block in text)
    fold.set_width(600)
    assert [block.set_width(600) for block in text] == [0.0] * len(text)
    assert fold.describe() == "System prompt, folded"
    assert fold.press(QPointF(20, 10))
    assert all(block.set_width(600) > 0 for block in text)
    assert fold.describe() == "System prompt, shown"


def test_its_text_can_be_copied(qtbot: object) -> None:
    blocks = make_blocks(PROMPT)
    assert "Answer briefly." in "".join(block.text(0, block.length) for block in blocks)


def test_a_message_of_mine_stays_one(qtbot: object) -> None:
    blocks = make_blocks(Message("u", "c", None, "user", "Answer"))
    assert not any(isinstance(block, FoldBlock) for block in blocks)
