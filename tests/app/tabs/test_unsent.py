"""Texts that were not sent come back with their chat, once."""

from __future__ import annotations

from app.chat.draft import Draft
from app.tabs.unsent import Unsent

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
    unsent.restore({"a": (ONE,)}, {})
    written = [("a", (TWO,)), (None, (THREE,)), ("b", ())]
    assert unsent.together_with(written) == {"a": (ONE, TWO), "": (THREE,)}
    assert unsent.has("a")
    assert not unsent.has(None)


def test_a_branch_comes_back_with_its_chat_unless_that_is_gone() -> None:
    unsent = Unsent()
    unsent.restore({}, {"a": "m1", "b": "m2"})
    unsent.keep_branch("c", "m3")
    unsent.keep_branch("d", "")
    unsent.forget("b")
    assert unsent.branches_with([("e", "m4"), ("f", "")]) == {"a": "m1", "c": "m3", "e": "m4"}
    assert (unsent.take_branch("c"), unsent.take_branch("c")) == ("m3", "")
