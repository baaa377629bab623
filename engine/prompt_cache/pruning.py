"""What `cache prune` and `cache clear` do; they are refused while another program has the folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.command_line import EngineFailedError
from engine.prompt_cache.budget import default_budget
from engine.prompt_cache.entries import Opened, StorageMessage
from engine.prompt_cache.owners import NOBODY, Stand
from engine.prompt_cache.reasons import BUDGET, CLEARED
from engine.prompt_cache.report import LIMITS, CacheSettings
from engine.prompt_cache.restoring import restore
from engine.prompt_cache.storage import InlineStorage
from engine.prompt_cache.tiers import Tiers

CLOSE_SECONDS = 10.0


@dataclass(slots=True)
class Taken:
    """A folder that this program alone changes, and what it held when it was taken."""

    tiers: Tiers
    opened: Opened
    num_bytes_before: int = field(init=False)

    def __post_init__(self) -> None:
        self.num_bytes_before = self.tiers.disk.num_bytes

    @property
    def num_freed(self) -> int:
        """Bytes that what was done frees."""
        return self.num_bytes_before - self.tiers.disk.num_bytes

    def limit(self, budget_bytes: int | None) -> None:
        """Evict down to a budget, or to the one that the folder has."""
        settings = CacheSettings().restored(self.opened.values.get(LIMITS, ""))
        default = settings.budget_bytes or default_budget(self.opened.free_bytes, self.num_bytes_before)
        self.tiers.limit_disk(self.tiers.disk.num_bytes - (default if budget_bytes is None else budget_bytes), BUDGET)

    def drop(self, is_wanted: Callable[[Stand], bool]) -> None:
        """Let go of what only such stands need."""
        owners = self.tiers.owners
        for name in owners.conversations():
            wanted = [stand for stand in owners.stands_of(name) if is_wanted(stand)]
            for stand in wanted:
                owners.leave(stand)
                self.tiers.collect(stand.node)
            if wanted and not owners.stands_of(name):
                owners.forget(name)

    def clear(self) -> None:
        self.tiers.clear(CLEARED)


@contextmanager
def taken(root: Path) -> Iterator[Taken]:
    """Open a folder, and do at the end what was decided meanwhile; raises EngineFailedError where it is in use."""
    answers: list[StorageMessage] = []
    storage = InlineStorage(root, answers.append)
    storage.open()
    try:
        opened = next(answer for answer in answers if isinstance(answer, Opened))
        if opened.is_read_only:
            raise EngineFailedError(f"nothing was changed. {opened.problem} Close Slipstream, then try again.")
        tiers = Tiers()
        restore(tiers, opened)
        yield Taken(tiers, opened)
        storage.remove(tiers.doomed)
        storage.record(tiers.owners.changes)
    finally:
        storage.close(CLOSE_SECONDS)


def is_headless(stand: Stand) -> bool:
    """Made by the headless tool, not by the window."""
    return bool(stand.tag)


def is_orphan(stand: Stand) -> bool:
    """Of no conversation that the window knows."""
    return stand.conversation_id == NOBODY or stand.unseen_since > 0
