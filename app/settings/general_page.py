"""GeneralPage: what the program does when it starts, when a reply ends unseen and when nothing runs."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Any

from app.conversations.off_thread import run_off_thread
from app.settings.form import Card, Choice, Row, SettingsPage, Switch
from app.settings.login import login_path, remove_login_file, start_command, write_login_file
from app.settings.preferences import General, Preferences, Settings
from app.shown_paths import write_place
from app.tasks import start
from app.theme.theme import Theme

NAME = "General"
UNLOAD_MINUTES = (5, 15, 30, 60, 240, 0)
LOGIN = "The program starts behind its window, and loads the model that was used last."
UNLOAD = "Its memory is free then; the next reply loads it again."
NOTIFIES = "It says the chat’s title and how long the reply is, never what it says."


def write_minutes(minutes: int) -> str:
    if not minutes:
        return "never"
    return f"{minutes}\u00a0min" if minutes < 120 else f"{minutes // 60}\u00a0h"


class GeneralPage(SettingsPage):
    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__(theme, NAME)
        self._settings = settings
        self.login, self.reopen, self.notify = (Switch(theme) for _ in range(3))
        self.unload = Choice(theme, [(str(minutes), write_minutes(minutes)) for minutes in UNLOAD_MINUTES])
        self.login_row = Row("Open at login", self.login)
        self.add(
            Card(
                theme,
                self.login_row,
                Row("Reopen tabs", self.reopen, "Those that were open when the program was left."),
                Row("Notify when a reply ends in the background", self.notify, NOTIFIES),
                Row("Unload the loaded model after", self.unload, UNLOAD),
            )
        )
        self._file = asyncio.Lock()  # of the system: it is written by one choice at a time, in their order
        self.login.toggled.connect(lambda is_on: start(self.set_login(is_on), saves=True))
        self.reopen.toggled.connect(lambda is_on: self._change(reopens_tabs=is_on))
        self.notify.toggled.connect(lambda is_on: self._change(notifies=is_on))
        self.unload.chosen.connect(lambda key: self._change(unload_minutes=int(key)))
        self.restore_asked.connect(lambda: start(self._restore(), saves=True))
        settings.changed.connect(self._show)
        self._show(settings.preferences, settings.preferences)

    def _change(self, **changes: Any) -> None:
        preferences = self._settings.preferences
        self._settings.change(replace(preferences, general=replace(preferences.general, **changes)))

    def _show(self, before: Preferences, preferences: Preferences) -> None:
        general = preferences.general
        self.login.set_on(general.opens_at_login)
        self.reopen.set_on(general.reopens_tabs)
        self.notify.set_on(general.notifies)
        self.unload.choose(str(general.unload_minutes))

    async def set_login(self, is_on: bool) -> None:
        """Write the system's file or take it away; what cannot be done is said under the switch."""
        async with self._file:
            await self._set_login(is_on)

    async def _set_login(self, is_on: bool) -> None:
        path = login_path()
        try:
            if is_on:
                folder = os.environ.get("SLIPSTREAM_DATA", "")
                await run_off_thread(lambda: write_login_file(path, start_command(), folder))
            else:
                await run_off_thread(lambda: remove_login_file(path))
        except OSError as error:
            self.login.set_on(not is_on)
            self.login_row.set_problem(f"{write_place(path)} cannot be written: {error.strerror or error}.")
            return
        self.login_row.set_problem("")
        self._change(opens_at_login=is_on)

    async def _restore(self) -> None:
        if self._settings.preferences.general.opens_at_login:
            await self.set_login(False)
        self._settings.change(replace(self._settings.preferences, general=General()))
