"""The first page: it offers what may answer, goes with the first message, and says where there is no model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt

from app.parts.welcome import REFUSAL, no_model_words
from app.system.hardware import machine_words, memory_bytes, short_chip
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


@dataclass
class Model:
    target: str
    name: str
    quantisation: str = "4-bit"
    num_bytes: int = 4_600_000_000
    refusal: str = ""
    place: str = "Hugging Face cache"
    kind: str = "hub"


MODELS = (Model("starter", "SmolLM2 135M"), Model("/m/a", "A"), Model("/m/b", "B", refusal="It does not fit."))


@pytest.fixture
def target() -> str:
    return ""


def rows_of(driver: Driver) -> list[tuple[str, str, str]]:
    return [(row.answer.name, row.answer.words, row.answer.at_end) for row in driver.tab.empty.welcome.card.rows]


def test_it_offers_the_packaged_model_and_those_that_were_found(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    driver.window.welcome.take_models(MODELS)
    assert driver.tab.empty.welcome.isVisible()
    assert rows_of(driver) == [
        ("SmolLM2 135M", "Came with Slipstream. Quick, for trying things out; often wrong on facts.", "Loaded"),
        ("A", "Found in the Hugging Face cache. No second download.", "4.6\u00a0GB"),
    ]
    second = driver.tab.empty.welcome.card.rows[1]
    driver.qtbot.keyClick(second, Qt.Key.Key_Space)
    driver.wait(lambda: driver.window.chooser.is_loaded)
    assert driver.window.chooser.target == "/m/a"
    assert [row.isChecked() for row in driver.tab.empty.welcome.card.rows] == [False, True]


def test_it_goes_with_the_first_message_and_never_returns(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    driver.wait(lambda: driver.window.settings.preferences.was_welcomed)
    driver.window.deletion.delete([driver.tab.session.conversation_id or ""])
    driver.wait(lambda: driver.tab.is_empty)
    assert not driver.tab.empty.welcome.isVisible()


def test_help_shows_it_again(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.actions_of_window.welcome.trigger()
    assert driver.tab.empty.welcome.isVisible()


def test_without_a_model_the_composer_keeps_the_text_and_says_why(driver: Driver, fake_engine: FakeEngine) -> None:
    asked: list[str] = []
    driver.window.welcome.find_model = lambda: asked.append("find")
    driver.window.welcome.add_folder = lambda: asked.append("folder")
    driver.window.welcome.take_models(())
    assert not driver.tab.empty.welcome.card.isVisible()
    assert no_model_words() in [bar.text for bar in driver.tab.findChildren(type(driver.window.workspace.bar))]
    driver.type("one")
    assert driver.tab.composer.field.toPlainText() == "one"
    assert driver.tab.composer.foot.send_button.accessibleDescription() == REFUSAL
    driver.press("Find a model")
    driver.press("Add a folder with models")
    assert asked == ["find", "folder"]
    driver.window.welcome.take_models(MODELS)
    driver.type("one")
    driver.wait(lambda: len(fake_engine.submits) == 1)


def test_the_machine_is_named_without_noise() -> None:
    assert short_chip("Apple M3 Pro") == "M3 Pro"
    assert short_chip("Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz") == "Intel Core i7-9750H"
    assert machine_words().endswith(("GB", "of memory"))
    assert memory_bytes() > 2**29


@pytest.mark.parametrize("size", [(480, 400), (480, 560), (900, 600), (1320, 860)])
def test_in_a_low_window_whole_rows_are_shown_the_chosen_one_among_them(driver: Driver, size: tuple[int, int]) -> None:
    models = [Model(f"/m/{number}", f"M{number}") for number in range(4)]
    driver.window.welcome.take_models([MODELS[0], *models])
    driver.window.chooser.choose("/m/3")
    driver.window.resize(*size)
    driver.run(settle())
    rows = [row for row in driver.tab.empty.welcome.card.rows if row.isVisible()]
    assert any(row.isChecked() for row in rows)
    assert all(row.height() == row.sizeHint().height() for row in rows)
    assert driver.tab.empty.welcome.geometry().bottom() <= driver.tab.empty.height()
