"""Search over all chats, on a thread and connections of its own: it neither waits for a write nor keeps one waiting."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.conversations.backups import check_whole, is_unreadable
from app.conversations.folding import Span, first_place, fold, spans_of, words_of
from app.conversations.opening import StorageError
from app.conversations.restoring import remove_file, search_file
from app.conversations.search_index import SearchIndex, searched_texts
from app.conversations.store import Store
from app.conversations.titles import clean_title
from app.conversations.unfinished import unfinished_ids

logger = logging.getLogger(__name__)
_MOST_ROWS = 20_000  # that are looked through for chats which are not among the hits yet
_DAMAGED_TABLE_OF_WORDS = sqlite3.SQLITE_CORRUPT_VTAB
_BEFORE, _EXCERPT = 40, 160  # characters of an excerpt before its first match, and in all


@dataclass(frozen=True, slots=True)
class Hit:
    """One chat that has every word in its title or in one of its messages, the latest of which is shown.

    `message_id` and `excerpt` are empty where only the title has them. Spans are characters, half-open.
    """

    conversation_id: str
    title: str
    message_id: str
    excerpt: str
    spans: tuple[Span, ...]  # of the words in `excerpt`
    updated_at: float
    title_spans: tuple[Span, ...] = ()


class Search:
    """Owns the thread and the index; `run` writes to the database of the chats, from that thread."""

    def __init__(self, chats: Path, run: Callable[[Callable[[Store], None]], Future[None]]) -> None:
        self.path = search_file(chats)
        self._chats = chats
        self._run = run
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search")
        self._index: SearchIndex | None = None
        self._caught_up: Future[None] | None = None
        self._newest = 0  # number of the last query; an earlier one that has not begun finds nothing
        self._has_looked = False  # for damage of the index
        self._is_closed = threading.Event()

    def find(self, query: str, limit: int) -> Future[tuple[Hit, ...]]:
        """Chats with every word of the query: first those with all of them in the title, then the latest used."""
        self._newest += 1
        return self._thread.submit(self._find, query, limit, self._newest)

    def catch_up(self) -> Future[None]:
        """Take in what has changed in the chats, batch by batch, with searches in between."""
        if self._caught_up is None or self._caught_up.done():
            self._caught_up = Future()
            self._thread.submit(self._catch_up, self._caught_up)
        return self._caught_up

    def close(self) -> None:
        self._is_closed.set()
        self._thread.submit(self._close)
        self._thread.shutdown(wait=True)

    def _find(self, query: str, limit: int, number: int) -> tuple[Hit, ...]:
        words = words_of(query)
        if not words or number != self._newest:
            return ()
        try:
            return self._hits(words, limit)
        except sqlite3.DatabaseError as error:
            if not self._drop_damaged(error):
                raise
            return self._hits(words, limit)

    def _hits(self, words: Sequence[str], limit: int) -> tuple[Hit, ...]:
        self._take_latest()
        connection = self._opened().connection
        unfinished = unfinished_ids(connection, "chats")
        known = connection.execute("SELECT id, title, updated_at FROM chats.conversations ORDER BY activity DESC")
        chats = [row for row in known if row["id"] not in unfinished]
        titled = [row["id"] for row in chats if _has_words(row["title"], words)][:limit]
        latest = self._latest_messages(words, limit + len(unfinished))
        shown = (titled + [row["id"] for row in chats if row["id"] in latest and row["id"] not in titled])[:limit]
        rows = {row["id"]: row for row in chats}
        hits = (self._hit(rows[one], latest.get(one), words) for one in shown)
        return tuple(hit for hit in hits if hit.excerpt or hit.title_spans)

    def _latest_messages(self, words: Sequence[str], limit: int) -> dict[str, int]:
        """By conversation, the ordinal of its latest message that has the words."""
        index = self._opened()
        latest: dict[str, int] = {}
        for number, (ordinal,) in enumerate(index.find(words)):
            conversation_id = index.conversation_of(ordinal)
            if conversation_id is not None:
                latest.setdefault(conversation_id, ordinal)
            if len(latest) >= limit or number >= _MOST_ROWS:
                break
        return latest

    def _hit(self, chat: sqlite3.Row, ordinal: int | None, words: Sequence[str]) -> Hit:
        title = clean_title(chat["title"]) if isinstance(chat["title"], str) else ""
        updated_at = float(chat["updated_at"]) if isinstance(chat["updated_at"], (int, float)) else 0.0
        message = None if ordinal is None else self._opened().message(ordinal)
        excerpt = "" if message is None else _excerpt(searched_texts(message), words)
        message_id = message["id"] if message is not None and excerpt else ""
        spans = spans_of(excerpt, words)
        return Hit(chat["id"], title, message_id, excerpt, spans, updated_at, spans_of(title, words))

    def _opened(self) -> SearchIndex:
        if self._index is None:
            self._run(lambda store: None).result()  # once the chats are open, in their present format
            self._index = self._open()
            if not self._index.is_whole():
                self._index.make_anew()
                self._run(lambda store: store.queue_all_for_search()).result()
                self._index.begin()
        return self._index

    def _open(self) -> SearchIndex:
        try:
            return SearchIndex(self.path, self._chats)
        except sqlite3.DatabaseError as error:
            if not self._drop_damaged(error):
                raise
            return SearchIndex(self.path, self._chats)

    def _catch_up(self, caught_up: Future[None]) -> None:
        try:
            has_more = self._take_batch() and not self._is_closed.is_set()
        except (sqlite3.Error, StorageError) as error:
            has_more = isinstance(error, sqlite3.DatabaseError) and self._drop_damaged(error)
            if not has_more:
                _tell(error)
        with suppress(RuntimeError):  # closed in this moment
            if has_more:
                self._thread.submit(self._catch_up, caught_up)
                return
        caught_up.set_result(None)

    def _take_latest(self) -> None:
        """What was changed a moment ago is found; a long queue is not waited for, nor a disk that is full."""
        try:
            if not self._opened().has_long_queue():
                self._take_batch()
        except sqlite3.Error as error:
            if is_unreadable(error):
                raise
            _tell(error)

    def _take_batch(self) -> bool:
        """Whether there was one."""
        last = self._opened().take_batch()
        if last is not None:
            self._run(lambda store: store.forget_search_changes(last)).result()
        return last is not None

    def _drop_damaged(self, error: sqlite3.DatabaseError) -> bool:
        """Remove an index that is damaged, once: it holds nothing that the chats do not.

        What is damaged may be the chats, which are read beside it; then it stays, and what can be found is found.
        """
        if not is_unreadable(error) or self._has_looked:
            return False
        self._has_looked = True
        if not self._is_damaged(error):
            return False
        logger.warning("the search index was damaged and is made anew: %s", error)
        self._close()
        remove_file(self.path)
        return True

    def _is_damaged(self, error: sqlite3.DatabaseError) -> bool:
        """Whether it is the index that an error tells of; walks over all of it, 1 s for 200 MB."""
        if getattr(error, "sqlite_errorcode", 0) == _DAMAGED_TABLE_OF_WORDS:
            return True
        self._close()
        try:
            check_whole(self.path)
        except sqlite3.DatabaseError as found:
            return is_unreadable(found)
        return False

    def _close(self) -> None:
        if self._index is not None:
            self._index.connection.close()
            self._index = None


def _tell(error: Exception) -> None:
    """A reader that comes as the writer of the chats opens or closes them is refused for a moment: no news."""
    is_passing = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY
    level = logging.INFO if is_passing else logging.WARNING
    logger.log(level, "what has changed in the chats cannot be found yet: %s", error)


def _has_words(title: object, words: Sequence[str]) -> bool:
    folded = fold(title) if isinstance(title, str) else ""
    return all(word in folded for word in words)


def _excerpt(texts: Sequence[str], words: Sequence[str]) -> str:
    """One line around the first match, with an ellipsis where the text goes on."""
    for text in texts:
        for wanted in (words, *([word] for word in words)):
            place = first_place(text, wanted)
            if place is not None:
                return _line_around(text, place)
    return ""


def _line_around(text: str, place: int) -> str:
    start = max(0, place - _BEFORE)
    end = start + _EXCERPT
    line = clean_title(text[start:end])
    return f"{'…' if start else ''}{line}{'…' if end < len(text) else ''}"
