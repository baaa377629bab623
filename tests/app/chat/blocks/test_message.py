"""The blocks of whole messages, at once and as they come."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.chat.blocks.block import Block
from app.chat.blocks.code_block import CodeBlock
from app.chat.blocks.fold_block import FoldBlock
from app.chat.blocks.message import LiveBlocks, make_blocks
from tests.app.chat.blocks.drawing import WIDTH, blocks_of, message

REPLY = """# Head

Some *text*.

- a
- b

```py
x = 1
```

| a | b |
|---|--:|
| 1 | 2 |

$$x$$

End [r].

[r]: https://e.org"""
THOUGHTS = f"<think>\nHm, **so**.\n\n```\nx\n```\n</think>\n\n{REPLY}"


def plain(blocks: list[Block]) -> str:
    return "".join(block.joint + block.text(0, block.length) for block in blocks)


def looks(blocks: list[Block]) -> list[tuple[object, ...]]:
    return [(block.describe(), block.gap, block.joint, block.markdown(), block.set_width(WIDTH)) for block in blocks]


@pytest.mark.parametrize("text", [REPLY, THOUGHTS, "", "x"])
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_reply_that_came_looks_as_one_that_was_opened(qapp: QApplication, text: str, size: int) -> None:
    live = LiveBlocks()
    for place in range(0, len(text), size):
        live.append(text[place : place + size])
    ended = message(text, thought_seconds=3.0, num_thought=9)
    live.end(ended)
    assert looks(live.blocks) == looks(make_blocks(ended))


LONG = {
    "prose": "## Head\n\nSome **bold** words and `code` of [it](https://example.org).\n\n- one\n- two\n\n" * 300,
    "a list": "- **a** b `c`\n" * 900,
    "a table": "|a|b|c|d|\n|-|-|-|-|\n" + "|1|`b`|**c**|d|\n" * 900 + "\nAfter.",
    "code": "```py\n" + "x = 2**8\n" * 900 + "```\n\nAfter.",
    "a dear paragraph": "**a** " * 1_500 + "\n\n" + "Then *more*.\n\n" * 20,
}


@pytest.mark.parametrize("name", LONG)
def test_a_running_reply_looks_the_same_at_once_and_in_pieces(qapp: QApplication, name: str) -> None:
    text = LONG[name]
    at_once, in_pieces = LiveBlocks(), LiveBlocks()
    at_once.append(text)
    for place in range(0, len(text), 400):
        in_pieces.append(text[place : place + 400])
    assert [block.describe() for block in at_once.blocks] == [block.describe() for block in in_pieces.blocks]
    assert ("**" in plain(at_once.blocks)) == (name == "code")


def test_only_blocks_from_the_one_that_is_returned_on_change(qapp: QApplication) -> None:
    live = LiveBlocks()
    for place in range(len(THOUGHTS)):
        before = list(live.blocks)
        first = live.append(THOUGHTS[place])
        assert before[:first] == live.blocks[:first]
        assert all(block.is_laid_out for block in live.blocks[:first])
        for block in live.blocks:
            block.set_width(WIDTH)


def test_markdown_of_the_blocks_stands_in_the_message_where_they_say(qapp: QApplication) -> None:
    for block in blocks_of(THOUGHTS):
        source = block.markdown()
        assert THOUGHTS[block.source_start : block.source_start + len(source)] == source


def test_copied_text_is_paragraphs_a_blank_line_apart(qapp: QApplication) -> None:
    assert plain(blocks_of("One.\n\n- a\n- b\n\n```\nx\n```")) == "One.\n\n• a\n• b\n\nx"


def test_text_like_tags_is_shown_as_it_is_written(qapp: QApplication) -> None:
    text = "use std::vector<int> and <div onclick=x> and &amp; <think>"
    assert plain(blocks_of(text)) == text


def test_a_fence_without_an_end_is_code_to_the_end_of_its_message(qapp: QApplication) -> None:
    (block,) = blocks_of("```py\nx=1\n")
    assert isinstance(block, CodeBlock)
    assert block.text(0, block.length) == "x=1"


def test_reasoning_is_folded_with_its_time_and_tokens(qapp: QApplication) -> None:
    blocks = blocks_of(THOUGHTS, thought_seconds=6.4, num_thought=214)
    fold = blocks[0]
    assert fold.describe() == "Thought for 6 s, 214 tokens, folded"
    assert [block.is_hidden for block in blocks[:4]] == [False, True, True, False]
    assert [block.set_width(WIDTH) for block in blocks[1:3]] == [0, 0]


def test_a_click_on_the_fold_shows_the_reasoning(qapp: QApplication) -> None:
    blocks = blocks_of(THOUGHTS)
    assert blocks[0].press(QPointF(10, 10))
    assert not blocks[1].is_laid_out
    assert blocks[1].set_width(WIDTH) > 0
    assert blocks[1].text(0, blocks[1].length) == "Hm, so."
    assert not blocks[0].press(QPointF(WIDTH - 1, 10))


def test_reasoning_that_never_ends_is_shown_and_said_to_be_unfinished(qapp: QApplication) -> None:
    fold, thought = blocks_of("<think>Hello! How are you?", thought_seconds=2.0)
    assert fold.describe() == "Thought for 2 s, unfinished, shown"
    assert not thought.is_hidden
    assert thought.text(0, thought.length) == "Hello! How are you?"


def test_running_reasoning_says_for_how_long_and_stays_folded(qapp: QApplication) -> None:
    live = LiveBlocks(opening="<think>\n")
    live.append("Hm.")
    live.change(message("Hm.", thought_seconds=3.2))
    assert live.folds[0].describe() == "Thinking, 3 s, folded"
    assert live.blocks[1].is_hidden
    assert live.append("</think>\n\nYes.") == 0
    assert live.folds[0].describe() == "Thought for 3 s, folded"
    assert plain(live.blocks[2:]) == "\n\nYes."


def test_a_users_message_is_shown_as_it_was_written(qapp: QApplication) -> None:
    text = "# not *Markdown*\n\n   $x$ <b>"
    assert plain(blocks_of(text, role="user")) == text


def test_a_very_long_reply_is_parsed_where_it_is_seen(qapp: QApplication) -> None:
    text = f"{REPLY}\n\n" * 700
    blocks = make_blocks(message(text))
    assert len(blocks) > 20
    assert sum(len(block.markdown()) for block in blocks) == len(text)
    assert all(block.set_width(WIDTH) > 0 for block in blocks[-2:])
    assert blocks[-1].text(0, blocks[-1].length).endswith("End r.")


def test_a_fold_can_be_open_from_the_beginning(qapp: QApplication) -> None:
    blocks = make_blocks(message(THOUGHTS), is_unfolded=True)
    assert isinstance(blocks[0], FoldBlock)
    assert blocks[0].is_open
    assert not blocks[1].is_hidden
