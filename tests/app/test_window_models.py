"""The model of a window: its chips, its footer, its load, and what a second start hands over."""

from __future__ import annotations

from app.chat.composer_foot import KEEP
from app.models.state import State
from app.popover.popover import Popover
from app.system.single import Handed
from engine.messages import Progress
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine


def test_every_chat_goes_on_with_the_model_that_is_chosen(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.workspace.new_tab()
    driver.window.chooser.choose("/models/other")
    driver.wait(lambda: driver.window.chooser.is_loaded)
    assert [tab.composer.foot.model_chip.accessibleName() for tab in driver.window.workspace.tabs] == [
        "Model: other 4-bit",
        "Model: other 4-bit",
    ]
    assert driver.window.sidebar.footer.words == ("Ready", "other")
    driver.window.workspace.step(-1)
    driver.type("two")
    driver.wait_idle(4)
    assert [submit.target for submit in fake_engine.submits] == ["/models/tiny", "/models/other"]
    assert [message.model for message in driver.tab.session.messages if message.role == "assistant"] == [
        "/models/tiny",
        "/models/other",
    ]


def test_a_load_is_stopped_from_the_composer_and_the_next_message_loads(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    fake_engine.holds_loads = True
    driver.window.chooser.choose("/models/other")
    assert driver.tab.composer.foot.cost.words == "Loading other"
    driver.press("Stop loading the model")
    driver.wait(lambda: driver.window.chooser.state is State.AWAY)
    assert driver.window.sidebar.footer.words == ("Not loaded", "other")
    assert not driver.tab.composer.foot.can_stop_load
    fake_engine.holds_loads = False
    driver.type("one")
    driver.wait_idle()
    driver.wait(lambda: driver.window.chooser.is_loaded)


def test_a_narrow_window_says_what_is_stopped(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    fake_engine.holds_loads = True
    driver.window.chooser.choose("/models/Mistral-Small-24B-Instruct")
    stop = driver.tab.composer.foot.stop_button
    for width, words, told in ((1320, "Stop", ""), (480, "Stop loading", "Loading Mistral-Small-24B-Instruct")):
        driver.window.resize(width, 560)
        driver.wait(lambda words=words: stop.text() == words)
        assert stop.accessibleDescription() == told


def test_a_change_while_a_reply_runs_says_when_it_loads(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    fake_engine.holds_loads = True
    driver.window.chooser.choose("/models/other")
    driver.wait(lambda: fake_engine.loads[-1].target == "/models/other")
    fake_engine.emit(Progress(fake_engine.loads[-1].request_id, "waiting", 0, 0))
    driver.wait(lambda: driver.tab.composer.foot.cost.words == "Loads when the reply ends.")
    assert driver.tab.composer.foot.stop_button.text() == KEEP
    driver.tab.stop()
    driver.wait(lambda: driver.tab.composer.foot.cost.words == "Loading other")


def test_a_model_that_is_gone_leaves_the_text_and_offers_others(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.tab.composer.field.setPlainText("half a message")
    fake_engine.unloadable |= {"/models/gone": "/models/gone is not there", "/models/tiny": "nor is this"}
    driver.window.chooser.choose("/models/gone")
    driver.wait(lambda: driver.window.chooser.error != "")
    assert driver.tab.composer.field.toPlainText() == "half a message"
    assert driver.window.sidebar.footer.words == ("Not ready", "tiny")
    driver.press("Choose another model")


def test_a_second_start_hands_over_what_it_was_to_use(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.window.showMinimized()
    driver.window.take_over(Handed("/models/other", "none"))
    assert not driver.window.isMinimized()
    driver.type("one")
    driver.wait_idle()
    assert [(submit.target, submit.drafter) for submit in fake_engine.submits] == [("/models/other", "none")]


def test_the_menu_ejects_what_is_loaded_and_opens_the_models(driver: Driver) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    actions = driver.window.actions_of_window
    actions.refresh()
    actions.eject.trigger()
    driver.wait(lambda: driver.window.chooser.state is State.AWAY)
    actions.refresh()
    assert not actions.eject.isEnabled()
    actions.choose_model.trigger()
    popover = driver.window.findChild(Popover)
    assert popover is not None
    popover.close()


def test_a_model_that_waits_for_a_reply_gives_way_to_the_present_one(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    fake_engine.holds_loads = True
    driver.window.chooser.choose("/models/other")
    driver.wait(lambda: fake_engine.loads[-1].target == "/models/other")
    fake_engine.emit(Progress(fake_engine.loads[-1].request_id, "waiting", 0, 0))
    driver.wait(lambda: driver.tab.composer.foot.stop_button.text() == KEEP)
    driver.press(KEEP)
    assert driver.window.chooser.target == fake_engine.loads[-1].target == "/models/tiny"
    driver.tab.stop()
    driver.wait_idle()
