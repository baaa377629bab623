"""The next start has the tabs of this one, chats or not, and the marks of what nobody has seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.chat.tab import ChatTab
from app.library.models_page import ModelsPage
from app.statistics.page import StatisticsPage
from app.tabs.open_tabs import OpenTab, OpenTabs, read_open_tabs, write_open_tabs
from engine.messages import Failed, Finished
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine

MakeDriver = Callable[[], Driver]


def titles(driver: Driver) -> list[str]:
    bar = driver.window.workspace.row.bar
    return [bar.tabText(place) for place in range(bar.count())]


@pytest.mark.parametrize("is_killed", [True, False])
def test_pages_that_are_no_chats_come_back_in_their_places(make_driver: MakeDriver, is_killed: bool) -> None:
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    driver.show_models()
    driver.window.workspace.new_tab()
    driver.type("two")
    driver.wait_idle()
    driver.show_statistics()
    driver.run(settle())
    if not is_killed:
        driver.window.leave()
    again = make_driver()
    assert titles(again) == ["one", "Models", "two", "Statistics"]
    assert isinstance(again.window.workspace.current_page, StatisticsPage)
    assert isinstance(again.show_models(), ModelsPage)
    assert titles(again) == ["one", "Models", "two", "Statistics"]


@pytest.mark.parametrize("is_killed", [True, False])
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_reply_that_ended_unseen_is_marked_at_the_next_start(
    make_driver: MakeDriver, fake_engine: FakeEngine, is_killed: bool, is_closed: bool
) -> None:
    driver = make_driver()
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.workspace.new_tab()
    if is_closed:
        driver.window.workspace.close_tab(0)
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: driver.window.workspace.marks == {conversation_id: "unread"})
    driver.type("two")
    driver.wait_text("Hello there")
    fake_engine.emit(Finished(fake_engine.submits[1].request_id, "stop"))
    driver.wait_idle()
    if not is_killed:
        driver.window.leave()
    again = make_driver()
    assert again.tab.title == "two"
    assert again.window.workspace.marks == {conversation_id: "unread"}
    again.window.workspace.open_chat(conversation_id)
    again.wait(lambda: again.window.workspace.marks == {})
    assert make_driver().window.workspace.marks == {}


def test_a_reply_that_failed_unseen_is_marked_as_that(make_driver: MakeDriver, fake_engine: FakeEngine) -> None:
    driver = make_driver()
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id or ""
    driver.show_statistics()
    fake_engine.emit(Failed(fake_engine.submits[0].request_id, "engine", "no memory"))
    driver.wait(lambda: driver.window.workspace.marks == {conversation_id: "failed"})
    assert make_driver().window.workspace.marks == {conversation_id: "failed"}


def test_a_reply_that_ran_out_of_sight_when_all_ended_is_marked(
    make_driver: MakeDriver, fake_engine: FakeEngine, data_dir: Path
) -> None:
    driver = make_driver()
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id or ""
    driver.show_statistics()
    assert read_open_tabs(data_dir).marks == {conversation_id: "unread"}
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: not driver.window.workspace.busy_sessions)


def test_a_page_that_is_unknown_costs_the_others_nothing(make_driver: MakeDriver, data_dir: Path) -> None:
    write_open_tabs(data_dir, OpenTabs((OpenTab(page="calendar"), OpenTab(page="model")), 0))
    workspace = make_driver().window.workspace
    assert [type(page) for page in workspace.pages] == [ModelsPage, ChatTab]


def test_no_tab_comes_back_where_none_is_wanted(make_driver: MakeDriver, data_dir: Path) -> None:
    write_open_tabs(data_dir, OpenTabs((OpenTab(page="model"),), marks={"c": "unread"}))
    (data_dir / "settings.json").write_text('{"general": {"reopens_tabs": false}}')
    driver = make_driver()
    assert titles(driver) == ["New chat"]
    assert driver.window.workspace.marks == {"c": "unread"}
