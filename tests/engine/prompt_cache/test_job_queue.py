"""Jobs that wait: what is removed need not be written, however many keys go at once."""

from __future__ import annotations

from engine.prompt_cache.entries import Entry, EntryKey
from engine.prompt_cache.entry_file import Creator
from engine.prompt_cache.job_queue import JobQueue
from engine.prompt_cache.jobs import RemoveEntries, WriteEntry
from tests.engine.prompt_cache.disk_harness import STREAM, page, tensors_of


class CountedKey(EntryKey):
    """Counts how often it is compared."""

    num_compared = 0

    def __eq__(self, other: object) -> bool:
        CountedKey.num_compared += 1
        return (self.stream, self.start, self.end) == (other.stream, other.start, other.end)

    __hash__ = EntryKey.__hash__


def write(number: int) -> WriteEntry:
    key = page(number).key
    entry = Entry(CountedKey(key.stream, key.start, key.end), 0, ())
    return WriteEntry(entry, STREAM, Creator("", ""), tensors_of())


def test_removal_of_many_keys_spares_those_writes_that_wait_and_looks_at_each_but_once():
    jobs, writes = JobQueue(), [write(number) for number in range(100)]
    for job in writes:
        jobs.put(job)
    removal = RemoveEntries(tuple(page(number).key for number in range(50, 1000)))
    jobs.put(removal)
    later = write(60)
    jobs.put(later)
    taken = [jobs.take() for _ in range(102)]
    assert taken == [*writes, removal, later]
    assert [job.is_wanted for job in writes] == [True] * 50 + [False] * 50
    assert not any(job.tensors for job in writes[50:])
    assert later.is_wanted
    assert CountedKey.num_compared <= 1000
