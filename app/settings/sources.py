"""What pages of the settings ask of the window; here, so that no page is read before it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.bridge import EngineBridge
from app.conversations.catalogue import Catalogue
from app.conversations.database import Database


@dataclass(frozen=True, slots=True)
class CacheSources:
    """What the page of the prompt cache shows, and the one of statistics exports."""

    bridge: EngineBridge
    database: Database
    catalogue: Catalogue


@dataclass(frozen=True, slots=True)
class PrivacyDeeds:
    """What can be done from the page of data and privacy; no report can be written where there is none to write."""

    export_all: Callable[[], object]
    import_chats: Callable[[], object]
    write_report: Callable[[], object] | None = None
