"""StatisticsSettings: how far back replies are looked at, what a live rate is over, and all of it as a file."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.conversations.catalogue import Catalogue
from app.conversations.database import Database
from app.conversations.off_thread import run_off_thread
from app.conversations.opening import StorageError
from app.conversations.recorded_statistics import RecordedReply, read_recorded, since_of
from app.figures import write_amount
from app.file_dialogs import SaveDialog
from app.settings.form import Card, Choice, Row, SettingsPage, make_button
from app.settings.notice import Notice
from app.settings.preferences import Preferences, Settings, StatisticsChoice
from app.shown_paths import write_place
from app.statistics.export import recorded_as_csv, recorded_as_json, write_file
from app.statistics.exporting import KINDS
from app.tasks import start
from app.theme.theme import Theme

NAME = "Statistics"
DAYS = (7, 30, 90, 365, 0)
SECONDS = (1, 2, 5, 10)
BACK = (
    "So far go the page of all replies, what is exported here, and what the page Prompt cache says was read again. "
    "Nothing is deleted."
)
LIVE = "The last rate of a reply is over the whole of it."


def write_days(days: int) -> str:
    return f"{days}\u00a0days" if days else "all"


class StatisticsSettings(SettingsPage):
    def __init__(self, theme: Theme, settings: Settings, database: Database, catalogue: Catalogue) -> None:
        super().__init__(theme, NAME)
        self._settings = settings
        self._database = database
        self._catalogue = catalogue
        self.note = Notice(theme)
        self.days = Choice(theme, [(str(days), write_days(days)) for days in DAYS])
        self.seconds = Choice(theme, [(str(seconds), f"{seconds}\u00a0s") for seconds in SECONDS])
        self.export = make_button("Export all…", self._ask, name="Export the statistics of all replies")
        self.add(self.note)
        self.add(
            Card(
                theme,
                Row("Look back", self.days, BACK),
                Row("A live rate is over the last", self.seconds, LIVE),
                Row("Statistics of all replies", self.export),
            )
        )
        self.days.chosen.connect(lambda key: self._change(keep_days=int(key)))
        self.seconds.chosen.connect(lambda key: self._change(live_seconds=int(key)))
        self.restore_asked.connect(
            lambda: settings.change(replace(settings.preferences, statistics=StatisticsChoice()))
        )
        settings.changed.connect(self._show)
        self._show(settings.preferences, settings.preferences)

    def _change(self, **changes: Any) -> None:
        preferences = self._settings.preferences
        self._settings.change(replace(preferences, statistics=replace(preferences.statistics, **changes)))

    def _show(self, before: Preferences, preferences: Preferences) -> None:
        self.days.choose(str(preferences.statistics.keep_days))
        self.seconds.choose(str(preferences.statistics.live_seconds))

    def _ask(self) -> None:
        endings = {words: (kind.lower(),) for kind, words in KINDS.items()}
        dialog = SaveDialog(self, "Export the statistics of all replies", "statistics", endings)
        dialog.fileSelected.connect(lambda name: start(self.write(dialog.chosen_path(name)), saves=True))
        dialog.open()

    async def write(self, path: Path) -> None:
        """As CSV or JSON, by the ending; says what came of it."""
        since = since_of(self._settings.preferences.statistics.keep_days)
        try:
            found = await asyncio.wrap_future(self._database.run(lambda store: read_recorded(store, since)))
            titles = {one.id: one.title for one in self._catalogue.conversations}
            await run_off_thread(lambda: write_file(str(path), _text_of(found, titles, path)))
        except (OSError, sqlite3.Error, StorageError) as error:
            reason = getattr(error, "strerror", "") or str(error)
            self.note.say(f"{path.name} was not written: {reason}. Choose another folder.", is_alert=True)
        else:
            self.note.say(f"The statistics of {write_amount(len(found), 'reply')} were written to {write_place(path)}.")


def _text_of(found: tuple[RecordedReply, ...], titles: dict[str, str], path: Path) -> str:
    is_json = path.suffix.lower() == ".json"
    return recorded_as_json(found, titles) if is_json else recorded_as_csv(found, titles)
