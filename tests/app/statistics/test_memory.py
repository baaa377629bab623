"""Asking for memory while something shows it, and the bar in the sidebar's footer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.figures import NO_BREAK
from app.statistics.memory import MemoryWatch
from app.statistics.memory_bar import MemoryBar, words_within
from app.theme.theme import Theme
from engine.messages import CacheReport, DescribeCache, DescribeMemory, MemoryReport
from tests.app.fake_engine import FakeEngine

REPORT = MemoryReport(4_600_000_000, 800_000_000, 1_600_000_000, 200_000_000, 1_500_000_000, 27_000_000_000, 2)


@pytest.fixture
def memory(bridge: EngineBridge) -> MemoryWatch:
    return MemoryWatch(bridge)


def show(qtbot: QtBot, memory: MemoryWatch, *, with_cache: bool) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    memory.watch(widget, with_cache=with_cache)
    widget.show()
    return widget


def test_nothing_is_asked_while_nothing_shows_it(qtbot: QtBot, memory: MemoryWatch, fake_engine: FakeEngine) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    memory.watch(widget)
    assert fake_engine.commands == []
    with qtbot.waitSignal(memory.changed):
        widget.show()
    assert memory.is_asking
    widget.hide()
    assert not memory.is_asking


def test_both_answers_are_kept(qtbot: QtBot, memory: MemoryWatch, fake_engine: FakeEngine) -> None:
    fake_engine.memory, fake_engine.report = REPORT, CacheReport(disk_bytes=7)
    show(qtbot, memory, with_cache=True)
    qtbot.waitUntil(lambda: memory.cache is not None)
    assert (memory.report, memory.cache) == (REPORT, CacheReport(disk_bytes=7))


def test_the_prompt_cache_is_asked_for_what_shows_it_alone(
    qtbot: QtBot, memory: MemoryWatch, fake_engine: FakeEngine
) -> None:
    show(qtbot, memory, with_cache=False)
    assert [type(command) for command in fake_engine.commands] == [DescribeMemory]


def test_a_question_that_is_not_answered_is_not_asked_again(
    qtbot: QtBot, memory: MemoryWatch, fake_engine: FakeEngine
) -> None:
    fake_engine.answers_on_cache = False
    show(qtbot, memory, with_cache=True)
    qtbot.waitUntil(lambda: memory.report is not None)
    memory.ask()
    kinds = [type(command) for command in fake_engine.commands]
    assert kinds == [DescribeMemory, DescribeCache, DescribeMemory]


def test_the_bar_says_what_is_used_of_the_limit(
    qtbot: QtBot, theme: Theme, memory: MemoryWatch, fake_engine: FakeEngine
) -> None:
    fake_engine.memory = REPORT
    bar = MemoryBar(theme, memory)
    qtbot.addWidget(bar)
    assert bar.words == ""
    with qtbot.waitSignal(memory.changed):
        bar.show()
    assert bar.words.replace(NO_BREAK, " ") == "8.7 of 27.0 GB for models and caches"
    assert bar.accessibleName().replace(NO_BREAK, " ") == "Memory: 8.7 of 27.0 gigabytes for models and caches"
    assert round(100 * bar.value() / bar.maximum()) == 32


def test_the_bar_is_pressed_by_mouse_and_by_keyboard(qtbot: QtBot, theme: Theme, memory: MemoryWatch) -> None:
    bar = MemoryBar(theme, memory)
    qtbot.addWidget(bar)
    with qtbot.waitSignal(bar.clicked):
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(bar.clicked):
        qtbot.keyClick(bar, Qt.Key.Key_Return)


def test_a_narrow_bar_says_it_shorter_instead_of_cutting_it(qtbot: QtBot) -> None:
    widths = (1000, 200, 40)
    said = [words_within(width, "0.5 of 21.1 GB") for width in widths]
    assert said[0] == "0.5 of 21.1 GB for models and caches"
    assert said[1] == "0.5 of 21.1 GB of memory"
    assert said[2] == "0.5 of 21.1 GB"
