"""Updates: asks for the latest release once a day where the user wants that, and says what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.figures import write_when
from app.kept_file import read_kept, write_kept
from app.library.hub import Hub
from app.settings.preferences import Preferences, Settings, decode
from app.system.daemon import run_as_daemon
from app.system.machine import program_version
from app.tasks import start
from app.updates.release import Release, UpdateError, ask_for_release, host_of, is_newer, releases_address

FILE_NAME = "updates.json"
LEAST_SECONDS = 24 * 3600.0  # between two questions that nobody asked for
LOOK_MS = 3600_000  # between two looks whether a day has passed
NOWHERE = "This build names no place where its releases are, so it cannot ask for one."


@dataclass(frozen=True, slots=True)
class Kept:
    """Of earlier starts."""

    asked_at: float = 0.0  # Unix seconds; of the last question, whatever came of it
    latest: Release = field(default_factory=Release)  # the last answer
    problem: str = ""  # why the last question had none
    told: str = ""  # version that the user was told of


class Updates(QObject):
    """Downloads nothing."""

    changed = Signal()
    newer_found = Signal(object)  # Release; once for each

    def __init__(
        self,
        settings: Settings,
        hub: Hub,
        parent: QObject | None = None,
        *,
        current: str | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`current` is this program's version where it is not the installed one's."""
        super().__init__(parent)
        self._settings = settings
        self._hub = hub
        self._now = now
        self._current = program_version() if current is None else current
        self._path = settings.folder / FILE_NAME
        self._kept = read_kept(self._path, lambda found: decode(Kept, found), Kept())
        self._asking: asyncio.Task[None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._ask_if_due)
        settings.changed.connect(self._compare)
        hub.closing.connect(self.close)

    @property
    def address(self) -> str:
        return releases_address()

    @property
    def is_on(self) -> bool:
        return self._settings.preferences.updates.is_on

    @property
    def is_asking(self) -> bool:
        return self._asking is not None

    @property
    def can_ask(self) -> bool:
        return bool(self.address) and not self._hub.offline_words and not self.is_asking

    @property
    def newer(self) -> Release | None:
        """The latest release that is known, where it is newer than this program."""
        latest = self._kept.latest
        return latest if is_newer(latest.version, self._current) else None

    @property
    def words(self) -> str:
        """How it stands, as sentences."""
        if not self.address:
            return NOWHERE
        if self.is_asking:
            return f"Asking {host_of(self.address)}"
        if (newer := self.newer) is not None:
            return f"{newer_words(newer, self._current)} {self._asked_words()}"
        if offline := self._hub.offline_words:
            return offline
        if self._kept.problem:
            return f"{self._kept.problem} {self._asked_words()}"
        if not self._kept.asked_at:
            return "Not asked yet."
        latest = self._kept.latest.version
        mine = f"this is {self._current}" if self._current else "this one is run from its source"
        same = "this one" if latest == self._current else f"{latest}; {mine}"
        return f"The latest release is {same}. {self._asked_words()}"

    def begin(self) -> None:
        """The window is open."""
        self._timer.start()
        self._ask_if_due()

    def close(self) -> None:
        self._timer.stop()
        if self._asking is not None:
            self._asking.cancel()

    def ask(self) -> None:
        """Ask now, once at a time; `changed` tells when it begins and ends."""
        if self.can_ask:
            self._asking = start(self._ask(self.address))
            self._asking.add_done_callback(self._end)
            self.changed.emit()

    async def _ask(self, address: str) -> None:
        self._keep(asked_at=self._now())
        try:
            latest = await run_as_daemon(lambda: ask_for_release(address))
        except UpdateError as error:
            self._keep(problem=str(error))
            return
        self._keep(latest=latest, problem="")

    def _end(self, task: asyncio.Task[None]) -> None:
        self._asking = None
        if task.cancelled():
            return
        self.changed.emit()
        newer = self.newer
        if newer is not None and newer.version != self._kept.told:
            self._keep(told=newer.version)
            self.newer_found.emit(newer)

    def _ask_if_due(self) -> None:
        """A clock that was set back is due too."""
        passed = self._now() - self._kept.asked_at
        if self.is_on and not 0 <= passed < LEAST_SECONDS:
            self.ask()

    def _compare(self, before: Preferences, after: Preferences) -> None:
        if before.updates != after.updates and self._timer.isActive():
            self._ask_if_due()
        self.changed.emit()

    def _keep(self, **changes: object) -> None:
        self._kept = replace(self._kept, **changes)  # type: ignore[arg-type]
        write_kept(self._path, self._kept)

    def _asked_words(self) -> str:
        return f"Last asked: {write_when(self._kept.asked_at, self._now())}."


def newer_words(release: Release, current: str) -> str:
    mine = f"this is {current}" if current else "this one is run from its source"
    return f"Slipstream {release.version} is out; {mine}."
