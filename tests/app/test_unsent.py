"""Texts that were not sent come back with their chat, once."""

from __future__ import annotations

from app.chat.draft import Draft
from app.unsent import Unsent

ONE, TWO, THREE = map(Draft, ("one", "two", "three"))


def test_drafts_come_back_with_their_chat_once() -> None:
    unsent = Unsent()
    unsent.keep("a", (ONE,))
    unsent.keep("a", (TWO,))
    unsent.keep(None, (THREE,))
    unsent.keep("b", ())
    assert (unsent.take("a"), unsent.take("a"), unsent.take(None)) == ((ONE, TWO), (), (THREE,))
    assert not unsent.has("b")


def test_what_stands_in_open_tabs_is_told_with_what_is_kept() -> None:
    unsent = Unsent()
    unsent.restore({"a": (ONE,)})
    written = [("a", (TWO,)), (None, (THREE,)), ("b", ())]
    assert unsent.together_with(written) == {"a": (ONE, TWO), "": (THREE,)}
    assert unsent.has("a")
    assert not unsent.has(None)
