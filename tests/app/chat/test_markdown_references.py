"""Notes, addresses that stand by themselves, and tasks."""

from __future__ import annotations

import pytest

from app.chat.markdown_pieces import Text
from app.chat.markdown_reader import parse


def texts_of(source: str) -> list[str]:
    return [piece.text for piece in parse(source).pieces if isinstance(piece, Text)]


@pytest.mark.parametrize("note", ["note", "the longer note", "https://example.org"])
def test_a_note_and_its_number_are_shown(note: str) -> None:
    assert texts_of(f"Text[^1].\n\n[^1]: {note}") == ["Text[1].", f"[1]: {note}"]


def test_what_only_looks_like_a_note_stays() -> None:
    assert texts_of("Match [^a-z] or [^1](http://a.b)") == ["Match [^a-z] or ^1"]


def test_an_address_that_a_link_has_is_not_shown() -> None:
    source = "See [docs] and [it][1].\n\n[docs]: https://e.org\n[1]: https://e.com\n\nAfter."
    assert texts_of(source) == ["See docs and it.", "After."]


@pytest.mark.parametrize("is_live", [True, False])
def test_an_address_that_no_link_has_is_shown_as_it_is_written(is_live: bool) -> None:
    pieces = parse("Text.\n\n[1]: https://e.org\n[2]: https://e.com 'T'", is_live=is_live).pieces
    assert [piece.text for piece in pieces if isinstance(piece, Text)] == [
        "Text.",
        "[1]: https://e.org",
        "[2]: https://e.com 'T'",
    ]
    assert isinstance(pieces[1], Text)
    assert any(span.style.href == "https://e.org" for span in pieces[1].spans)


def test_tasks_have_a_box_in_place_of_a_bullet() -> None:
    pieces = parse("- [ ] to do\n- [x] **done**\n- [z] other\n\n[ ] outside").pieces
    assert [piece.place.mark for piece in pieces] == ["\u2610", "\u2611", "\u2022", ""]
    assert texts_of("- [ ] to do\n- [x] **done**") == ["to do", "done"]
