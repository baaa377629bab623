"""Texts that were not sent come back with their chat, once."""

from __future__ import annotations

from app.unsent import Unsent


def test_text_comes_back_with_its_chat_once() -> None:
    unsent = Unsent()
    unsent.keep("a", "one")
    unsent.keep("a", "two")
    unsent.keep(None, "three")
    assert (unsent.take("a"), unsent.take("a"), unsent.take(None)) == ("one\ntwo", "", "three")


def test_what_stands_in_open_tabs_is_told_with_what_is_kept() -> None:
    unsent = Unsent()
    unsent.restore({"a": "one"})
    assert unsent.together_with([("a", "two"), (None, "three"), ("b", "")]) == {"a": "one\ntwo", "": "three"}
    assert unsent.has("a")
    assert not unsent.has(None)
