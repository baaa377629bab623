"""A prompt cache over a real folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.disk import Disk
from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.storage import InlineStorage
from tests.engine.prompt_cache.chats import ROOMY, Chats


@dataclass
class OnDisk(Chats):
    """A cache over a folder that outlives it."""

    root: Path
    settings: CacheSettings = ROOMY
    notices: list[tuple[str, str]] = field(default_factory=list)
    disk: Disk | None = None
    made: ClassVar[list[OnDisk]] = []

    def __post_init__(self) -> None:
        storage = InlineStorage(self.root, lambda message: self.cache.handle(message), self.disk)
        self.cache = PromptCache(
            storage, settings=self.settings, notify=lambda code, text: self.notices.append((code, text))
        )
        self.cache.open()
        self.made.append(self)

    def reopened(self) -> OnDisk:
        self.cache.close(1.0)
        return OnDisk(self.root, self.settings)

    def entry_files(self) -> list[Path]:
        return list(self.root.rglob("*.safetensors"))

    @classmethod
    def close_all(cls) -> None:
        """Let go of every folder that a test opened."""
        while cls.made:
            cls.made.pop().cache.close(1.0)
