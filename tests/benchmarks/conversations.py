"""What thousands of chats cost on this machine: `python -m tests.benchmarks.conversations`.

3,000 chats with 100 MB of text are made, listed, searched and backed up, and one of 300,000 tokens is opened.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from app.application import Application
from app.bridge import EngineBridge
from app.conversations.adding import add_chats
from app.conversations.catalogue import Catalogue
from app.conversations.database import Database
from app.conversations.exporting.files import ExportKind
from app.conversations.recorder import Recorder
from app.conversations.records import Conversation, Message, new_id
from app.conversations.store import Store
from app.conversations.whole_chat import WholeChat
from engine.messages import Statistics
from tests.app.fake_engine import FakeEngine

NUM_MESSAGES = 20  # of a chat
NUM_LONG_MESSAGES = 600
TOKENS_OF_LONG = 300_000
CHATS_OF_A_BATCH = 50
LETTERS = "etaoinshrdlcumwfgypbvkjxqz"
QUERIES = ("the", "water", "of water", "wa", "qz", "zzzyzzy", "a")


class Writer:
    """Text of words as common as those of a language; the same each time."""

    def __init__(self) -> None:
        self._random = random.Random(1)
        shares = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(LETTERS))))
        lengths = self._random.choices(range(2, 11), k=40_000)
        self._words = ["".join(self._random.choices(LETTERS, cum_weights=shares, k=length)) for length in lengths]
        self._words[:3] = ["the", "of", "water"]
        self._shares = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(self._words))))

    def write(self, num_characters: int) -> str:
        words = self._random.choices(self._words, cum_weights=self._shares, k=num_characters // 5)
        return " ".join(words)[:num_characters]


def make_chat(writer: Writer, number: int, num_messages: int, num_characters: int, num_tokens: int = 0) -> WholeChat:
    conversation = Conversation(new_id(), writer.write(40), "m", "ngram", number, number)
    messages: list[Message] = []
    for place in range(num_messages):
        parent = messages[-1].id if messages else None
        role = "assistant" if place % 2 else "user"
        text = writer.write(num_characters)
        messages.append(Message(new_id(), conversation.id, parent, role, text))
        if role == "assistant":
            ids = tuple(range(num_tokens))
            spans = tuple((start, start + 4) for start in range(0, num_characters - 8, 8))
            messages[-1] = replace(messages[-1], token_ids=ids, drafted=spans, statistics=Statistics(num_tokens=300))
    return WholeChat(conversation, tuple(messages), messages[-1].id)


def fill(database: Database, num_chats: int, num_bytes: int) -> str:
    """Returns the id of the long chat."""
    writer = Writer()
    each = num_bytes // num_chats // NUM_MESSAGES
    for start in range(0, num_chats, CHATS_OF_A_BATCH):
        chats = [make_chat(writer, start + n, NUM_MESSAGES, each) for n in range(CHATS_OF_A_BATCH)]
        finish(database, lambda store, chats=chats: add_chats(store, chats))  # type: ignore[misc]
    num_tokens = TOKENS_OF_LONG // NUM_LONG_MESSAGES
    long = make_chat(writer, num_chats, NUM_LONG_MESSAGES, num_tokens * 4, num_tokens * 2)
    finish(database, lambda store: add_chats(store, [long]))
    return long.conversation.id


def finish(database: Database, work: Callable[[Store], Any]) -> Any:
    return database.run(work).result()


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what:<58}{time.perf_counter() - start:>9.3f} s", flush=True)


def measure_search(run: Callable[[Coroutine[Any, Any, Any]], Any], catalogue: Catalogue) -> None:
    for query in QUERIES:
        times, num_hits = [], 0
        for _ in range(5):
            start = time.perf_counter()
            num_hits = len(run(catalogue.search(query)) or ())
            times.append(time.perf_counter() - start)
        what = f"search for {query!r}, {num_hits} hits, first {times[0]:.3f} s, median"
        print(f"{what:<58}{median(times):>9.3f} s", flush=True)


def measure_writes_beside(database: Database, work: Callable[[], Any]) -> float:
    """The longest that a small transaction took while the work ran."""
    worst = 0.0
    rename = "UPDATE conversations SET title = title WHERE id = (SELECT id FROM conversations LIMIT 1)"
    with ThreadPoolExecutor(max_workers=1) as thread:
        ended = thread.submit(work)
        while not ended.done():
            start = time.perf_counter()
            finish(database, lambda store: store.connection.execute(rename))
            worst = max(worst, time.perf_counter() - start)
            time.sleep(0.005)
    ended.result()
    return worst


def measure(folder: Path, num_chats: int, num_bytes: int) -> None:
    application = Application([])
    database = Database(folder)
    catalogue = Catalogue(database, Recorder(database, EngineBridge(FakeEngine())))
    loop = asyncio.new_event_loop()
    run = loop.run_until_complete
    with timed(f"{num_chats:,} chats with {num_bytes / 1e6:.0f} MB are written"):
        long_id = fill(database, num_chats, num_bytes)
    with timed("their text is indexed"):
        database.search.catch_up().result()
    files = {file.name: file.stat().st_size for file in folder.iterdir() if file.is_file()}
    print("  ".join(f"{name} {size / 1e6:.0f} MB" for name, size in sorted(files.items())))
    for _ in range(2):
        with timed("the catalogue lists all chats"):
            run(catalogue.refresh())
        with timed(f"the chat of {TOKENS_OF_LONG:,} tokens is opened"):
            finish(database, lambda store: store.open_conversation(long_id))
    measure_search(run, catalogue)
    with timed("a backup is made and looked through"):
        worst = measure_writes_beside(database, database.backups.take)
    print(f"the longest that a write took beside it {worst * 1000:.0f} ms")
    path = folder / "all.json"
    with timed("all chats are exported as JSON"):
        run(catalogue.export([one.id for one in catalogue.conversations], path, ExportKind.JSON))
    with timed(f"{path.stat().st_size / 1e6:.0f} MB are read for an import"):
        run(catalogue.read_import(path))
    database.close()
    loop.close()
    del application


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=int, default=3000)
    parser.add_argument("--megabytes", type=int, default=100)
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.chats, options.megabytes * 1_000_000)


if __name__ == "__main__":
    main()
