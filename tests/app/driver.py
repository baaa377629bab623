"""A real window over the scripted engine, and the hands at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.chat.tab import ChatTab
from app.library.models_page import ModelsPage
from app.statistics.page import StatisticsPage
from app.window import MainWindow

RunAsync = Callable[[Coroutine[Any, Any, Any]], Any]


async def until(is_there: Callable[[], bool], seconds: float = 5.0) -> None:
    for _ in range(round(seconds / 0.005)):
        if is_there():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen in time")


async def settle() -> None:
    await asyncio.sleep(0.05)


class Driver:
    """A window and the hands at it."""

    def __init__(self, window: MainWindow, run: RunAsync, qtbot: QtBot) -> None:
        self.window = window
        self.run = run
        self.qtbot = qtbot

    @property
    def tab(self) -> ChatTab:
        tab = self.window.workspace.current
        assert tab is not None
        return tab

    @property
    def text(self) -> str:
        return self.tab.transcript.plain_text()

    def type(self, text: str) -> None:
        self.tab.composer.field.setPlainText(text)
        self.qtbot.keyClick(self.tab.composer.field, Qt.Key.Key_Return)

    def wait(self, is_there: Callable[[], bool]) -> None:
        self.run(until(is_there))

    def wait_idle(self, num_messages: int = 2) -> None:
        self.wait(lambda: len(self.tab.session.messages) >= num_messages and not self.tab.session.is_busy)

    def wait_text(self, text: str) -> None:
        self.wait(lambda: text in self.text)

    def show_statistics(self) -> StatisticsPage:
        """By its menu, until the page is there."""
        self.window.actions_of_window.statistics.trigger()
        self.wait(lambda: isinstance(self.window.workspace.current_page, StatisticsPage))
        page = self.window.workspace.current_page
        assert isinstance(page, StatisticsPage)
        return page

    def show_models(self) -> ModelsPage:
        """By its menu, until the page is there."""
        self.window.actions_of_window.models.trigger()
        self.wait(lambda: isinstance(self.window.workspace.current_page, ModelsPage))
        page = self.window.workspace.current_page
        assert isinstance(page, ModelsPage)
        return page

    def press(self, name: str) -> None:
        buttons = (button for button in self.tab.findChildren(QAbstractButton) if button.accessibleName() == name)
        next(button for button in buttons if button.isVisible()).click()
