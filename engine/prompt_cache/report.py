"""What people may set about the prompt cache, and what they are shown of it; standard library only."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from engine.messages import CACHE_OFF

RAM_BYTES = 16 << 30
RAM_SHARE = 4  # a quarter of the machine's memory
DAILY_LIMIT_BYTES = 50_000_000_000
LIMITS = "limits"  # name of a stored value
FOLDER_NAME = "prompt_cache"  # in the data folder


def default_ram_bytes() -> int:
    """For cached state and that of running replies together."""
    return min(RAM_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // RAM_SHARE)


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """ram_bytes: ceiling of cached and live state together. budget_bytes: of the folder, None for the default by the
    disk's free space. tag: which program's entries these are, "" for the window."""

    ram_bytes: int = field(default_factory=default_ram_bytes)
    budget_bytes: int | None = None
    daily_limit_bytes: int = DAILY_LIMIT_BYTES
    tag: str = ""

    @property
    def is_off(self) -> bool:
        """Whether nothing is kept on disk."""
        return self.budget_bytes is not None and self.budget_bytes <= CACHE_OFF

    def store(self) -> str:
        """The limits of the disk, for another program that uses the folder."""
        return f"{self.budget_bytes or 0} {self.daily_limit_bytes}"

    def restored(self, value: str) -> CacheSettings:
        """These with the limits that `store` gave; anything else leaves them as they are."""
        budget, _, daily = value.partition(" ")
        if not (budget.isdecimal() and daily.isdecimal()):
            return self
        return replace(self, budget_bytes=int(budget) or None, daily_limit_bytes=int(daily))


@dataclass(frozen=True, slots=True)
class ConversationSize:
    """Bytes that a conversation can be restored from; what several share counts for each."""

    conversation_id: str
    ram_bytes: int
    disk_bytes: int
    num_tokens: int  # of its longest kept path
    tag: str = ""
    drafter_bytes: int = 0  # of those on disk, state of drafters
    drafters: tuple[str, ...] = ()  # names of the models whose state that is


@dataclass(frozen=True, slots=True)
class CacheReport:
    """How the cache stands; `problem` is a sentence, "" where all is well."""

    ram_bytes: int = 0
    ram_limit_bytes: int = 0
    disk_bytes: int = 0  # of entries' files, those that are being written too
    drafter_bytes: int = 0  # of these, state of drafters
    budget_bytes: int = 0  # of the whole folder
    default_budget_bytes: int = 0  # 0 before the folder is open
    written_today_bytes: int = 0
    daily_limit_bytes: int = 0
    conversations: tuple[ConversationSize, ...] = ()
    is_read_only: bool = False
    problem: str = ""
    max_storage_wait_seconds: float = 0.0  # longest that one call of the storage took on this thread
