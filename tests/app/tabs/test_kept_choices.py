"""What is chosen for a chat is kept at once: the next start has it, however this one ends."""

from __future__ import annotations

from collections.abc import Callable

from app.conversations.records import ChatChoices
from app.window import MainWindow
from tests.app.driver import Driver, settle


def make_preset(window: MainWindow) -> str:
    return window.models.planner.presets.add("Careful").id


def test_a_choice_for_a_saved_chat_needs_no_reply(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    preset_id = make_preset(driver.window)
    driver.type("one")
    driver.wait_idle()
    driver.tab.session.choose_drafter("suffix")
    driver.run(driver.tab.session.choose_preset(preset_id))
    again = make_driver()
    assert (again.tab.session.drafter, again.tab.session.preset) == ("suffix", preset_id)


def test_a_choice_outlives_the_tab_that_is_closed_right_after_it(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    conversation_id = driver.tab.session.conversation_id or ""
    driver.tab.session.choose_drafter("suffix")
    driver.window.workspace.close_tab(0)
    driver.run(settle())
    driver.window.workspace.open_chat(conversation_id)
    driver.wait(lambda: driver.tab.title == "one")
    assert driver.tab.session.drafter == "suffix"


def test_a_choice_for_a_chat_that_is_not_saved_is_kept_with_its_tab(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    driver.window.workspace.new_tab_in("Work")
    driver.tab.session.choose_drafter("suffix")
    driver.run(settle())
    again = make_driver()
    assert again.tab.session.choices == ChatChoices("suffix", folder="Work")
    again.type("one")
    again.wait_idle()
    again.wait(lambda: bool(again.window.catalogue.conversations))
    (chat,) = again.window.catalogue.conversations
    assert (chat.drafter, chat.folder) == ("suffix", "Work")


def test_another_chat_does_not_take_the_place_of_one_with_a_choice(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.workspace.close_tab(0)
    driver.tab.session.choose_drafter("suffix")
    driver.window.workspace.open_chat(conversation_id)
    driver.wait(lambda: driver.tab.title == "one")
    assert [tab.session.drafter for tab in driver.window.workspace.tabs] == ["suffix", ""]


def test_what_was_written_comes_back_with_what_was_chosen_for_it(driver: Driver) -> None:
    driver.tab.session.choose_drafter("suffix")
    driver.window.workspace.close_tab(0)
    assert driver.window.workspace.new_tab().session.drafter == ""  # nothing was written
    driver.tab.session.choose_drafter("none")
    driver.tab.composer.field.setPlainText("one")
    driver.window.workspace.close_tab(0)
    assert driver.window.workspace.new_tab().session.drafter == "none"
