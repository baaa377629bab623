import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.conversations.database import Database
from app.conversations.exchange import new_exchange, save_exchange
from app.conversations.records import ReplyState
from app.conversations.reply_plan import ReplyPlan
from engine.messages import Cancel, Sampling, Submit
from tests.app.fake_engine import deltas_of

ROOT = Path(__file__).parents[3]
WRITER = Path(__file__).with_name("endless_reply.py")


def begin_reply(ask, bridge, recorder, conversation_id="c"):
    """Commit an exchange and submit it, as a session does."""
    user, reply = new_exchange("Hi", conversation_id=conversation_id, parent_id=None, plan=ReplyPlan("m", "none"))
    ask(lambda store: save_exchange(store, user, reply, "Hi"))
    request_id = bridge.next_request_id()
    live = recorder.begin(request_id, reply)
    bridge.send(Submit(request_id, conversation_id, "m", "none", (), Sampling()))
    return live


def saved(ask, conversation_id="c"):
    return ask(lambda store: store.open_conversation(conversation_id).messages[-1])


def test_running_reply_is_journaled_every_half_second(ask, bridge, recorder, fake_engine, qtbot):
    fake_engine.ending = None
    begin_reply(ask, bridge, recorder)
    qtbot.waitUntil(lambda: saved(ask).text == "Hello there", timeout=1500)
    assert saved(ask).state is ReplyState.RUNNING
    assert saved(ask).statistics.num_tokens == 2


def test_killed_program_keeps_the_reply_up_to_the_last_half_second(tmp_path):
    environment = {**os.environ, "SLIPSTREAM_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, WRITER], env=environment, stdout=subprocess.PIPE, text=True)
    deadline, delivered = None, []
    for line in child.stdout:
        deadline = deadline or time.monotonic() + 1.6
        delivered.append((time.monotonic(), int(line)))
        if time.monotonic() > deadline:
            break
    os.kill(child.pid, signal.SIGKILL)
    killed_at = time.monotonic()
    child.communicate()

    database = Database(tmp_path)
    assert database.run(lambda store: store.mark_cut_off()).result(5) == 1
    user, reply = database.run(lambda store: store.open_conversation("c").messages).result(5)
    database.close()
    assert (user.text, reply.state) == ("Hi", ReplyState.CUT_OFF)
    assert len(reply.token_ids) >= max(count for at, count in delivered if at < killed_at - 0.8)
    assert reply.text == " ".join(str(number) for number in range(len(reply.token_ids)))


@pytest.fixture
def full_disk(ask, fake_engine):
    """Let the file grow no further than it is; returns what gives the space back."""

    def limit(num_pages):
        return ask(lambda store: store.connection.execute(f"PRAGMA max_page_count = {num_pages}").fetchone()[0])

    fake_engine.script = deltas_of(f"{'x' * 500} " * 100)
    limit(1)  # SQLite takes the present size for the limit
    return lambda: limit(100_000)


def test_full_disk_is_told_once_and_the_reply_is_saved_when_space_returns(
    ask, bridge, recorder, fake_engine, full_disk, qtbot, caplog
):
    fake_engine.ending, troubles = None, []
    recorder.disk_full.connect(troubles.append)
    live = begin_reply(ask, bridge, recorder)
    qtbot.wait(1200)
    assert troubles == [
        "Replies cannot be saved at the moment. The disk is full. "
        "They stay on screen and are saved as soon as that is possible."
    ]
    full_disk()
    qtbot.waitUntil(lambda: saved(ask).text == live.message().text, timeout=2000)
    caplog.clear()


def test_reply_that_ends_while_the_disk_is_full_is_kept(ask, bridge, recorder, full_disk, qtbot, caplog):
    live = begin_reply(ask, bridge, recorder)
    with qtbot.waitSignal(recorder.disk_full):
        qtbot.waitUntil(lambda: live.has_ended)
    assert recorder.live(live.message_id) is live
    full_disk()
    with qtbot.waitSignal(recorder.saved, timeout=2000):
        pass
    assert saved(ask).state is ReplyState.COMPLETE
    assert recorder.live(live.message_id) is None
    caplog.clear()


def test_flush_writes_what_is_held(ask, bridge, recorder, fake_engine, qtbot):
    fake_engine.ending = None
    live = begin_reply(ask, bridge, recorder)
    qtbot.waitUntil(lambda: live.message().text == "Hello there")
    assert recorder.flush()
    assert saved(ask).text == "Hello there"


def test_abandoned_conversation_is_cancelled_and_not_written(ask, bridge, recorder, fake_engine, qtbot):
    fake_engine.ending = None
    live = begin_reply(ask, bridge, recorder)
    recorder.abandon("c")
    qtbot.waitUntil(lambda: live.has_ended)
    assert recorder.flush()
    assert fake_engine.commands[-1] == Cancel(live.request_id)
    assert saved(ask).text == ""


def test_other_replies_go_on_beside_a_cancelled_one(ask, bridge, recorder, fake_engine, qtbot):
    fake_engine.ending = None
    first, second = begin_reply(ask, bridge, recorder, "c"), begin_reply(ask, bridge, recorder, "d")
    bridge.send(Cancel(first.request_id))
    qtbot.waitUntil(lambda: first.has_ended)
    qtbot.waitUntil(lambda: second.message().text == "Hello there")
    assert not second.has_ended


def test_reply_that_cannot_be_saved_keeps_no_other_from_the_disk(ask, bridge, recorder, fake_engine, qtbot, caplog):
    troubles = []
    recorder.trouble.connect(troubles.append)
    fake_engine.ending = None
    fake_engine.script = deltas_of("half a character \ud83d")
    broken = begin_reply(ask, bridge, recorder, "c")
    qtbot.waitUntil(lambda: broken.message().text == "half a character \ud83d")
    fake_engine.script = deltas_of("Hello there")
    sound = [begin_reply(ask, bridge, recorder, name) for name in "de"]
    qtbot.waitUntil(lambda: [saved(ask, name).text for name in "de"] == ["Hello there"] * 2, timeout=2000)
    for live in sound:
        bridge.send(Cancel(live.request_id))
    qtbot.waitUntil(lambda: [saved(ask, name).state for name in "de"] == [ReplyState.STOPPED] * 2, timeout=2000)
    assert len(troubles) == 1
    assert not recorder.flush()
    caplog.clear()
