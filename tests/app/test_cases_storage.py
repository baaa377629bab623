"""Cases on full disks, damaged records and second starts, as someone at the window meets them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.chat.notes import NoteBar
from app.system.single import SingleInstance
from engine.messages import Delta, Finished, Statistics
from tests.app.conversations.saved_chats import add_exchange, texts_of

HOLDER = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.system.single import SingleInstance
application = QCoreApplication([])
instance = SingleInstance(Path(sys.argv[1]))
instance.raise_asked.connect(lambda: print("raised", flush=True))
print("holds" if instance.take() else "refused", flush=True)
application.exec()
"""


def said(driver):
    """The sentences that stand above the composer."""
    return [bar.text for bar in driver.tab.findChildren(NoteBar) if bar.isVisible()]


def test_o40_a_disk_that_fills_during_a_reply_costs_nothing_and_the_banner_goes(make_driver, fake_engine, ask, caplog):
    ask(lambda store: add_exchange(store, "old", "An old chat", title="Old"))
    driver = make_driver()
    fake_engine.ending = None
    driver.type("One")
    driver.wait_text("Hello there")
    ask(lambda store: store.connection.execute("PRAGMA max_page_count = 1"))
    long = "so on " * 50_000
    request_id = fake_engine.submits[0].request_id
    fake_engine.emit(Delta(request_id, long, (9,), 0, Statistics(num_tokens=3)))
    driver.wait(lambda: any("the disk is full." in sentence for sentence in said(driver)))
    assert driver.tab.session.running.text.endswith(long)
    assert ask(lambda store: texts_of(store, "old")) == ["An old chat", "re: An old chat"]
    fake_engine.emit(Finished(request_id, "stop"))
    driver.wait_idle()
    ask(lambda store: store.connection.execute("PRAGMA max_page_count = 100000"))
    conversation_id = driver.tab.session.conversation_id
    driver.wait(lambda: ask(lambda store: texts_of(store, conversation_id))[-1].endswith(long))
    driver.wait(lambda: said(driver) == [])
    caplog.clear()


def test_o41_a_second_start_is_refused_and_a_killed_one_blocks_nothing(qapp, tmp_path):
    first = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert first.stdout.readline() == "holds\n"
    second = SingleInstance(tmp_path)
    assert not second.take()
    assert second.raise_other()
    assert first.stdout.readline() == "raised\n"
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert (tmp_path / "window.lock").exists()
    assert second.take()
    second.release()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE messages SET text = cast(zeroblob(9) AS TEXT) WHERE conversation_id = 'bad'",
        "UPDATE messages SET num_thought = x'' WHERE conversation_id = 'bad'",
        "UPDATE messages SET role = '' WHERE conversation_id = 'bad'",
    ],
    ids=["filled with NULs", "no token count", "no role"],
)
def test_o43_a_damaged_chat_is_named_and_the_others_open(make_driver, ask, damage):
    for one in ("bad", "good"):
        ask(lambda store, one=one: add_exchange(store, one, f"in {one}", title=one))
    ask(lambda store: store.connection.execute(damage))
    driver = make_driver()
    driver.window.workspace.open_chat("bad")
    driver.wait(lambda: driver.tab.session.conversation_id == "bad")
    driver.wait(lambda: any("A message of “bad” could not be read" in sentence for sentence in said(driver)))
    driver.window.workspace.open_chat("good")
    driver.wait_text("re: in good")
    assert said(driver) == []
    assert {chat.id for chat in driver.window.catalogue.conversations} == {"bad", "good"}


def test_o43_a_chat_that_cannot_be_listed_is_named(make_driver, ask):
    for one in ("bad", "good"):
        ask(lambda store, one=one: add_exchange(store, one, f"in {one}", title=one))
    ask(lambda store: store.connection.execute("UPDATE conversations SET updated_at = 'noon' WHERE id = 'bad'"))
    driver = make_driver()
    assert [chat.id for chat in driver.window.catalogue.conversations] == ["good"]
    assert any("'bad' could not be read" in sentence for sentence in said(driver))
