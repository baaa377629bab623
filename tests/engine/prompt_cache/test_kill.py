"""A writer that is killed at any moment leaves a valid cache."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from engine.prompt_cache.verify import verify
from tests.engine.prompt_cache.disk_harness import Inline, page, tensors_of

PROJECT = Path(__file__).parents[3]
NUM_ITEMS = 20_000  # so that a write lasts long enough to be hit
WRITER = f"""
import itertools, sys, threading
from pathlib import Path
from engine.prompt_cache.entries import Owner, Reading, SaveOwner, SaveReading, Touch, Written
from engine.prompt_cache.storage import StorageThread
from tests.engine.prompt_cache.disk_harness import STREAM, page, tensors_of

room = threading.Semaphore(4)

def deliver(message):
    if isinstance(message, Written):
        room.release()
        print(message.error or message.key.end, flush=True)

storage = StorageThread(Path(sys.argv[1]), deliver)
storage.open()
for number in itertools.count(int(sys.argv[2])):
    room.acquire()
    entry = page(number)
    storage.write(entry, STREAM, tensors_of(number, {NUM_ITEMS}), conversation_id=str(number % 3))
    storage.record([SaveOwner(Owner("a", STREAM.identity, entry.key.end, entry.num_tokens))])
    storage.record([Touch((entry.key,), number), SaveReading(Reading("a", STREAM, entry.token_ids))])
    if number % 4 == 3:
        storage.remove([page(number - 8).key], ticket=number + 1)
"""


def kill_writer(root: Path, first: int, seconds: float) -> list[str]:
    """Start a writer, kill it so long after its first entry, and return the ends of what it says it wrote."""
    command = [sys.executable, "-c", WRITER, str(root), str(first)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline().strip()]
        time.sleep(seconds)
        writer.kill()
        return told + [line.strip() for line in writer.stdout if line.endswith("\n")]


def test_thirty_kills_leave_a_valid_cache_each_time(tmp_path):
    root = tmp_path / "cache"
    moments = random.Random(5)
    for number in range(30):
        told = kill_writer(root, 100_000 * number, moments.uniform(0.0, 0.08))
        assert told[0]
        opened = Inline(root)
        assert opened.opened.problem == ""
        assert not opened.opened.is_read_only
        check(opened, 100_000 * number, told)
        opened.storage.close(1)
        assert list(root.glob("*/.*")) == []
        found = verify(root)
        assert found.faults == ()
        assert found.num_unlisted == 0


def check(inline: Inline, first: int, told: list[str]) -> None:
    """Everything that is listed can be read and is right; what was told as written and not removed is listed."""
    entries = {stored.entry.key.end: stored.entry for stored in inline.opened.entries}
    numbers = {page(number).key.end: number for number in range(first, first + len(told) + 8)}
    for end in entries.keys() & numbers.keys():
        entry, number = entries[end], numbers[end]
        assert entry == page(number)
        assert inline.read(entry).tensors == {entry.key: tensors_of(number, NUM_ITEMS)}
    assert {end for end in told if numbers[end] % 4 != 3} <= entries.keys()
