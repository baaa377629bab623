"""Which saved replies drafters learn from."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from app.conversations.past_replies import read_past_replies
from app.conversations.records import ReplyState
from app.conversations.store import Store
from tests.app.conversations.saved_replies import save_reply
from tests.app.fake_engine import facts_of

FACTS = facts_of("/models/tiny")
Ask = Callable[[Callable[[Store], Any]], Any]


def test_replies_of_the_same_tokenizer_come_oldest_first(ask: Ask) -> None:
    ask(lambda store: save_reply(store, "a", (1, 2)))
    ask(lambda store: save_reply(store, "b", (3,), "another"))
    ask(lambda store: save_reply(store, "c", (4, 5)))
    ask(lambda store: save_reply(store, "a", (6,)))
    assert ask(lambda store: read_past_replies(store, FACTS)) == (("a", (1, 2)), ("c", (4, 5)), ("a", (6,)))
    assert ask(lambda store: read_past_replies(store, FACTS, "a")) == (("a", (1, 2)), ("a", (6,)))


def test_the_latest_replies_that_fit_are_taken_whole(ask: Ask) -> None:
    for token_ids in ((1,), (2, 2, 2), (3, 3, 3, 3, 3, 3), (4, 4)):
        ask(lambda store, token_ids=token_ids: save_reply(store, "a", token_ids))
    assert ask(lambda store: read_past_replies(store, FACTS, max_tokens=5)) == (("a", (2, 2, 2)), ("a", (4, 4)))


@pytest.mark.parametrize("state", [ReplyState.RUNNING, ReplyState.FAILED])
def test_a_reply_that_runs_or_failed_is_left_out(ask: Ask, state: ReplyState) -> None:
    ask(lambda store: save_reply(store, "a", (1,), state=state))
    ask(lambda store: save_reply(store, "a", (2,), state=ReplyState.CUT_OFF))
    assert ask(lambda store: read_past_replies(store, FACTS)) == (("a", (2,)),)


@pytest.mark.parametrize("damaged", ["three", b"\1\2\3", 7, b"", b"\xff\xff\xff\xff", b"\0\0\0\x7f"])
def test_a_damaged_reply_loses_none_of_the_others(ask: Ask, damaged: object, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    message_ids = [ask(lambda store, number=number: save_reply(store, "a", (number,))) for number in (1, 2, 3)]
    values = (damaged, message_ids[1])
    ask(lambda store: store.connection.execute("UPDATE messages SET token_ids = ? WHERE id = ?", values))
    assert ask(lambda store: read_past_replies(store, FACTS)) == (("a", (1,)), ("a", (3,)))
