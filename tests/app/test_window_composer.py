"""The composer in the window: what it quotes, counts and chooses reaches the engine, and comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu

from app.chat.draft import Draft
from app.conversations.records import Attachment
from app.popover.popover import Popover
from engine.messages import CountTokens, Delta, Finished, ModelLoaded, Statistics, TemplateSwitch, TokenCount
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, deltas_of, facts_of

NOTES = Attachment("notes.md", "# Notes\n```\nfenced\n```\n")
THINKING = TemplateSwitch("enable_thinking", ("on", "off"), "on")
EFFORT = TemplateSwitch("reasoning_effort", ("low", "medium", "high"))


def choose(driver: Driver, words: str) -> None:
    menu = driver.tab.composer.foot.findChild(QMenu)
    assert menu is not None
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()


def test_an_attached_file_is_quoted_in_the_prompt_and_kept_with_the_message(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    driver.tab.composer.put_back(Draft("What does it say?", (NOTES,)))
    driver.tab.composer.submit()
    driver.wait_idle()
    assert driver.tab.session.messages[0].attachments == (NOTES,)
    (turn,) = fake_engine.submits[0].turns
    assert NOTES.name in turn.text
    assert NOTES.text in turn.text
    assert "What does it say?" in turn.text


def test_everything_unsent_is_there_at_the_next_start(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine
) -> None:
    driver = make_driver()
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("waits")
    driver.tab.composer.begin_edit(driver.tab.session.messages[0])
    driver.tab.composer.put_back(Draft("beside", (NOTES,)))
    unsent = driver.tab.composer.unsent()
    assert [draft.text for draft in unsent] == ["beside", "waits", "one"]
    driver.window.leave()
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
    again = make_driver()
    assert again.tab.composer.unsent() == unsent
    assert again.tab.composer.draft.edits == again.tab.session.messages[0].id
    assert len(fake_engine.submits) == 1


def test_the_way_of_thinking_is_chosen_for_the_chat_where_the_template_has_it(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine
) -> None:
    driver = make_driver()
    driver.wait(lambda: driver.window.sidebar.footer.words[0] == "Ready")
    chip = driver.tab.composer.foot.thinking_chip
    assert chip.isHidden()
    fake_engine.emit(ModelLoaded(0, replace(facts_of("/models/tiny"), switches=(THINKING, EFFORT))))
    driver.wait(chip.isVisible)
    assert chip.accessibleName() == "Choose how the model thinks: Thinking on"
    driver.qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    choose(driver, "High")
    driver.type("one")
    driver.wait_idle()
    assert fake_engine.submits[0].switches == (("reasoning_effort", "high"),)
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.workspace.close_tab(0)
    driver.window.workspace.open_chat(conversation_id)
    driver.wait(lambda: driver.tab.title == "one")
    reopened = driver.tab.composer.foot.thinking_chip
    assert reopened.accessibleName() == "Choose how the model thinks: Thinking high"


def test_a_switch_that_is_off_says_so_and_as_the_model_does_takes_a_choice_back(driver: Driver) -> None:
    foot, chosen = driver.tab.composer.foot, list[object]()
    driver.tab.composer.switches_chosen.connect(chosen.append)
    foot.set_switches((THINKING, EFFORT), (("reasoning_effort", "low"),))
    for words, said in (("Off", "Thinking off"), ("As the model does", "Thinking off"), ("On", "Thinking on")):
        driver.qtbot.mouseClick(foot.thinking_chip, Qt.MouseButton.LeftButton)
        choose(driver, words)
        assert foot.thinking_chip.accessibleName().endswith(said)
    off, low, on = ("enable_thinking", "off"), ("reasoning_effort", "low"), ("enable_thinking", "on")
    assert chosen == [(low, off), (off,), (on,)]


def test_a_drafter_with_a_path_is_offered_again_when_its_chat_is_opened(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    driver.tab.session.drafter = "auto:/drafters/Qwen3-DFlash"
    driver.type("one")
    driver.wait_idle()
    driver.tab.session.drafter = "none"
    driver.type("two")
    driver.wait_idle(4)
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.workspace.close_tab(0)
    driver.window.workspace.open_chat(conversation_id)
    driver.wait(lambda: driver.tab.title == "one")
    driver.tab.composer.open_drafters()
    rows = driver.window.findChild(Popover).list.rows
    place = next(place for place, row in enumerate(rows.rows) if row.words == "Qwen3-DFlash")
    driver.window.findChild(Popover).list.clicked.emit(rows.index(place, 0))
    assert driver.tab.session.drafter == "auto:/drafters/Qwen3-DFlash"


@pytest.mark.parametrize("num_letters", [100, 9000])
def test_o18_a_prompt_that_is_too_long_is_not_sent_and_names_its_count(
    driver: Driver, fake_engine: FakeEngine, num_letters: int
) -> None:
    fake_engine.count = lambda question: TokenCount(sum(len(turn.text) for turn in question.turns), 8192)
    driver.type("z" * num_letters)
    if num_letters == 100:
        driver.wait_idle()
    else:
        driver.wait(lambda: bool(driver.tab.composer.limit.text))
        assert "9,000\u00a0tokens; the context holds 8,192" in driver.tab.composer.limit.text
        assert driver.tab.composer.draft.text == "z" * 9000
    assert len(fake_engine.submits) == (num_letters == 100)


@pytest.mark.parametrize("text", ["a line of a log\n" * 62_500, "line\n" * 200_000], ids=["1 MB", "200,000 lines"])
def test_o53_a_huge_paste_is_counted_and_taken_back_by_undo(driver: Driver, fake_engine: FakeEngine, text: str) -> None:
    fake_engine.count = lambda question: TokenCount(sum(len(turn.text) for turn in question.turns), 8192)
    composer = driver.tab.composer
    QApplication.clipboard().setText(text)
    driver.qtbot.keyClick(composer.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: "the context holds 8,192" in composer.limit.text)
    assert not composer.foot.send_button.isEnabled()
    driver.qtbot.keyClick(composer.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.draft == Draft()
    driver.wait(lambda: not composer.limit.isVisible())


def test_what_is_written_while_a_reply_grows_is_counted_with_two_questions(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    fake_engine.script, fake_engine.ending, fake_engine.delay_seconds = deltas_of("so on " * 200), None, 0.002
    driver.type("one")
    driver.wait_text("so on so on")
    fake_engine.count = lambda question: TokenCount(sum(len(turn.text) for turn in question.turns), 8192)
    num_before = len([one for one in fake_engine.commands if isinstance(one, CountTokens)])
    driver.tab.composer.field.setPlainText("and two")
    driver.wait(lambda: "to read" in driver.tab.composer.foot.cost.words)
    driver.run(settle())
    assert len([one for one in fake_engine.commands if isinstance(one, CountTokens)]) <= num_before + 3


def test_the_meter_follows_a_reply_and_asks_the_engine_no_more_for_it(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.chat.counting.FOLLOW_MILLISECONDS", 0)
    driver = make_driver()
    fake_engine.count = lambda question: TokenCount(10 * len(question.turns), 8192, 0, 0)
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    cost = driver.tab.composer.foot.cost
    driver.wait(lambda: cost.words.startswith("12 of"))
    num_asked = len([each for each in fake_engine.commands if isinstance(each, CountTokens)])
    fake_engine.emit(Delta(fake_engine.submits[0].request_id, " you", (3,), 0, Statistics(num_tokens=3)))
    driver.wait(lambda: cost.words.startswith("13 of"))
    assert len([each for each in fake_engine.commands if isinstance(each, CountTokens)]) == num_asked
    driver.tab.stop()
    driver.wait_idle()
    driver.wait(lambda: cost.words.startswith("20 of"))
