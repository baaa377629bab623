"""The engine on its own thread: events come in, commands never block, the end is clean."""

from __future__ import annotations

import queue
import subprocess
import sys
import time

import pytest

from engine.messages import (
    Answer,
    Cancel,
    ClearCache,
    ConversationDeleted,
    CountTokens,
    DeleteConversation,
    Delta,
    EngineStarted,
    Event,
    Finished,
    Shutdown,
    Turn,
)
from engine.thread import EngineThread
from tests.engine.harness import Harness, submit

TEXT = "The quick brown fox"


@pytest.fixture
def running(data_dir):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = EngineThread(data_dir)
    thread.start(events.put)
    yield thread, events
    thread.send(Shutdown())
    assert thread.join(60)


def collect(events: queue.SimpleQueue[Event], kind: type[Event]) -> list[Event]:
    """Everything up to the first event of a kind."""
    collected = []
    while not (collected and isinstance(collected[-1], kind)):
        collected.append(events.get(timeout=60))
    return collected


def drained(events: queue.SimpleQueue[Event]) -> list[Event]:
    """What is left, once nothing more can come."""
    return [events.get() for _ in range(events.qsize())]


def test_reply_on_the_thread_equals_the_reply_without_one(running, target, data_dir):
    thread, events = running
    alone = Harness(data_dir)
    alone.send(submit(1, target, TEXT))
    alone.run()
    thread.send(submit(1, target, TEXT))
    deltas = [event for event in collect(events, Finished) if isinstance(event, Delta)]
    assert [token_id for delta in deltas for token_id in delta.token_ids] == alone.ids_of(1)


def test_second_reply_after_an_idle_while_stays_on_the_same_streams(running, target):
    thread, events = running
    for request_id in (1, 2):
        thread.send(submit(request_id, target, TEXT, max_tokens=5))
        assert collect(events, Finished)[-1].reason == "length"
        time.sleep(0.05)


def test_question_is_answered_beside_a_running_reply(running, target):
    thread, events = running
    thread.send(submit(1, target, TEXT, max_tokens=450))
    collect(events, Delta)
    thread.send(CountTokens(2, str(target), (Turn("user", TEXT),)))
    answered = collect(events, Answer)
    assert not any(isinstance(event, Finished) for event in answered)
    assert answered[-1].value.num_cached is not None
    thread.send(Cancel(1))


def test_count_of_a_target_that_is_not_loaded_is_answered_at_once(data_dir, target):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = EngineThread(data_dir)
    thread.send(CountTokens(1, str(target), (Turn("user", TEXT),)))
    thread.start(events.put)
    assert collect(events, Answer)[-1].value.num_cached is None
    thread.send(Shutdown())
    assert thread.join(60)


def test_shutdown_in_mid_reply_cancels_it(data_dir, target):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = EngineThread(data_dir)
    thread.start(events.put)
    thread.send(submit(1, target, TEXT, max_tokens=450))
    collect(events, Delta)
    thread.send(Shutdown())
    assert thread.join(60)
    assert collect(events, Finished)[-1].reason == "cancelled"


def test_process_that_ends_right_after_the_engine_ends_cleanly(target, data_dir):
    code = (
        "import sys, queue; from pathlib import Path; from engine.thread import EngineThread; "
        "from engine.messages import *; events = queue.SimpleQueue(); thread = EngineThread(Path(sys.argv[2])); "
        "thread.start(events.put); turns = (Turn('user', 'hello'),)\n"
        "thread.send(Submit(1, 'c', sys.argv[1], 'ngram', turns, Sampling(max_tokens=4)))\n"
        "while not isinstance(events.get(), Finished | Failed): pass\n"
        "thread.send(Shutdown()); assert thread.join(60)"
    )
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", code, target, data_dir], capture_output=True, text=True, timeout=120, check=False
        )
        assert (run.returncode, run.stderr) == (0, "")


def test_engine_that_cannot_start_answers_everything_with_the_reason(data_dir, target):
    code = (
        "import sys, queue; from pathlib import Path; sys.modules['mlx.core'] = None; "
        "from engine.thread import EngineThread; from engine.messages import *; events = queue.SimpleQueue(); "
        "thread = EngineThread(Path(sys.argv[2])); thread.start(events.put); "
        "thread.send(LoadModel(1, sys.argv[1]), DescribeCache(2), DescribeMemory(3), DeleteConversation('c')); "
        "thread.send(Shutdown()); assert thread.join(60); answers = [events.get() for _ in range(5)]; "
        "print([(event.request_id, event.code) for event in answers[:4]], answers[4].conversation_id)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, target, data_dir], capture_output=True, text=True, timeout=120, check=False
    )
    assert (run.returncode, run.stdout) == (0, "[(0, 'engine'), (1, 'engine'), (2, 'engine'), (3, 'engine')] c\n")


def test_deletion_and_clearing_right_before_the_end_are_answered_and_made(data_dir, target):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = EngineThread(data_dir)
    thread.start(events.put)
    thread.send(submit(1, target, TEXT * 20, chat="a", max_tokens=5), submit(2, target, "word " * 20, max_tokens=5))
    ends = [collect(events, Finished)[-1] for _ in range(2)]
    assert [end.reason for end in ends] == ["length"] * 2
    thread.send(DeleteConversation("a"), ClearCache(3), Shutdown())
    assert thread.join(60)
    assert [type(event) for event in drained(events)][-2:] == [ConversationDeleted, Answer]
    assert not list(data_dir.rglob("*.safetensors"))


def test_deletion_before_all_else_is_answered_at_the_end(data_dir):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = EngineThread(data_dir)
    thread.send(DeleteConversation("a"), ClearCache(3), Shutdown())
    thread.start(events.put)
    assert thread.join(60)
    assert [type(event) for event in drained(events)] == [EngineStarted, ConversationDeleted, Answer]


def test_consumer_that_throws_at_the_engine_s_own_fault_leaves_no_thread_alive(data_dir):
    code = (
        "import os, sys, threading; from pathlib import Path; from engine.thread import EngineThread; "
        "from engine.engine import Engine; from engine.messages import Shutdown\n"
        "told = []\n"
        "def emit(event): told.append(event); 1 / 0\n"
        "Engine.step = lambda engine: [][0]\n"
        "thread = EngineThread(Path(sys.argv[1])); thread.send(Shutdown()); thread.start(emit)\n"
        "assert thread.join(60)\n"
        "for one in threading.enumerate(): one is threading.main_thread() or one.join(5)\n"
        "print(len(told), [one.name for one in threading.enumerate()], flush=True); os._exit(0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, data_dir], capture_output=True, text=True, timeout=120, check=False
    )
    assert (run.returncode, run.stdout) == (0, "2 ['MainThread']\n")
