"""Library: the models and drafters on this computer, looked for off the GUI thread and described by the engine."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from app.asking import RefusedError
from app.bridge import EngineBridge
from app.conversations.off_thread import run_off_thread
from app.library.found import Candidate, Scan, Trouble, scan
from app.library.found_model import FoundModel
from app.library.inspection import Inspection
from app.library.merged import tell_merged
from app.library.places import Kind, Place, carried, places
from app.models.gone_files import gone_words
from app.settings.preferences import Preferences, Settings
from app.tasks import start
from engine.messages import STARTER

REST_SECONDS = 5.0  # between two looks that nobody asked for
SHOW_SECONDS = 0.3  # between two lists while models are read
AWAY = "gone"  # stamp of a model whose files are not there


class Library(QObject):
    changed = Signal()

    def __init__(
        self,
        bridge: EngineBridge,
        settings: Settings,
        data_dir: Path,
        parent: QObject | None = None,
        *,
        home: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self.models: tuple[FoundModel, ...] = ()  # refused ones too; the starter first
        self.drafters: tuple[FoundModel, ...] = ()  # folders that draft and do nothing else
        self.troubles: tuple[Trouble, ...] = ()  # with places that could not be looked into
        self.has_looked = False
        self._settings = settings
        self._data_dir = data_dir
        self._home = home
        self._inspection = Inspection(bridge, data_dir)
        self._task: asyncio.Task[None] | None = None
        self._again = False
        self._looked_at = -REST_SECONDS
        self._is_closed = False
        settings.changed.connect(self._compare)

    @property
    def is_looking(self) -> bool:
        return self._task is not None

    def find(self, target: str) -> FoundModel | None:
        return next((one for one in (*self.models, *self.drafters) if one.target == target), None)

    def has_repository(self, repo_id: str) -> bool:
        """Whether a repository of the hub is here whole."""
        return any(one.repo_id == repo_id and not one.is_gone for one in (*self.models, *self.drafters))

    def refresh(self) -> None:
        """Look again; `changed` tells what is found, bit by bit."""
        if self._is_closed:
            return
        if self._task is not None:
            self._again = True
            return
        self._task = start(self._look())
        self._task.add_done_callback(self._end)

    def follow_activation(self) -> None:
        """Look again whenever the user comes back: files may have been moved meanwhile."""
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._take_state)

    def close(self) -> None:
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()

    def _take_state(self, state: Qt.ApplicationState) -> None:
        is_due = time.monotonic() - self._looked_at >= REST_SECONDS
        if state is Qt.ApplicationState.ApplicationActive and is_due:
            self.refresh()

    def _compare(self, before: Preferences, after: Preferences) -> None:
        is_unknown = before.target != after.target and self.find(after.target) is None
        if before.library.folders != after.library.folders or is_unknown:
            self.refresh()

    def _end(self, task: asyncio.Task[None]) -> None:
        self._task, self._looked_at = None, time.monotonic()
        if self._again and not task.cancelled():
            self._again = False
            self.refresh()

    # Looking

    async def _look(self) -> None:
        chosen, added = self._settings.preferences.target, self._settings.preferences.library.folders
        found = await run_off_thread(lambda: self._scan(added, chosen))
        self._inspection.keep_only({one.target for one in found.candidates})
        self.troubles = found.troubles
        known: dict[str, FoundModel] = {}
        for one in found.candidates:
            if (model := self._inspection.known(one)) is not None:
                known[one.target] = model
        self._show(found, known)
        await self._describe(found, known)
        self.has_looked = True
        self._show(found, known, is_certain=True)
        await run_off_thread(self._inspection.write)

    def _scan(self, added: tuple[str, ...], chosen: str) -> Scan:
        self._inspection.read()
        found = scan((*places(added, self._data_dir, self._home), *carried()))
        candidates = [Candidate(STARTER, "", Place(self._data_dir, Kind.STARTER), stamp=STARTER), *found.candidates]
        if chosen and all(one.target != chosen for one in candidates):
            candidates += _chosen(chosen)
        troubles = (*found.troubles, *tell_merged(found, added))
        return replace(found, candidates=tuple(candidates), troubles=troubles)

    async def _describe(self, found: Scan, known: dict[str, FoundModel]) -> None:
        shown_at = time.monotonic()
        for candidate in found.candidates:
            if candidate.target in known:
                continue
            try:
                known[candidate.target] = await self._inspection.ask(candidate)
            except RefusedError:  # the engine has stopped; asked again with the next look
                return
            if time.monotonic() - shown_at >= SHOW_SECONDS:
                self._show(found, known)
                shown_at = time.monotonic()

    def _show(self, found: Scan, known: dict[str, FoundModel], *, is_certain: bool = False) -> None:
        """What is read so far; before everything is, models of the list before stay in it."""
        before = {} if is_certain else {one.target: one for one in (*self.models, *self.drafters)}
        shown = [known.get(one.target) or before.get(one.target) for one in found.candidates]
        present = [_gone_or(one) for one in shown if one is not None and (one.folder or not one.refusal)]
        models = tuple(one for one in present if not one.drafter)
        drafters = tuple(one for one in present if one.drafter)
        if (models, drafters) != (self.models, self.drafters) or is_certain:
            self.models, self.drafters = models, drafters
            self.changed.emit()


def _chosen(target: str) -> tuple[Candidate, ...]:
    """The model that chats go on with, where it lies somewhere else or is gone."""
    path = Path(target)
    if os.path.isdir(target):
        found = scan([Place(path, Kind.ADDED)]).candidates[:1] or (Candidate(target, target, Place(path, Kind.ADDED)),)
        return (replace(found[0], target=target, place=Place(path.parent, Kind.ADDED)),)
    if os.path.isfile(target):
        status = path.stat()
        place = Place(path.parent, Kind.ADDED)
        return (Candidate(target, str(path.parent), place, status.st_size, f"{status.st_mtime_ns}"),)
    # A name that is no path is looked up by the engine.
    return (Candidate(target, target, Place(path.parent, Kind.ADDED), stamp=AWAY if path.is_absolute() else ""),)


def _gone_or(model: FoundModel) -> FoundModel:
    if model.stamp != AWAY:
        return model
    return replace(model, is_gone=True, refusal=gone_words(model.folder))
