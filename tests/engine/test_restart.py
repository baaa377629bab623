"""The engine stops and starts again on its thread: everything is answered, nothing of the old one is left."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.engine import Engine
from engine.messages import (
    Answer,
    ClearCache,
    ConversationDeleted,
    CountTokens,
    DeleteConversation,
    Delta,
    DescribeCache,
    DescribeMemory,
    EngineStarted,
    Event,
    Failed,
    Finished,
    LoadModel,
    ModelLoaded,
    ModelUnloaded,
    Shutdown,
    StartEngine,
    Turn,
    UnloadModel,
)
from engine.thread import EngineThread
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.tiny import tiny_folder

LOOP_FAULT = "The engine failed: the step broke. Every reply up to here is kept. Start the engine again."


class Running:
    """The engine's thread, and the events that came of it."""

    def __init__(self, data_dir: Path) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.thread = EngineThread(data_dir)
        self.send = self.thread.send
        self.thread.start(self._events.put)

    def next(self, kind: type[Event]) -> list[Event]:
        """Everything up to the first event of a kind."""
        events = [self._events.get(timeout=60)]
        while not isinstance(events[-1], kind):
            events.append(self._events.get(timeout=60))
        return events

    def reply(self, request_id: int, target: Path, **options: object) -> list[int]:
        """The tokens of a reply that does not fail."""
        self.send(submit(request_id, target, TEXT, max_tokens=12, **options))  # type: ignore[arg-type]
        events = self.next(Finished)
        assert not [event for event in events if isinstance(event, Failed)]
        return [token_id for event in events if isinstance(event, Delta) for token_id in event.token_ids]


@pytest.fixture
def running(data_dir: Path) -> Iterator[Running]:
    running = Running(data_dir)
    assert running.next(EngineStarted) == [EngineStarted()]
    yield running
    running.send(Shutdown())
    assert running.thread.join(60)


@pytest.fixture
def break_step(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let one step that the engine makes from now on break its loop."""
    step = Engine.step

    def break_next() -> None:
        def broken(engine: Engine) -> bool:
            monkeypatch.setattr(Engine, "step", step)
            raise RuntimeError("the step broke")

        monkeypatch.setattr(Engine, "step", broken)

    return break_next


def test_o48_replies_after_an_idle_while_a_switch_and_a_restart_find_their_streams(
    running, target, break_step, caplog, tmp_path, alone
):
    other = tiny_folder(tmp_path / "other", seed=3)
    truth = alone(TEXT, max_tokens=12)
    assert running.reply(1, target) == truth
    time.sleep(0.3)
    assert running.reply(2, target, drafter="ngram") == truth
    running.send(UnloadModel(str(target)))
    assert len(running.reply(3, other, drafter=f"model:{target}")) == 12
    assert running.reply(4, target) == truth
    break_step()
    running.send(LoadModel(5, str(target)))
    running.next(Failed)
    running.send(StartEngine())
    running.next(EngineStarted)
    assert running.reply(6, target) == truth
    assert len(running.reply(7, other, drafter="suffix")) == 12
    caplog.clear()


def test_loop_that_fails_answers_every_request_with_its_sentence_until_it_is_started_again(
    running, target, break_step, caplog, plain
):
    running.send(submit(1, target, TEXT, max_tokens=450))
    running.next(Delta)
    break_step()
    faults = [event for event in [*running.next(Failed), *running.next(Failed)] if isinstance(event, Failed)]
    assert faults == [Failed(1, "engine", LOOP_FAULT), Failed(0, "engine", LOOP_FAULT)]
    running.send(submit(2, target, TEXT), LoadModel(3, str(target)), DescribeCache(4), UnloadModel(str(target)))
    running.send(DeleteConversation("c"), ClearCache(5))
    answers = [event for event in running.next(ConversationDeleted) if not isinstance(event, Failed)]
    assert answers == [ModelUnloaded(str(target)), ConversationDeleted("c", LOOP_FAULT)]
    assert running.next(Failed)[-1] == Failed(5, "engine", LOOP_FAULT)
    running.send(StartEngine(), submit(6, target, TEXT))
    events = running.next(Finished)
    assert events[0] == EngineStarted()
    assert [i for event in events if isinstance(event, Delta) for i in event.token_ids] == plain.ids_of(1)
    caplog.clear()


def test_count_is_answered_while_no_engine_runs(running, target, break_step, caplog):
    break_step()
    running.send(DescribeCache(1))
    running.next(Failed)
    running.send(CountTokens(2, str(target), (Turn("user", TEXT),)))
    assert running.next(Answer)[-1].value.num_cached is None
    caplog.clear()


def test_new_engine_finds_what_the_failed_one_had_saved(running, target, break_step, caplog):
    running.send(submit(1, target, TEXT * 5, chat="a", max_tokens=4))
    running.next(Finished)
    break_step()
    running.send(DescribeCache(2), StartEngine(), submit(3, target, TEXT * 5, chat="a", max_tokens=4))
    (end,) = [event for event in running.next(Finished) if isinstance(event, Finished)]
    assert end.statistics.num_cached == end.statistics.num_prompt - 1
    caplog.clear()


def test_start_of_an_engine_that_runs_is_answered_and_harms_nothing(running, target, alone):
    running.send(StartEngine())
    running.next(EngineStarted)
    assert running.reply(1, target) == alone(TEXT, max_tokens=12)


def test_engine_that_could_not_start_starts_once_it_can(data_dir, target, monkeypatch, caplog):
    with monkeypatch.context() as broken:
        broken.setattr("engine.thread.import_mlx_lm", lambda: 1 / 0)
        running = Running(data_dir)
        (fault,) = running.next(Failed)
        running.send(StartEngine())
        assert running.next(Failed) == [fault]
    assert fault == Failed(0, "engine", "The engine could not start: division by zero. Start it again, or see the log.")
    running.send(StartEngine(), LoadModel(1, str(target)))
    assert isinstance(running.next(ModelLoaded)[0], EngineStarted)
    running.send(Shutdown())
    assert running.thread.join(60)
    caplog.clear()


def test_shutdown_ends_an_engine_that_failed(data_dir, break_step, caplog):
    running = Running(data_dir)
    running.next(EngineStarted)
    break_step()
    running.send(DescribeCache(1))
    running.next(Failed)
    running.send(Shutdown())
    assert running.thread.join(60)
    caplog.clear()


def test_request_that_breaks_the_loop_is_answered_too(running, monkeypatch, caplog):
    monkeypatch.setattr("engine.engine.describe_memory", lambda *parts: 1 / 0)
    running.send(DescribeMemory(1))
    assert [event.request_id for event in (*running.next(Failed), *running.next(Failed))] == [1, 0]
    caplog.clear()


def test_shutdown_that_breaks_the_loop_ends_the_thread(data_dir, monkeypatch, caplog):
    monkeypatch.setattr("engine.groups.Groups.end", lambda groups: 1 / 0)
    running = Running(data_dir)
    running.next(EngineStarted)
    running.send(Shutdown())
    running.next(Failed)
    assert running.thread.join(60)
    caplog.clear()


def test_start_without_a_thread_is_answered(engine: Harness):
    engine.send(StartEngine())
    engine.run()
    assert engine.events == [EngineStarted()]
