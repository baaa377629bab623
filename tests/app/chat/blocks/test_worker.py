"""The thread that does what the window must not wait for."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, get_ident

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.blocks.changes import changes
from app.chat.blocks.worker import Worker

LEAVES_EARLY = """
import time
from PySide6.QtWidgets import QApplication
from app.chat.blocks.worker import worker
application = QApplication(["-platform", "offscreen"])
for _ in range(50):
    worker().ask(lambda: time.sleep(0.02), lambda answer: None)
"""


def test_answers_come_on_the_thread_that_asked_and_are_told(qapp: QApplication, qtbot: QtBot) -> None:
    worker = Worker()
    places: list[int] = []
    with qtbot.waitSignal(changes().changed):
        worker.ask(get_ident, lambda there: places.extend((there, get_ident())))
    assert places[0] != places[1] == get_ident()
    worker.stop()


def test_the_last_question_is_answered_first(qapp: QApplication, qtbot: QtBot) -> None:
    worker = Worker()
    answers: list[object] = []
    all_asked = Event()
    worker.ask(all_asked.wait, answers.append)
    for number in range(3):
        worker.ask(lambda number=number: number, answers.append)  # type: ignore[misc]
    all_asked.set()
    qtbot.waitUntil(lambda: len(answers) == 4)
    assert answers in ([True, 2, 1, 0], [2, 1, 0, True])
    worker.stop()


def test_a_program_that_ends_while_it_works_ends_quietly() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LEAVES_EARLY], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
