"""Cases on models, in a real window over the real engine with tiny random targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.asking import ask as ask_engine
from app.conversations.records import ReplyState
from app.models.state import State
from engine.messages import DescribeMemory, MemoryReport
from engine.thread import EngineThread
from tests.app.driver import Driver
from tests.engine.tiny import tiny_folder

WIDE = {"hidden_size": 256, "intermediate_size": 512, "max_position_embeddings": 4096}
PROMPT = "Why? " * 500  # a letter is a token


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wide")
    return [str(tiny_folder(folder / str(seed), seed=seed, **WIDE)) for seed in range(3)]


@pytest.fixture
def target(models: list[str]) -> str:
    return models[0]


@pytest.fixture
def fake_engine(data_dir: Path) -> EngineThread:
    """No fake."""
    return EngineThread(data_dir)


def memory_of(driver: Driver) -> MemoryReport:
    report: MemoryReport = driver.run(ask_engine(driver.window.chooser.bridge, DescribeMemory, MemoryReport))
    return report


def test_o44_stop_while_a_prompt_is_read_keeps_what_was_read_for_the_next_send(driver: Driver) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    driver.type(PROMPT)
    driver.wait(lambda: driver.tab.transcript.last is not None and driver.tab.transcript.last.progress is not None)
    driver.tab.stop()
    driver.wait_idle()
    assert driver.tab.session.messages[-1].state is ReplyState.STOPPED
    driver.press("Continue this reply")
    driver.wait(lambda: driver.tab.session.running is not None and bool(driver.tab.session.running.text))
    assert driver.tab.session.running is not None
    statistics = driver.tab.session.running.statistics
    assert statistics is not None
    assert statistics.num_cached > 0
    driver.tab.stop()
    driver.wait_idle()


def test_o44_stop_in_a_load_leaves_the_chat_usable(make_driver: Callable[[], Driver], models: list[str]) -> None:
    driver = make_driver()
    driver.window.chooser.choose(models[1])
    driver.tab.stop()
    driver.wait(lambda: driver.window.chooser.state in (State.AWAY, State.LOADED))  # it may have been quicker
    driver.type("Why?")
    driver.wait(lambda: driver.tab.session.running is not None and bool(driver.tab.session.running.text))
    driver.tab.stop()
    driver.wait_idle()
    assert driver.tab.session.messages[-1].model == models[1]


def test_o47_five_quick_choices_of_model_and_drafter_in_mid_reply(driver: Driver, models: list[str]) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    alone = memory_of(driver).weight_bytes
    driver.type("Why?")
    driver.wait(lambda: driver.tab.session.running is not None and bool(driver.tab.session.running.text))
    for place in (1, 2, 0, 1, 2):
        driver.window.chooser.choose(models[place])
        driver.tab.session.choose_drafter(("none", "ngram", "suffix")[place])
    driver.tab.stop()
    driver.wait_idle()
    driver.wait(lambda: driver.window.chooser.is_loaded)
    assert driver.tab.session.messages[-1].state is ReplyState.STOPPED
    assert driver.window.chooser.target == models[2]
    assert memory_of(driver).weight_bytes == pytest.approx(alone, rel=0.1)
    driver.type("And then?")
    driver.wait(lambda: driver.tab.session.running is not None and bool(driver.tab.session.running.text))
    assert driver.tab.session.running is not None
    assert (driver.tab.session.running.model, driver.tab.session.running.drafter) == (models[2], "suffix")
    driver.tab.stop()
    driver.wait_idle(4)
