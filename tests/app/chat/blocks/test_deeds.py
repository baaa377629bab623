"""What a key can do in a block: its own buttons, its folds, its links."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.chat.blocks.attachments_block import AttachmentsBlock
from app.chat.blocks.block import Block
from app.chat.blocks.fold_block import FoldBlock
from app.conversations.records import Attachment
from tests.app.chat.blocks.drawing import WIDTH, block_of, blocks_of

LINKS = "See [the **docs**](https://e.org/a) and https://e.com now"


def names_of(block: Block) -> list[str]:
    return [deed.name for deed in block.deeds()]


@pytest.mark.parametrize(
    "source",
    [LINKS, f"- {LINKS}", f"> {LINKS}", f"# {LINKS}", f"| a | b |\n|---|---|\n| x | {LINKS} |"],
    ids=["paragraph", "item", "quote", "heading", "table"],
)
def test_links_are_deeds_where_they_are_seen(qapp: QApplication, source: str) -> None:
    block = block_of(source)
    first, second = block.deeds()
    assert (first.name, second.name) == ("Open the docs, https://e.org/a", "Open https://e.com")
    assert [block.link_at(deed.rect.center()) for deed in (first, second)] == ["https://e.org/a", "https://e.com"]


FOLDED = {
    "code": ("```py\n" + "x\n" * 600 + "```", "Show all, 600 lines"),
    "table": ("|a|\n|-|\n" + "|1|\n" * 400, "Show all, 400 rows"),
}


@pytest.mark.parametrize("name", FOLDED)
def test_what_is_folded_can_be_shown(qapp: QApplication, name: str) -> None:
    block = block_of(FOLDED[name][0])
    height = block.set_width(WIDTH)
    fold = block.deeds()[-1]
    assert fold.name == FOLDED[name][1]
    fold.do()
    assert block.set_width(WIDTH) > height
    assert fold.name not in names_of(block)


def test_a_users_long_message_can_be_shown(qapp: QApplication) -> None:
    block = block_of("\n".join(map(str, range(100))), role="user")
    height = block.set_width(WIDTH)
    block.deeds()[0].do()
    assert block.set_width(WIDTH) > height
    assert names_of(block) == []


def test_code_can_be_copied(qapp: QApplication) -> None:
    copy = block_of("```py\nx = 1\n```").deeds()[0]
    copy.do()
    assert (copy.name, QGuiApplication.clipboard().text()) == ("Copy code", "x = 1\n")


def test_each_attachment_can_be_opened(qapp: QApplication) -> None:
    block = AttachmentsBlock([Attachment("a.txt", "A"), Attachment("b.txt", "B")])
    block.set_width(WIDTH)
    assert names_of(block) == ["Open a.txt", "Open b.txt"]
    block.deeds()[1].do()
    assert block.pressed == Attachment("b.txt", "B")


def test_reasoning_is_shown_with_the_links_in_it(qapp: QApplication) -> None:
    fold, thought, *_ = blocks_of(f"<think>{LINKS}</think>\n\nYes.")
    assert isinstance(fold, FoldBlock)
    assert (names_of(fold), names_of(thought)) == (["Show reasoning"], [])
    fold.deeds()[0].do()
    thought.set_width(WIDTH)
    assert names_of(fold) == ["Fold reasoning"]
    assert thought.link_at(thought.deeds()[0].rect.center()) == "https://e.org/a"


def test_deeds_of_a_very_long_reply_are_where_they_are_seen(qapp: QApplication) -> None:
    part = next(block for block in blocks_of(f"{LINKS}\n\nWords.\n\n" * 1_000) if len(block.deeds()) > 4)
    last = part.deeds()[-1]
    assert part.link_at(last.rect.center()) == "https://e.com"
    assert QRectF(0, 0, WIDTH, part.set_width(WIDTH)).contains(QPointF(last.rect.center()))


def test_what_is_not_laid_out_has_no_places(qapp: QApplication) -> None:
    block = block_of(LINKS)
    block.release()
    assert block.deeds() == ()
