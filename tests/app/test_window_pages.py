"""Pages beside the chats: statistics, the inspector, and the way around by keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from app.statistics.inspector import NOTHING
from app.theme.buttons import SymbolButton
from app.theme.fonts import TextSize, font
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


@pytest.fixture(autouse=True)
def _text_size_of_others(driver: Driver):
    yield
    driver.window.theme.set_text_size(100)


def test_statistics_open_once_as_a_tab_and_close_like_one(driver: Driver) -> None:
    workspace, chat = driver.window.workspace, driver.tab
    driver.show_statistics()
    assert workspace.row.bar.tabText(workspace.row.bar.currentIndex()) == "Statistics"
    assert driver.window.windowTitle() == "Statistics · Slipstream"
    driver.window.sidebar.statistics_row.click()
    driver.window.sidebar.footer.click()
    assert workspace.row.bar.count() == 2
    driver.window.actions_of_window.close.trigger()
    assert workspace.current is chat


def test_statistics_asked_for_twice_before_they_are_shown_open_once(driver: Driver) -> None:
    driver.window.actions_of_window.statistics.trigger()
    driver.show_statistics()
    driver.run(settle())
    assert driver.window.workspace.row.bar.count() == 2


def test_statistics_opened_from_a_chat_that_runs_are_of_that_chat(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    page = driver.show_statistics()
    assert page.segments.key == driver.window.workspace.tabs[0].session.conversation_id
    driver.window.workspace.tabs[0].stop()


def test_what_has_to_be_said_while_statistics_are_shown_is_said_in_the_last_chat(driver: Driver) -> None:
    chat = driver.tab
    driver.show_statistics()
    driver.window.show_trouble("The disk is full.")
    assert "The disk is full." in [label.text() for label in chat.findChildren(QLabel)]


def test_a_chat_opened_beside_statistics_has_a_tab_of_its_own(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    workspace = driver.window.workspace
    driver.show_statistics()
    driver.window.actions_of_window.new.trigger()
    assert [workspace.row.bar.tabText(index) for index in range(3)] == ["one", "Statistics", "New chat"]
    workspace.close_tab(0)
    assert [tab.title for tab in workspace.tabs] == ["New chat"]


def test_the_inspector_stands_beside_a_chat_and_over_it_in_a_narrow_window(driver: Driver) -> None:
    driver.window.resize(1320, 700)
    body, page = driver.window.workspace.body, driver.tab
    whole = page.width()
    driver.window.actions_of_window.inspector.trigger()
    assert page.width() == whole - 304
    driver.window.resize(1000, 700)
    assert page.width() == body.width()
    assert body.side is not None
    assert body.side.geometry().right() == body.rect().right()


def test_the_inspector_forgets_a_reply_that_is_deleted(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.resize(1320, 700)
    driver.window.actions_of_window.inspector.trigger()
    inspector = driver.window.statistics.inspector
    assert inspector is not None
    assert inspector.numbers.isVisible()
    driver.run(driver.tab.session.delete_from(driver.tab.session.messages[1].id))
    driver.wait(lambda: inspector.text == NOTHING)


def test_the_inspector_tells_of_the_reply_that_is_in_view_at_the_start(make_driver: Callable[[], Driver]) -> None:
    first = make_driver()
    first.window.resize(1320, 700)
    first.type("one")
    first.wait_idle()
    first.window.actions_of_window.inspector.trigger()
    first.window.leave()
    second = make_driver()
    second.window.resize(1320, 700)
    second.wait(lambda: bool(second.tab.session.messages))
    second.run(settle())
    inspector = second.window.statistics.inspector
    assert inspector is not None
    assert inspector.isVisible()
    assert inspector.text != NOTHING


def test_the_inspector_goes_while_statistics_are_shown(driver: Driver) -> None:
    driver.window.actions_of_window.inspector.trigger()
    driver.show_statistics()
    assert not driver.window.workspace.body.is_side_shown
    driver.window.workspace.step(-1)
    assert driver.window.workspace.body.is_side_shown


def test_f6_goes_through_the_parts_of_the_window_and_back(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.resize(1320, 700)
    window = driver.window
    parts = [driver.tab.composer.field, window.sidebar.field, window.workspace.row.bar, driver.tab.transcript]
    assert QApplication.focusWidget() is parts[0]
    for part in [*parts[1:], parts[0]]:
        window.regions.step(1)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert focus is part or part.isAncestorOf(focus)
    window.regions.step(-1)
    assert driver.tab.transcript.isAncestorOf(QApplication.focusWidget()) or driver.tab.transcript.hasFocus()


def test_text_grows_by_steps_and_goes_back(driver: Driver) -> None:
    field = driver.window.sidebar.field
    driver.window.looks.step_text_size(1)
    assert (TextSize.percent, field.font().pixelSize()) == (115, 15)
    for _ in range(5):
        driver.window.looks.step_text_size(1)
    assert font("interface").pixelSize() == round(13 * 1.5) == field.font().pixelSize()
    assert QGuiApplication.font().pixelSize() == field.font().pixelSize()
    driver.window.looks.step_text_size(0)
    assert field.font().pixelSize() == 13


def test_an_inspector_over_a_chat_leaves_the_composer_free(driver: Driver) -> None:
    driver.window.resize(900, 600)
    driver.window.actions_of_window.inspector.trigger()
    side, composer = driver.window.workspace.body.side, driver.tab.composer
    assert side is not None
    for text in ("", "a line\n" * 8):
        composer.field.setPlainText(text)
        driver.run(settle())
        assert side.mapTo(driver.window, side.rect().bottomLeft()).y() < composer.mapTo(driver.window, QPoint()).y()


@pytest.mark.parametrize("size", [(900, 600), (480, 560)])
def test_an_inspector_over_a_chat_is_closed_by_its_button_and_by_escape(driver: Driver, size: tuple[int, int]) -> None:
    driver.window.resize(*size)
    field, toggle = driver.tab.composer.field, driver.window.actions_of_window.inspector
    toggle.trigger()
    inspector = driver.window.statistics.inspector
    assert inspector is not None
    button = next(one for one in inspector.findChildren(SymbolButton) if one.isVisible())
    button.click()
    assert not inspector.isVisible()
    assert field.hasFocus()
    toggle.trigger()
    assert inspector.isVisible()
    driver.qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not inspector.isVisible()


def test_escape_stops_the_reply_once_no_inspector_lies_over_it(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.window.resize(900, 600)
    driver.window.actions_of_window.inspector.trigger()
    driver.qtbot.keyClick(driver.tab.composer.field, Qt.Key.Key_Escape)
    assert driver.tab.session.is_busy
    driver.qtbot.keyClick(driver.tab.composer.field, Qt.Key.Key_Escape)
    driver.wait_idle()


def test_the_keyboard_goes_to_the_chat_when_the_sidebar_goes(driver: Driver) -> None:
    driver.window.resize(480, 560)
    driver.window.actions_of_window.search.trigger()
    assert driver.window.sidebar.field.hasFocus()
    driver.qtbot.keyClick(driver.window.sidebar.field, Qt.Key.Key_Escape)
    assert not driver.window.sidebar.isVisible()
    assert driver.tab.composer.field.hasFocus()


def test_an_inspector_of_the_last_time_does_not_start_over_the_chat(make_driver: Callable[[], Driver]) -> None:
    first = make_driver()
    first.window.resize(900, 600)
    first.window.actions_of_window.inspector.trigger()
    assert first.window.workspace.body.is_side_shown
    first.window.leave()
    body = (second := make_driver()).window.workspace.body
    assert not body.is_side_shown
    assert not second.window.workspace.row.inspector_button.isChecked()
    second.window.actions_of_window.inspector.trigger()
    assert body.is_side_shown


@pytest.mark.parametrize("steps", [0, 5])
def test_the_inspector_is_as_wide_as_its_place_at_every_size_of_text(driver: Driver, steps: int) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.looks.step_text_size(steps)
    driver.window.resize(900, 600)
    driver.window.actions_of_window.inspector.trigger()
    driver.run(settle())
    side, inspector = driver.window.workspace.body.side, driver.window.statistics.inspector
    assert side is not None
    assert inspector is not None
    assert inspector.geometry().right() <= side.rect().right()


def test_the_button_of_the_other_tabs_grows_with_its_words(driver: Driver) -> None:
    button = driver.window.workspace.row.more_button
    before = button.width()
    driver.window.looks.step_text_size(5)
    driver.window.workspace.row.refit()
    assert button.width() > before


def test_strip_inspector_and_sidebar_say_one_rate(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    history, strip = driver.window.statistics.history, driver.tab.transcript.last
    assert strip is not None
    driver.wait(lambda: strip.is_rate_told)
    history.measure()
    (reply,) = history.replies()
    assert strip.rate == history.rate_of(reply)
    assert history.rate == (strip.rate or 0.0)
    driver.tab.stop()
    driver.wait_idle()
