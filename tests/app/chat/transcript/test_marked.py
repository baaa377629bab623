"""Copying as Markdown what is marked gives what is shown; as text, with the places in lists."""

from __future__ import annotations

import pytest

from app.chat.markdown_reader import parse
from app.chat.transcript import Transcript
from app.chat.transcript.selection import Place
from tests.app.chat.transcripts import message

SOURCES = {
    "a rule": "a\n\n---\n\nb",
    "a paragraph of an item": "1. a\n2. b\n\n   para\n3. c",
    "code in an item": "1. a\n\n   ```py\n   x=1\n   ```\n2. b",
    "lists in lists": "intro\n\n- a **b**\n  - c\n    1. d\n- e",
    "quotes": "> q **x**\n> y\n>\n> > deep",
    "an address elsewhere": "see [docs]\n\n[docs]: http://a.b",
}


def mark(transcript: Transcript, start: tuple[int, int], end: tuple[int, int]) -> None:
    """From a block and position of the reply to another."""
    transcript.selection.begin(Place(1, *start))
    transcript.selection.extend(Place(1, *end))


def show(transcript: Transcript, reply: str) -> int:
    """Returns the number of its blocks."""
    transcript.show_messages([message("user", "Why?"), message("assistant", reply, number=2)])
    return len(transcript.sections[1].blocks)


def copied(transcript: Transcript, *, as_markdown: bool = True) -> str:
    return "\n\n".join(transcript.selection.copied(as_markdown=as_markdown))


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_markdown_of_all_but_the_last_block_reads_as_it_did(transcript: Transcript, source: str) -> None:
    num_blocks = show(transcript, f"{source}\n\nend")
    mark(transcript, (0, 0), (num_blocks - 1, 0))
    pieces, wanted = parse(copied(transcript)).pieces, parse(source).pieces
    assert [type(piece) for piece in pieces] == [type(piece) for piece in wanted]
    assert [piece.place.level for piece in pieces] == [piece.place.level for piece in wanted]
    assert [getattr(piece, "spans", None) for piece in pieces] == [getattr(piece, "spans", None) for piece in wanted]


def test_a_part_of_a_paragraph_keeps_its_marks(transcript: Transcript) -> None:
    show(transcript, "a **bold** and `code` [l](http://x.y) and end")
    mark(transcript, (0, 3), (0, 21))
    assert copied(transcript) == "**old** and `code` [l](http://x.y) and"


def test_a_part_of_what_the_user_wrote_is_as_written(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "a *b* # c"), message("assistant", "So.", number=2)])
    transcript.selection.begin(Place(0, 0, 0))
    transcript.selection.extend(Place(0, 0, 7))
    assert copied(transcript) == "a *b* #"


def test_text_keeps_what_belongs_to_an_item_under_it(transcript: Transcript) -> None:
    num_blocks = show(transcript, SOURCES["code in an item"] + "\n\n   more\n\nend")
    mark(transcript, (0, 0), (num_blocks - 1, 3))
    assert copied(transcript, as_markdown=False).splitlines() == ["1. a", "", "  x=1", "2. b", "", "  more", "", "end"]
