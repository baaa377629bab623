"""The drafter that a chat begins with."""

from __future__ import annotations

from app.drafters import DEFAULT_DRAFTER, DRAFTER_WORDS, DRAFTERS


def test_the_drafter_that_chats_begin_with_can_be_chosen() -> None:
    assert DEFAULT_DRAFTER in DRAFTERS
    assert DRAFTERS.keys() == DRAFTER_WORDS.keys()
