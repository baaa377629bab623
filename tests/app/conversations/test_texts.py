"""What replies were made with is stored once, found again, and gone when no reply needs it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.conversations.database import FILE_NAME, Database, remove_leftovers
from app.conversations.exchange import new_exchange, save_exchange
from app.conversations.opening import open_database
from app.conversations.records import Message
from app.conversations.reply_plan import ReplyPlan
from app.conversations.schema import MIGRATIONS
from app.conversations.store import Store
from app.conversations.whole_chat import read_chat
from engine.messages import UNQUANTISED, KvScheme

Ask = Callable[[Callable[[Store], Any]], Any]
PLAN = ReplyPlan("m", "none", "Be brief. Ω", kv=KvScheme(8), context_length=4096, template="{{ messages }}")


def add_reply(store: Store, conversation_id: str, plan: ReplyPlan = PLAN) -> Message:
    user, reply = new_exchange("Hi", conversation_id=conversation_id, parent_id=None, plan=plan)
    save_exchange(store, user, reply, "T")
    return reply


def texts_in(store: Store) -> set[str]:
    return {text for (text,) in store.connection.execute("SELECT text FROM texts")}


def test_texts_of_many_replies_are_stored_once(ask: Ask) -> None:
    replies = [ask(lambda store, name=name: add_reply(store, name)) for name in "abc"]
    assert ask(texts_in) == {PLAN.system_prompt, PLAN.template}
    assert all(ask(lambda store, one=one: store.read_message(one.id)) == one for one in replies)


def test_texts_that_no_reply_needs_are_gone_with_the_next_start(ask: Ask) -> None:
    ask(lambda store: add_reply(store, "a"))
    ask(lambda store: add_reply(store, "b", replace(PLAN, template="")))
    ask(lambda store: store.delete_conversation("a"))
    ask(remove_leftovers)
    assert ask(texts_in) == {PLAN.system_prompt}
    ask(lambda store: store.delete_conversation("b"))
    ask(remove_leftovers)
    assert ask(texts_in) == set()


def test_copies_and_messages_that_are_had_back_keep_their_texts(ask: Ask) -> None:
    reply = ask(lambda store: add_reply(store, "a"))
    deleted = ask(lambda store: store.delete_message(reply.id))
    ask(lambda store: store.restore_messages(deleted))
    copy = ask(lambda store: read_chat(store, store.duplicate_conversation("a"))).messages[-1]
    assert (copy.system_prompt, copy.template, copy.kv, copy.context_length) == (
        PLAN.system_prompt,
        PLAN.template,
        PLAN.kv,
        PLAN.context_length,
    )


def test_reply_whose_texts_are_lost_is_shown_without_them(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    reply = ask(lambda store: add_reply(store, "a"))
    ask(lambda store: store.connection.execute("DELETE FROM texts"))
    ask(lambda store: store.connection.execute("UPDATE messages SET kv = '[5, 64, 0]'"))
    read = ask(lambda store: store.read_message(reply.id))
    caplog.clear()
    assert read == replace(reply, system_prompt="", template="", kv=UNQUANTISED)


def test_chats_of_the_second_format_are_kept_with_a_copy_beside_them(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with closing(open_database(path, MIGRATIONS[:2]).connection) as second:
        for name, drafter in (("a", "ngram"), ("b", "suffix")):
            row = (name, "T", "m", drafter, None, 1, 1.0, 1.0, "", 0, "[]", 1)
            second.execute(f"INSERT INTO conversations VALUES ({', '.join('?' * 12)})", row)
        second.execute(
            "INSERT INTO messages (id, conversation_id, role, state, finish_reason, seed, temperature, model, drafter,"
            " quantisation, tokenizer_id, created_at, updated_at, error, notices, text, token_ids) VALUES"
            " ('r', 'a', 'assistant', 'complete', '', 7, 0.0, 'm', 'ngram', '', '', 1.0, 1.0, '', '[]', 'Hi', x'')"
        )
    database = Database(tmp_path)
    chats = database.run(lambda store: store.list_conversations()).result(5).conversations
    reply = database.run(lambda store: store.read_message("r")).result(5)
    database.close()
    assert {(chat.id, chat.drafter, chat.preset) for chat in chats} == {("a", "", ""), ("b", "suffix", "")}
    assert (reply.text, reply.drafter, reply.kv, reply.system_prompt) == ("Hi", "ngram", UNQUANTISED, "")
    with closing(sqlite3.connect(tmp_path / "conversations.before-format-3.sqlite")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone()[0] == 2
