"""The presets of one chat: in the menu of its model, and as rows where it is empty."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.chat.draft import Draft
from app.chat.empty_choices import EmptyChoices
from app.chat.preset_menu import ALL, preset_menu
from app.chat.session import ChatSession
from app.settings.presets import DEFAULT_ID, Presets
from app.tasks import finish
from app.theme.theme import Theme
from tests.app.driver import RunAsync


@pytest.fixture
def session(make_session: Callable[[], ChatSession], presets: Presets) -> ChatSession:
    for name in ("Editor & co", "Reviewer", "Translator", "Poet"):
        presets.add(name)
    return make_session()


@pytest.fixture
def menu(qtbot: QtBot, session: ChatSession) -> QMenu:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.asked = []
    return preset_menu(parent, session, lambda: parent.asked.append(True))


@pytest.fixture
def choices(qtbot: QtBot, theme: Theme, session: ChatSession) -> EmptyChoices:
    choices = EmptyChoices(theme, session)
    qtbot.addWidget(choices)
    choices.show_model("Qwen3 8B 4-bit")
    choices.show()
    return choices


def test_menu_lists_presets_with_the_chats_one_checked(menu: QMenu, session: ChatSession, run_async: RunAsync) -> None:
    menu.aboutToShow.emit()
    actions = [action for action in menu.actions() if action.isCheckable()]
    assert [action.text() for action in actions] == ["Default", "Editor && co", "Reviewer", "Translator", "Poet"]
    assert [action.isChecked() for action in actions] == [True, False, False, False, False]
    actions[2].trigger()
    run_async(finish())
    assert session.preset_in_use.name == "Reviewer"
    menu.aboutToShow.emit()
    assert menu.actions()[2].isChecked()
    next(action for action in menu.actions() if action.text() == ALL).trigger()
    assert menu.parent().asked == [True]


def test_empty_chat_shows_its_model_and_the_presets_that_were_used_last(
    choices: EmptyChoices, session: ChatSession, presets: Presets
) -> None:
    assert choices.line.text() == "Qwen3 8B 4-bit"
    for preset in reversed(presets.latest):
        presets.use(preset.id)
    presets.use(presets.latest[2].id)
    assert [row.text() for row in choices.rows] == ["Translator", "Editor & co", "Reviewer"]


def test_row_chooses_its_preset(qtbot: QtBot, choices: EmptyChoices, session: ChatSession, run_async: RunAsync) -> None:
    qtbot.keyClick(choices.rows[1], Qt.Key.Key_Return)
    run_async(finish())
    assert session.preset_in_use.name == choices.rows[1].text()
    assert choices.line.text() == f"{choices.rows[1].text()} · Qwen3 8B 4-bit"
    assert [row.isChecked() for row in choices.rows] == [False, True, False]
    choices.rows[1].click()
    run_async(finish())
    assert session.preset_in_use.id == DEFAULT_ID


def test_without_presets_there_are_no_rows(choices: EmptyChoices, presets: Presets) -> None:
    for preset in presets.latest:
        presets.delete(preset.id)
    assert all(row.isHidden() for row in choices.rows)
    assert presets.all[0].id == DEFAULT_ID


def test_a_preset_chosen_while_the_first_message_is_saved_stays_the_chats(
    session: ChatSession, make_session: Callable[[], ChatSession], presets: Presets, run_async: RunAsync
) -> None:
    chosen = presets.latest[0].id

    async def choose_meanwhile() -> None:
        sending = asyncio.ensure_future(session.send(Draft("Hi")))
        while session.preset != DEFAULT_ID:  # with which the message is being saved then
            await asyncio.sleep(0)
        assert session.conversation_id is None
        await session.choose_preset(chosen)
        await sending

    run_async(choose_meanwhile())
    again = make_session()
    assert run_async(again.open(session.conversation_id or ""))
    assert again.preset == chosen
