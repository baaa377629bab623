"""What `cache prune` and `cache clear` do; they are refused while another program has the folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.amounts import write_count, write_size
from engine.command_line import EngineFailedError
from engine.prompt_cache.budget import default_budget
from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entries import EntryKey, Opened, ReadBack, StorageMessage
from engine.prompt_cache.folder import Folder, Scan
from engine.prompt_cache.owners import NOBODY, Stand
from engine.prompt_cache.reasons import BUDGET, CLEARED
from engine.prompt_cache.report import LIMITS, CacheSettings
from engine.prompt_cache.restoring import restore
from engine.prompt_cache.storage import InlineStorage
from engine.prompt_cache.tiers import Tiers

CLOSE_SECONDS = 10.0


@dataclass(slots=True)
class Freed:
    """What went from a folder; of `freed_bytes`, which are all, some were damaged, others nothing led to any more."""

    freed_bytes: int = 0
    num_damaged: int = 0
    damaged_bytes: int = 0
    num_unreachable: int = 0
    unreachable_bytes: int = 0

    def sentences(self) -> list[str]:
        """For a terminal."""
        lines = []
        if self.num_damaged:
            files = write_count(self.num_damaged, "damaged file was", "damaged files were")
            lines.append(f"{files} removed, {write_size(self.damaged_bytes)}.")
        if self.num_unreachable:
            entries = write_count(self.num_unreachable, "entry", "entries")
            were = "was" if self.num_unreachable == 1 else "were"
            size = write_size(self.unreachable_bytes)
            lines.append(f"{entries} that nothing led to any more {were} removed, {size}.")
        return [*lines, f"{write_size(self.freed_bytes)} {'was' if self.freed_bytes == 1 else 'were'} freed."]


@dataclass(slots=True)
class Taken:
    """A folder that this program alone changes, and what it held when it was taken."""

    tiers: Tiers
    opened: Opened
    freed: Freed  # complete once the folder is let go of
    num_bytes_before: int = field(init=False)

    def __post_init__(self) -> None:
        self.num_bytes_before = self.tiers.disk.num_bytes

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
        """Let everything go; the window's conversations can say why theirs is gone."""
        self.drop(is_headless)
        self.tiers.clear(CLEARED)


@contextmanager
def taken(root: Path, *, is_checked: bool = False) -> Iterator[Taken]:
    """Open a folder, and do at the end what was decided meanwhile; raises EngineFailedError where it is in use.

    is_checked: every file is read, and those that are damaged go.
    """
    answers: list[StorageMessage] = []
    storage = InlineStorage(root, answers.append)
    before = _scan(root)
    storage.open()
    try:
        opened = next(answer for answer in answers if isinstance(answer, Opened))
        if opened.is_read_only:
            raise EngineFailedError(f"nothing was changed. {opened.problem} Close Slipstream, then try again.")
        if is_checked:
            opened = _without_faulty(opened, storage, answers)
        tiers = Tiers()
        restore(tiers, opened)
        freed = _count_lost(before, _scan(root), tiers.doomed)
        yield Taken(tiers, opened, freed)
        storage.remove(tiers.doomed)
        storage.record(tiers.owners.changes)
        freed.freed_bytes = _num_bytes(before) - _num_bytes(_scan(root))
    finally:
        storage.close(CLOSE_SECONDS)


def _scan(root: Path) -> Scan:
    return Folder(root, Disk()).scan() if root.is_dir() else Scan()


def _num_bytes(scan: Scan) -> int:
    return sum(scan.num_bytes.values()) + scan.temporary_bytes


def _without_faulty(opened: Opened, storage: InlineStorage, answers: list[StorageMessage]) -> Opened:
    """What is left once every file was read, the damaged of which the storage deletes."""
    faulty: set[EntryKey] = set()
    for stored in opened.entries:
        answers.clear()
        storage.read(0, [stored.entry.key])
        faulty.update(*(answer.faults for answer in answers if isinstance(answer, ReadBack)))
    answers.clear()
    return replace(opened, entries=tuple(stored for stored in opened.entries if stored.entry.key not in faulty))


def _count_lost(before: Scan, checked: Scan, doomed: Sequence[EntryKey]) -> Freed:
    damaged = [before.num_bytes[key] for key in before.num_bytes.keys() - checked.num_bytes.keys()]
    unreachable = [checked.num_bytes[key] for key in doomed if key in checked.num_bytes]
    return Freed(0, len(damaged), sum(damaged), len(unreachable), sum(unreachable))


def is_headless(stand: Stand) -> bool:
    """Made by the headless tool, not by the window."""
    return bool(stand.tag)


def is_orphan(stand: Stand) -> bool:
    """Of no conversation that the window knows."""
    return stand.conversation_id == NOBODY or stand.unseen_since > 0
