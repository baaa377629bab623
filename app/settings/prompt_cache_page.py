"""PromptCachePage: what the prompt cache holds and may hold, by chat, and what was read again in spite of it."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.asking import RefusedError, ask
from app.conversations.off_thread import run_off_thread
from app.conversations.opening import StorageError
from app.conversations.recorded_statistics import since_of
from app.conversations.rereads import Reread, read_rereads
from app.figures import write_bytes
from app.settings.budget_question import BudgetQuestion
from app.settings.cache_bands import CacheBands, Square
from app.settings.cache_budget import BudgetRow
from app.settings.cache_table import CachedChat, CacheTable
from app.settings.form import SIDE, Card, Ends, Heading, SettingsPage, make_button
from app.settings.notice import Notice
from app.settings.preferences import CacheChoice, Preferences, Settings
from app.settings.reread_list import RereadList, lines_of
from app.settings.sources import CacheSources
from app.tasks import start
from app.theme.labels import StartLabel
from app.theme.theme import Theme
from engine.messages import CACHE_OFF, CacheReport, ClearCache, Command, DescribeCache, RemoveCached

NAME = "Prompt cache"
REFRESH_MILLISECONDS = 1000
PURPOSE = "What a model has read is kept on disk, so that an old chat goes on without being read again."
QUESTION = "Remove all that the prompt cache holds? Chats stay. Each is read again when it goes on."
READING = "The prompt cache is being looked at …"
NOTHING_KEPT = "No chat has anything in it."
READ_ONLY = "Another program uses this prompt cache: what it holds is used, and nothing is added or removed."


class PromptCachePage(SettingsPage):
    """Asks the engine once a second while it is shown."""

    def __init__(self, theme: Theme, settings: Settings, sources: CacheSources) -> None:
        super().__init__(theme, NAME, PURPOSE)
        self._settings = settings
        self._sources = sources
        self._report = CacheReport()
        self._rereads: tuple[Reread, ...] = ()
        self._is_asking = False
        self._tasks: list[asyncio.Task[Any]] = []
        self.used, self.of_budget = (
            StartLabel("", "big-number", wraps=False),
            StartLabel("", "reply", "secondary", wraps=False),
        )
        self.free = StartLabel("", "interface", "secondary", wraps=False)
        self.bands, self.square = CacheBands(theme), Square(theme)
        self.legend = StartLabel("One band a chat", "small", "secondary", wraps=False)
        self.drafter_words = StartLabel("", "small", "secondary")
        self.more = StartLabel("", "small", "caption")
        self.budget = BudgetRow(theme)
        self.budget_question = BudgetQuestion(theme, self._keep_budget)
        self.table = CacheTable(theme)
        self.empty = StartLabel(READING, "interface", "secondary")
        self.rereads = RereadList(theme)
        self.note = Notice(theme)
        self.remove_all = make_button("Remove all…", lambda: self.ask_first(True), kind="link")
        self.yes = make_button(
            "Remove all", lambda: self._start(self._change(ClearCache)), name="Remove all of the cache"
        )
        self.no = make_button("Keep", lambda: self.ask_first(False), name="Keep the cache")
        self.question = Notice(theme, self.no, self.yes)
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MILLISECONDS)
        self._timer.timeout.connect(lambda: self._start(self.refresh()))
        self._lay_out()
        self._connect()
        self._show_choice(settings.preferences, settings.preferences)

    def _lay_out(self) -> None:
        table = Card(self.theme, self.table)
        empty = QWidget()
        line = QHBoxLayout(empty)
        line.setContentsMargins(SIDE, 8, SIDE, 8)
        line.addWidget(self.empty)
        table.add(empty)
        self._empty_row = empty
        parts = (self.note, Card(self.theme, self._make_head(), self.budget), self.budget_question)
        chats = (Heading("By chat", self.remove_all), self.question, table)
        for part in (*parts, *chats, Heading("Read again, and why"), Card(self.theme, self.rereads)):
            self.add(part)

    def _make_head(self) -> QWidget:
        head = QWidget()
        column = QVBoxLayout(head)
        column.setContentsMargins(SIDE, 14, SIDE, 12)
        column.setSpacing(8)
        used, legend = QWidget(), QHBoxLayout()
        first = QHBoxLayout(used)
        first.setContentsMargins(0, 0, 0, 0)
        first.setSpacing(8)
        legend.setSpacing(6)
        first.addWidget(self.used, 0, Qt.AlignmentFlag.AlignBaseline)
        first.addWidget(self.of_budget, 1, Qt.AlignmentFlag.AlignBaseline)
        legend.addWidget(self.legend)
        legend.addSpacing(8)
        legend.addWidget(self.square, 0, Qt.AlignmentFlag.AlignVCenter)
        legend.addWidget(self.drafter_words, 1)
        column.addWidget(Ends(used, self.free))
        column.addWidget(self.bands)
        column.addLayout(legend)
        column.addWidget(self.more)
        return head

    def _connect(self) -> None:
        for view in (self.table, self.rereads):
            self.follow(view)
        self.budget.chosen.connect(self._choose)
        self.budget_question.answered.connect(self._show_kept)
        self.budget_question.answered.connect(self.budget.slider.setFocus)
        self.table.remove_asked.connect(self._remove)
        self.restore_asked.connect(lambda: self._choose(None))
        self._settings.changed.connect(self._show_choice)
        self._sources.catalogue.conversations_changed.connect(self._show_rows)

    # What is chosen

    def _choose(self, budget_bytes: int | None) -> None:
        """None is the default, 0 off."""
        self.budget_question.choose(budget_bytes, self._report)
        if self.budget_question.is_asking:
            self.budget.show_asked(self._report.default_budget_bytes if budget_bytes is None else budget_bytes)
            self.budget_question.no.setFocus()
            self.show_part(self.budget_question)

    def _keep_budget(self, budget_bytes: int | None) -> None:
        choice = CacheChoice() if budget_bytes is None else CacheChoice(budget_bytes > 0, budget_bytes)
        self._settings.change(replace(self._settings.preferences, cache=choice))

    def _show_kept(self) -> None:
        self._show_choice(self._settings.preferences, self._settings.preferences)

    def _show_choice(self, before: Preferences, preferences: Preferences) -> None:
        choice = preferences.cache
        self.budget.show_choice(choice.budget_bytes or None if choice.is_on else 0)

    # What is shown

    async def refresh(self) -> None:
        """Ask the engine, the disk and the database."""
        if self._is_asking:
            return
        self._is_asking = True
        try:
            bridge, database = self._sources.bridge, self._sources.database
            report = await ask(bridge, DescribeCache, CacheReport)
            since = since_of(self._settings.preferences.statistics.keep_days)
            free = await run_off_thread(lambda: _free_bytes(report.folder or str(self._settings.folder)))
            self._rereads = await asyncio.wrap_future(database.run(lambda store: read_rereads(store, since)))
            self._show(report, free)
        except RefusedError as error:
            self.note.say(str(error))
        except (sqlite3.Error, StorageError):
            self._show(report, free)  # why chats cannot be read is told in the window
        finally:
            self._is_asking = False

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(start(work))

    def _clear(self) -> None:
        self._start(self._change(ClearCache))

    def _remove(self, conversation_id: str) -> None:
        self._start(self._change(lambda request_id: RemoveCached(request_id, conversation_id)))

    async def _change(self, make: Callable[[int], Command]) -> None:
        self.ask_first(False)
        try:
            await ask(self._sources.bridge, make, CacheReport)
        except RefusedError as error:
            self.note.say(str(error))
            return
        await self.refresh()

    def ask_first(self, is_asking: bool) -> None:
        """Ask before all is removed, or take the question away."""
        self.question.say(QUESTION if is_asking else "")
        if is_asking:
            self.no.setFocus()
            self.show_part(self.question)
        elif self.no.hasFocus() or self.yes.hasFocus():
            self.remove_all.setFocus()

    def _show(self, report: CacheReport, free_bytes: int | None) -> None:
        self._report = report
        used, budget = write_bytes(report.disk_bytes), write_bytes(report.budget_bytes)
        is_off = report.budget_bytes <= CACHE_OFF
        _set(self.used, used)
        _set(self.of_budget, "on disk, off" if is_off else f"of a {budget} budget")
        _set(self.free, "" if free_bytes is None else f"{write_bytes(free_bytes)} free on this disk")
        sizes = [one.num_bytes for one in report.conversations]
        words = f"{used} used on disk; it is off" if is_off else f"{used} of {budget} used on disk"
        self.bands.show_bands(sizes, report.disk_bytes, report.drafter_bytes, report.budget_bytes, words)
        for part in (self.square, self.drafter_words):
            part.setVisible(bool(report.drafter_bytes))
        _set(self.drafter_words, f"drafter state, {write_bytes(report.drafter_bytes)}")
        _set(self.more, more_words(report))
        if not self.budget_question.is_asking:  # the knob stays where the question is about
            self.budget.show_range(report.budget_bytes, report.disk_bytes, free_bytes)
        self.note.say(report.problem or (READ_ONLY if report.is_read_only else ""))
        is_empty = not (report.disk_bytes or report.memory_bytes)
        self.remove_all.setEnabled(not (is_empty or report.is_read_only))
        _set(self.empty, NOTHING_KEPT)
        self._show_rows()

    def _show_rows(self) -> None:
        now, listed = time.time(), {one.id: one for one in self._sources.catalogue.conversations}
        chats = [
            CachedChat(
                one.conversation_id,
                listed[one.conversation_id].title if one.conversation_id in listed else "",
                one.num_tokens,
                one.num_bytes,
                one.drafters,
                listed[one.conversation_id].updated_at if one.conversation_id in listed else 0.0,
            )
            for one in self._report.conversations
            if one.num_bytes  # one whose files went may be known for a while
        ]
        self.table.show_chats(chats, now, can_remove=not self._report.is_read_only)
        self._empty_row.setVisible(not chats)
        titles = {one.id: one.title for one in listed.values()}
        self.rereads.show_lines(lines_of(self._rereads, titles, now))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._start(self.refresh())
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self.ask_first(False)
        self.budget_question.say("")
        self._show_kept()
        for task in self._tasks:  # an engine that has stopped answers nothing, and the program would wait for it
            task.cancel()


def more_words(report: CacheReport) -> str:
    """What else the cache takes: memory, and what it has written today."""
    memory = _share(report.memory_bytes, report.memory_limit_bytes)
    written = _share(report.written_today_bytes, report.daily_limit_bytes)
    return f"{memory} in memory. Written today: {written}."


def _share(part: int, whole: int) -> str:
    """Of a limit, where there is one."""
    return f"{write_bytes(part)} of {write_bytes(whole)}" if whole else write_bytes(part)


def _set(label: QLabel, words: str) -> None:
    if label.text() != words:
        label.setText(words)


def _free_bytes(folder: str) -> int | None:
    """Of the disk that the folder lies on, or would."""
    place = next((one for one in (Path(folder), *Path(folder).parents) if one.exists()), None)
    try:
        return shutil.disk_usage(place).free if place else None
    except OSError:
        return None
