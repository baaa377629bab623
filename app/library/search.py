"""ModelSearch: the hub's search as the window sees it; a new one takes the place of the one before."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.library.hub import Access, Hub
from app.library.problems import HubError, Problem
from app.library.searching import HubModel, Page, Source, first_page, measure, next_page
from app.system.daemon import run_as_daemon
from app.tasks import start


@dataclass(frozen=True, slots=True)
class Results:
    words: str = ""
    source: Source = Source.MLX
    models: tuple[HubModel, ...] = ()
    is_searching: bool = False
    next_url: str = ""  # "" where there is no more
    problem: Problem | None = None


class ModelSearch(QObject):
    changed = Signal()

    def __init__(self, hub: Hub, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hub = hub
        self._task: asyncio.Task[None] | None = None
        self._measured: dict[str, HubModel] = {}
        self.results = Results()
        hub.closing.connect(self.stop)

    def find(self, words: str, source: Source = Source.MLX) -> None:
        """Search anew; without words nothing is asked and nothing found."""
        self.stop()
        words = " ".join(words.split())
        self._show(Results(words, source, is_searching=bool(words)))
        if words:
            self._task = start(self._find())

    def more(self) -> None:
        """The next page, where there is one."""
        if self.results.next_url and not self.results.is_searching:
            self.stop()
            self._show(replace(self.results, is_searching=True, problem=None))
            self._task = start(self._find())

    def stop(self) -> None:
        """Take no notice of what is still answered."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _find(self) -> None:
        access, asked = await self._hub.access(), self.results

        def ask() -> Page:
            if asked.next_url:
                return next_page(access, asked.next_url)
            return first_page(access, asked.words, asked.source)

        try:
            page = await run_as_daemon(ask)
        except HubError as error:
            self._show(replace(self.results, is_searching=False, problem=error.problem))
            return
        self._add(page)
        await self._measure(access)

    def _add(self, page: Page) -> None:
        known = {model.repo_id for model in self.results.models}
        fresh = [self._measured.get(one.repo_id, one) for one in page.models if one.repo_id not in known]
        models = (*self.results.models, *fresh)
        self._show(replace(self.results, models=models, is_searching=False, next_url=page.next_url))

    async def _measure(self, access: Access) -> None:
        """Ask for the sizes one by one; one that cannot be told stays unknown."""
        for model in self.results.models:
            if model.repo_id in self._measured:
                continue
            try:
                measured = await run_as_daemon(partial(measure, access, model))
            except HubError:
                measured = model
            self._measured[model.repo_id] = measured
            known = tuple(measured if one.repo_id == model.repo_id else one for one in self.results.models)
            self._show(replace(self.results, models=known))

    def _show(self, results: Results) -> None:
        self.results = results
        self.changed.emit()
