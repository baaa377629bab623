"""Which conversations the engine's prompt cache is told of, and how long a deletion waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from app.bridge import EngineBridge
from app.conversations.cache_keeper import CacheKeeper
from app.conversations.database import Database
from engine.messages import (
    Answer,
    CacheReport,
    ConversationDeleted,
    DeleteConversation,
    Finished,
    KeepConversations,
    Notice,
)
from tests.app.conversations.saved_replies import save_reply
from tests.app.driver import RunAsync, settle, until
from tests.app.fake_engine import FakeEngine

Ask = Callable[..., Any]
FULL = "The disk is full, so prompts are not saved."


@pytest.fixture
def keeper(database: Database, bridge: EngineBridge) -> CacheKeeper:
    return CacheKeeper(database, bridge)


def test_every_conversation_is_kept_one_that_cannot_be_read_too(
    keeper: CacheKeeper, fake_engine: FakeEngine, run_async: RunAsync, ask: Ask
) -> None:
    for name in ("a", "b"):
        ask(lambda store, name=name: save_reply(store, name, (1,)))
    ask(lambda store: store.connection.execute("UPDATE conversations SET created_at = 'never' WHERE id = 'b'"))
    run_async(keeper.keep_all())
    (kept,) = fake_engine.commands
    assert isinstance(kept, KeepConversations)
    assert set(kept.conversation_ids) == {"a", "b"}


def test_nothing_is_named_where_the_conversations_cannot_be_read(
    keeper: CacheKeeper, fake_engine: FakeEngine, run_async: RunAsync, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    ask(lambda store: store.connection.execute("ALTER TABLE conversations RENAME TO others"))
    run_async(keeper.keep_all())
    assert fake_engine.commands == []
    assert "no saved prompt is collected" in caplog.text
    caplog.clear()


def test_a_removal_waits_until_the_engine_has_answered_for_it(
    keeper: CacheKeeper, fake_engine: FakeEngine, run_async: RunAsync
) -> None:
    fake_engine.answers_on_cache = False

    async def remove() -> list[bool]:
        task = asyncio.ensure_future(keeper.remove("a"))
        seen = []
        for conversation_id in ("b", "a"):
            await settle()
            seen.append(task.done())
            fake_engine.emit(ConversationDeleted(conversation_id))
        await until(task.done)
        return seen

    assert run_async(remove()) == [False, False]
    assert fake_engine.commands == [DeleteConversation("a")]


def test_a_removal_that_is_not_answered_ends_by_itself(
    keeper: CacheKeeper,
    fake_engine: FakeEngine,
    run_async: RunAsync,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("app.conversations.cache_keeper.REMOVAL_SECONDS", 0.05)
    fake_engine.answers_on_cache = False
    run_async(keeper.remove("a"))
    assert "were not removed" in caplog.text
    caplog.clear()


def test_what_befalls_the_cache_is_told_once(keeper: CacheKeeper, fake_engine: FakeEngine, run_async: RunAsync) -> None:
    told: list[str] = []
    keeper.told.connect(told.append)
    left = "A file could not be removed: the disk is read-only."
    for event in (Notice(0, "cache", FULL), Notice(0, "cache", FULL), ConversationDeleted("a", left)):
        fake_engine.emit(event)
    fake_engine.emit(Notice(7, "cache", "of a reply, under which it is told"))
    run_async(settle())
    assert told == [FULL, left]


def test_a_sentence_on_a_state_is_taken_back_once_a_report_has_no_problem(
    database: Database,
    bridge: EngineBridge,
    fake_engine: FakeEngine,
    run_async: RunAsync,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.conversations.cache_keeper.SAVED_MILLISECONDS", 0)
    keeper = CacheKeeper(database, bridge)
    said: list[str] = []
    keeper.untold.connect(said.append)
    fake_engine.report = CacheReport(problem=FULL)
    fake_engine.emit(Notice(0, "cache", f"{FULL} The prompt cache writes nothing for a while."))
    run_async(settle())
    fake_engine.emit(Finished(1, "stop"))
    run_async(settle())
    assert said == []
    fake_engine.report = CacheReport()
    fake_engine.emit(Finished(2, "stop"))
    run_async(until(lambda: bool(said)))
    assert said == [f"{FULL} The prompt cache writes nothing for a while."]


def test_a_sentence_on_an_event_stays_whatever_a_report_says(
    keeper: CacheKeeper, fake_engine: FakeEngine, run_async: RunAsync
) -> None:
    said: list[str] = []
    keeper.untold.connect(said.append)
    fake_engine.emit(Notice(0, "cache", "3 damaged files were removed."))
    run_async(settle())
    fake_engine.emit(Answer(99, CacheReport()))
    run_async(settle())
    assert said == []
