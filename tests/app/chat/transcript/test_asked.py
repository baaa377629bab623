"""A user's message: exactly as it was written, but code between fences is a block with Copy."""

from __future__ import annotations

from app.chat.blocks.code_block import CodeBlock
from app.chat.transcript import Transcript
from tests.app.chat.transcripts import message

WRITTEN = "Why does *this* fail?\n\n```py\nx = 1\n\n  y\n```\nIt says:\n~~~\nNo\n~~~"


def test_code_between_fences_is_code_and_all_else_as_written(transcript: Transcript) -> None:
    transcript.show_messages([message("user", WRITTEN)])
    blocks = transcript.sections[0].blocks
    assert [block.text(0, block.length) for block in blocks] == [
        "Why does *this* fail?",
        "x = 1\n\n  y",
        "It says:",
        "No",
    ]
    assert [isinstance(block, CodeBlock) for block in blocks] == [False, True, False, True]
    assert [deed.name for deed in blocks[1].deeds()] == ["Copy code"]


def test_it_is_copied_as_markdown_as_it_was_written(transcript: Transcript) -> None:
    transcript.show_messages([message("user", WRITTEN), message("assistant", "So.", number=2)])
    for block in transcript.sections[0].blocks:
        source = block.markdown()
        assert WRITTEN[block.source_start :].startswith(source)
    transcript.selectAll()
    assert "\n\n".join(transcript.selection.copied(as_markdown=True)) == f"{WRITTEN}\n\nSo."


def test_a_fence_without_an_end_is_text(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "```py\nx = 1")])
    assert transcript.plain_text() == "```py\nx = 1"
