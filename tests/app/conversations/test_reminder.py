"""What the engine is told of past replies, and when."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.reminder import Reminder
from app.conversations.store import Store
from app.tasks import finish
from engine.messages import Failed, ForgetConversation, ModelLoaded, RememberReplies
from tests.app.conversations.saved_replies import save_reply
from tests.app.driver import RunAsync, settle, until
from tests.app.fake_engine import FakeEngine, facts_of

TARGET = "/models/tiny"


class Hands:
    """A reminder over two saved conversations, and what it has sent."""

    def __init__(self, reminder: Reminder, engine: FakeEngine, run: RunAsync) -> None:
        self.reminder = reminder
        self.engine = engine
        self._run = run

    @property
    def sent(self) -> list[RememberReplies | ForgetConversation]:
        return [one for one in self.engine.commands if isinstance(one, (RememberReplies, ForgetConversation))]

    def load(self, request_id: int, target: str = TARGET, tokenizer_id: str = "tokenizer-1") -> None:
        self.engine.emit(ModelLoaded(request_id, facts_of(target, tokenizer_id)))

    def wait(self, num_sent: int) -> None:
        self._run(until(lambda: len(self.sent) >= num_sent))

    def settle(self) -> None:
        self._run(settle())


@pytest.fixture
def hands(
    database: Database, bridge: EngineBridge, fake_engine: FakeEngine, run_async: RunAsync, ask: Callable[..., Any]
) -> Iterator[Hands]:
    ask(lambda store: save_reply(store, "a", (1, 2)))
    ask(lambda store: save_reply(store, "b", (3, 4)))
    reminder = Reminder(database, bridge)
    yield Hands(reminder, fake_engine, run_async)
    reminder.close()
    run_async(finish())


BOTH = RememberReplies(TARGET, (("a", (1, 2)), ("b", (3, 4))))


def test_a_load_is_told_once_whoever_waited_for_it(hands: Hands) -> None:
    for request_id in (1, 2, 3):
        hands.load(request_id)
    hands.wait(1)
    hands.load(4)
    hands.settle()
    assert hands.sent == [BOTH]


def test_a_target_that_is_loaded_again_is_told_again(hands: Hands) -> None:
    hands.load(1)
    hands.wait(1)
    hands.engine.emit(Failed(0, "engine", "The engine failed."))
    hands.load(2)
    hands.wait(2)
    assert hands.sent == [BOTH, BOTH]


def test_each_target_is_told_what_its_tokenizer_wrote(hands: Hands) -> None:
    hands.load(1, "/models/other", "another")
    hands.load(2, "/models/same tokenizer")
    hands.wait(1)
    hands.settle()
    assert hands.sent == [RememberReplies("/models/same tokenizer", BOTH.replies)]


def test_a_conversation_deleted_while_it_is_read_is_not_sent(hands: Hands, database: Database) -> None:
    held = threading.Event()
    database.run(lambda store: held.wait(5))
    hands.load(1)
    hands.settle()
    hands.reminder.forget("a")
    held.set()
    hands.wait(2)
    assert hands.sent == [ForgetConversation("a"), RememberReplies(TARGET, (("b", (3, 4)),))]


def test_a_conversation_that_is_kept_after_all_is_told_again(hands: Hands) -> None:
    hands.load(1)
    hands.wait(1)
    hands.reminder.forget("a")
    hands.reminder.restore("a")
    hands.wait(3)
    assert hands.sent[1:] == [ForgetConversation("a"), RememberReplies(TARGET, (("a", (1, 2)),))]


def test_replies_are_read_on_the_database_thread(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    read = Store.past_replies

    def note(self: Store, *arguments: Any) -> Any:
        names.append(threading.current_thread().name)
        return read(self, *arguments)

    monkeypatch.setattr(Store, "past_replies", note)
    hands.load(1)
    hands.wait(1)
    assert [name.split("_")[0] for name in names] == ["database"]


def test_a_database_that_cannot_be_read_is_only_logged(
    hands: Hands, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Store, *arguments: Any) -> Any:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Store, "past_replies", fail)
    hands.load(1)
    hands.settle()
    assert "disk I/O error" in caplog.text
    assert hands.sent == []
    caplog.clear()
