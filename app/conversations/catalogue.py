"""The list of conversations that the sidebar shows."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversations.backups import BackupEndedError
from app.conversations.database import Database, explain, is_disk_full
from app.conversations.exporting.files import ExportKind
from app.conversations.importing.found import Found, Imported
from app.conversations.off_thread import run_off_thread
from app.conversations.opening import StorageError
from app.conversations.recorder import Recorder
from app.conversations.records import Conversation
from app.conversations.search import Hit
from app.conversations.store import Store
from app.conversations.titles import clean_title
from app.conversations.transfer import Transfer
from app.shown_paths import write_place
from app.tasks import start
from engine.messages import ReasoningTags

T = TypeVar("T")
MOST_HITS = 50
FIRST_BACKUP_MILLISECONDS = 30_000  # after the start, which has enough to read
HOUR_MILLISECONDS = 3_600_000


async def _do_nothing() -> None:
    pass


class Catalogue(QObject):
    """Conversations, latest used first, as they were at the last `refresh`."""

    conversations_changed = Signal()
    renamed = Signal(str, str)  # conversation id, title
    deleted = Signal(str)  # conversation id
    trouble = Signal(str)  # a sentence
    disk_full = Signal(str)  # the same, where that is why

    def __init__(self, database: Database, recorder: Recorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: tuple[Conversation, ...] = ()
        self.damaged: tuple[str, ...] = ()  # a sentence for each conversation that cannot be read
        self._listed: tuple[Conversation, ...] = ()
        self._hidden: set[str] = set()  # ids of conversations
        self.finish_deletions: Callable[[], Awaitable[None]] = _do_nothing  # that wait for an undo; `Deletion` sets it
        self.tags: dict[str, Sequence[ReasoningTags]] = {}  # of reasoning, by model, as they are known
        self._num_searches = 0
        self._backup_timer = QTimer(self)
        self._backup_timer.setInterval(FIRST_BACKUP_MILLISECONDS)
        self._backup_timer.timeout.connect(self._start_backup)
        self._database = database
        self._recorder = recorder
        self._transfer = Transfer(database)

    async def refresh(self) -> None:
        try:
            listing = await asyncio.wrap_future(self._database.run(lambda store: store.list_conversations()))
        except (sqlite3.Error, StorageError) as error:
            self._tell_failure("The conversations could not be listed.", error)
            return
        fresh = [sentence for sentence in listing.damaged if sentence not in self.damaged]
        self._listed, self.damaged = listing.conversations, listing.damaged
        self._tell()
        self._database.search.catch_up()
        if not self._backup_timer.isActive():
            self._backup_timer.start()
        if fresh:
            self.trouble.emit(" ".join(fresh))

    def title_of(self, conversation_id: str) -> str:
        return next((one.title for one in self._listed if one.id == conversation_id), "")

    def hide(self, conversation_ids: Collection[str]) -> None:
        """List them no more until they are shown again."""
        self._hidden.update(conversation_ids)
        self._tell()

    def show(self, conversation_ids: Collection[str]) -> None:
        self._hidden.difference_update(conversation_ids)
        self._tell()

    def _tell(self) -> None:
        self.conversations = tuple(one for one in self._listed if one.id not in self._hidden)
        self.conversations_changed.emit()

    async def rename(self, conversation_id: str, title: str) -> None:
        """A blank title changes nothing."""
        title = clean_title(title)
        if title and await self._change(lambda store: store.rename_conversation(conversation_id, title), "renamed"):
            self.renamed.emit(conversation_id, title)
            await self.refresh()

    async def delete(self, conversation_ids: Sequence[str]) -> tuple[str, ...]:
        """One after the other; returns those that are left where one could not be deleted.

        A reply that runs in one is cancelled once it is gone, and nothing of it is written afterwards.
        """
        left = list(conversation_ids)
        while left and await self._change(lambda store: store.delete_conversation(left[0]), "deleted"):
            self._forget(left.pop(0))
        if len(left) < len(conversation_ids):
            await self.refresh()
        return tuple(left)

    def _forget(self, conversation_id: str) -> None:
        self._hidden.discard(conversation_id)  # one that is imported under its id is another
        self._listed = tuple(one for one in self._listed if one.id != conversation_id)
        self._recorder.abandon(conversation_id)
        self.deleted.emit(conversation_id)

    async def set_pinned(self, conversation_ids: Collection[str], is_pinned: bool) -> None:
        """All of them, or none."""

        def pin(store: Store) -> None:
            for conversation_id in conversation_ids:
                store.set_pinned(conversation_id, is_pinned)

        if await self._change(pin, "pinned" if is_pinned else "unpinned"):
            await self.refresh()

    async def set_folder(self, conversation_ids: Collection[str], folder: str) -> None:
        """Move all or none to a folder, which is there as long as a chat is in it; "" takes them out."""
        folder = clean_title(folder)

        def move(store: Store) -> None:
            for conversation_id in conversation_ids:
                store.set_folder(conversation_id, folder)

        if await self._change(move, "moved"):
            await self.refresh()

    async def rename_folder(self, folder: str, name: str) -> None:
        """A blank name changes nothing; that of another folder joins both."""
        name = clean_title(name)
        if name and await self._change(lambda store: store.rename_folder(folder, name), "moved"):
            await self.refresh()

    async def remove_folder(self, folder: str) -> None:
        """The chats in it stay, in no folder."""
        if await self._change(lambda store: store.rename_folder(folder, ""), "moved"):
            await self.refresh()

    async def duplicate(self, conversation_id: str, message_id: str | None = None) -> str | None:
        """Copy it whole, or its path down to a message; returns the id of the copy, None where there is none."""

        def copy(store: Store) -> str:
            if message_id is None:
                return store.duplicate_conversation(conversation_id)
            return store.duplicate_path(conversation_id, message_id)

        copy_id = await self._ask(copy, "duplicated")
        if copy_id is not None:
            await self.refresh()
        return copy_id

    async def search(self, query: str, limit: int = MOST_HITS) -> tuple[Hit, ...] | None:
        """Chats with every word of the query; None where a later search was begun meanwhile, or where it failed."""
        self._num_searches += 1
        number = self._num_searches
        try:
            hits = await asyncio.wrap_future(self._database.search.find(query, limit))
        except (sqlite3.Error, StorageError) as error:
            self._tell_failure("The chats could not be searched.", error)
            return None
        shown = tuple(hit for hit in hits if hit.conversation_id not in self._hidden)
        return shown if number == self._num_searches else None

    async def export(
        self, conversation_ids: Sequence[str], path: Path, kind: ExportKind, is_folder: bool = False
    ) -> int | None:
        """Write chats to a file, or as Markdown to a folder; returns how many, None where it failed, which is told."""
        try:
            return await self._transfer.export(conversation_ids, path, kind, is_folder, dict(self.tags))
        except OSError as error:
            self.trouble.emit(f"The chats could not be written to {write_place(path)}. {error.strerror or error}.")
        except (sqlite3.Error, StorageError) as error:
            self._tell_failure("The chats could not be exported.", error)
        return None

    async def read_import(self, *paths: Path) -> Found | None:
        """What the files and folders hold; nothing is imported yet. None where the chats here cannot be read."""
        try:
            return await self._transfer.read(paths, frozenset(self._hidden))
        except (sqlite3.Error, StorageError) as error:
            self._tell_failure("Nothing was imported.", error)
            return None

    async def import_chats(self, found: Found) -> Imported:
        """All that was found or nothing, its `problem` being told; the answer takes it back with `undo_import`."""
        if any(chat.conversation.id in self._hidden for chat in found.chats):
            await self.finish_deletions()
        imported = await self._transfer.add(found)
        if imported.problem:
            (self.disk_full if imported.is_disk_full else self.trouble).emit(imported.problem)
        await self.refresh()
        return imported

    async def undo_import(self, imported: Imported) -> None:
        """Delete what was imported, with whatever was added to it since."""
        try:
            await self._transfer.remove(imported.conversation_ids)
        except (sqlite3.Error, StorageError) as error:
            self._tell_failure("The import could not be taken back.", error)
        await self.refresh()
        left = {one.id for one in self._listed}
        for conversation_id in imported.conversation_ids:
            if conversation_id not in left:
                self._recorder.abandon(conversation_id)
                self.deleted.emit(conversation_id)

    async def back_up(self) -> None:
        """Copy the chats where the last copy is a day old; called every hour, and a failure is told once a day."""
        self._backup_timer.setInterval(HOUR_MILLISECONDS)
        backups, has_chats = self._database.backups, bool(self._listed)  # no other thread may hold the list itself
        try:
            await run_off_thread(lambda: backups.take() if has_chats and backups.is_due() else None)
        except BackupEndedError:
            self._backup_timer.stop()
        except (sqlite3.Error, OSError) as error:
            self._backup_timer.setInterval(24 * HOUR_MILLISECONDS)
            reason = explain(error) if isinstance(error, sqlite3.Error) else f"{error.strerror or error}."
            self.trouble.emit(f"The daily backup of the chats was not made. {reason} Earlier backups are kept.")

    def leave(self) -> None:
        """The window is closed: what runs is finished, but for a backup, which is made the next time."""
        self._database.backups.end()

    def _start_backup(self) -> None:
        if self._database.is_closed:
            self._backup_timer.stop()
        else:
            start(self.back_up())

    async def _change(self, work: Callable[[Store], None], done: str) -> bool:
        def change(store: Store) -> bool:
            work(store)
            return True

        return await self._ask(change, done) is not None

    async def _ask(self, work: Callable[[Store], T], done: str) -> T | None:
        """What the work gives; None where it failed, which is told."""
        try:
            return await asyncio.wrap_future(self._database.run(work))
        except (sqlite3.Error, StorageError) as error:
            self._tell_failure(f"The conversation could not be {done}.", error)
            return None

    def _tell_failure(self, words: str, error: BaseException) -> None:
        (self.disk_full if is_disk_full(error) else self.trouble).emit(f"{words} {explain(error)}")
