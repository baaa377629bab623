"""What the model chip opens: models, the chat's preset, the context, Eject."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QMenu

from app.popover.popover import Popover, place_over
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine

MISFIT = "Needs 31.2 GB; 27.0 GB is allowed."


@dataclass
class Model:
    target: str
    name: str
    quantisation: str = "4-bit"
    num_bytes: int = 4_600_000_000
    refusal: str = ""


@pytest.fixture
def popover(driver: Driver) -> Popover:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    models = (Model("/models/tiny", "tiny"), Model("/models/big", "Big", refusal=MISFIT), Model("/models/b", "B"))
    driver.window.models.popovers.models = lambda: models
    driver.window.models.popovers.show_models = lambda: None
    driver.tab.composer.foot.model_chip.click()
    popover = driver.window.findChild(Popover)
    assert popover is not None
    return popover


def words_of(popover: Popover) -> list[str]:
    return [row.spoken for row in popover.list.rows.rows if not row.is_line]


def press(driver: Driver, popover: Popover, *keys: Qt.Key) -> None:
    for key in keys:
        driver.qtbot.keyClick(popover.list, key)


def test_it_offers_what_is_here_and_tells_what_does_not_fit(driver: Driver, popover: Popover) -> None:
    *rows, last = words_of(popover)
    assert rows == [
        "tiny, 4-bit, Loaded",
        "Big, 4-bit, 4.6\u00a0GB",
        "B, 4-bit, 4.6\u00a0GB",
        "Preset, Default",
        "Context, 8,192",
        "Eject",
    ]
    assert last.startswith("All models…, ")  # and its keys
    press(driver, popover, Qt.Key.Key_Down)
    assert popover.list.currentIndex().data(Qt.ItemDataRole.AccessibleDescriptionRole) == MISFIT
    press(driver, popover, Qt.Key.Key_Return)
    assert driver.window.chooser.target == "/models/tiny"
    assert popover.isVisible()


def test_a_model_is_chosen_by_keys_and_the_popover_closes(driver: Driver, popover: Popover) -> None:
    press(driver, popover, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert driver.window.chooser.target == "/models/b"
    driver.wait(lambda: driver.window.findChild(Popover) is None)
    assert driver.window.isVisible()


def test_escape_closes_it_and_chooses_nothing(driver: Driver, popover: Popover) -> None:
    press(driver, popover, Qt.Key.Key_Down, Qt.Key.Key_Escape)
    driver.wait(lambda: driver.window.findChild(Popover) is None)
    assert driver.window.chooser.target == "/models/tiny"


def test_the_context_is_chosen_for_the_model(driver: Driver, popover: Popover) -> None:
    popover.list.setCurrentIndex(popover.list.rows.index(5, 0))
    press(driver, popover, Qt.Key.Key_Right)
    menu = popover.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions()][:3] == [
        "2,048 tokens",
        "4,096 tokens",
        "8,192 tokens, all that it reads",
    ]
    menu.actions()[1].trigger()
    assert driver.window.settings.preferences.model("/models/tiny").context_length == 4096


def test_eject_lets_go_and_is_offered_for_what_is_loaded_alone(driver: Driver, popover: Popover) -> None:
    popover.list.setCurrentIndex(popover.list.rows.index(7, 0))
    press(driver, popover, Qt.Key.Key_Return)
    driver.wait(lambda: not driver.window.chooser.is_loaded)
    driver.tab.composer.foot.model_chip.click()
    again = driver.window.findChildren(Popover)[-1]
    assert words_of(again)[0] == "tiny, 4-bit, Not loaded"
    assert "Eject" not in words_of(again)
    again.close()


def test_it_says_when_another_model_would_load(driver: Driver, popover: Popover, fake_engine: FakeEngine) -> None:
    popover.close()
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.tab.composer.foot.model_chip.click()
    again = driver.window.findChildren(Popover)[-1]
    assert "Another loads when the reply ends." in words_of(again)
    again.close()


def test_a_model_that_leaves_for_another_is_loaded_until_it_has_left(
    driver: Driver, popover: Popover, fake_engine: FakeEngine
) -> None:
    fake_engine.holds_loads = fake_engine.holds_unloads = True
    press(driver, popover, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return)
    driver.wait(lambda: fake_engine.loads[-1].target == "/models/b")
    driver.tab.composer.foot.model_chip.click()
    again = driver.window.findChildren(Popover)[-1]
    assert words_of(again)[:2] == ["b, Loading", "tiny, 4-bit, Loaded"]
    again.close()


def test_a_popover_stands_over_its_chip_and_on_the_screen() -> None:
    screen = QRect(0, 0, 1000, 800)
    assert place_over(QRect(100, 700, 80, 30), QSize(300, 400), screen) == QPoint(100, 294)
    assert place_over(QRect(500, 700, 80, 30), QSize(300, 400), screen, is_mirrored=True).x() == 280
    assert place_over(QRect(900, 700, 80, 30), QSize(300, 400), screen).x() == 693
    assert place_over(QRect(100, 100, 80, 30), QSize(300, 400), screen).y() == 135
