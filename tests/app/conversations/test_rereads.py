"""Replies that read again are listed with what they recorded; damaged statistics are passed over."""

from __future__ import annotations

import json

from app.conversations.rereads import MOST, read_rereads


def add_reply(store, at: float, statistics: str | None) -> None:
    store.connection.execute(
        "INSERT OR IGNORE INTO conversations (id, title, model, drafter, activity, created_at, updated_at) "
        "VALUES ('c', 'C', '', '', 1, 0, 0)"
    )
    columns = "id, conversation_id, role, state, finish_reason, seed, temperature, model, drafter, quantisation"
    store.connection.execute(
        f"INSERT INTO messages ({columns}, tokenizer_id, created_at, updated_at, error, notices, statistics, text, "
        "token_ids) VALUES (?, 'c', 'assistant', 'complete', 'stop', 0, 0, '', '', '', '', ?, ?, '', '[]', ?, '', x'')",
        (f"m{at}", at, at, statistics),
    )


def told(num_reread: int) -> str:
    return json.dumps({"num_reread": num_reread, "reread_reason": f"{num_reread} tokens were read again: an edit."})


def test_replies_since_a_time_are_listed_the_latest_first(ask):
    ask(lambda store: [add_reply(store, at, told(num)) for at, num in ((1.0, 5), (2.0, 6), (3.0, 0), (4.0, 7))])
    assert [(one.at, one.num_tokens) for one in ask(lambda store: read_rereads(store, 2.0))] == [(4.0, 7), (2.0, 6)]


def test_damaged_statistics_and_none_are_passed_over(ask):
    broken = ("{", None, json.dumps({"num_reread": "many"}), json.dumps([1]))
    ask(lambda store: [add_reply(store, float(at), statistics) for at, statistics in enumerate(broken)])
    assert ask(read_rereads) == ()


def test_only_the_latest_are_read(ask):
    ask(lambda store: [add_reply(store, float(at), told(3)) for at in range(MOST + 5)])
    rereads = ask(read_rereads)
    assert (len(rereads), rereads[0].at) == (MOST, MOST + 4.0)
