"""What goes from RAM and from the disk, in which order, and what stays for whom."""

from __future__ import annotations

import gc
from dataclasses import replace

import mlx.core as mx

from engine.prompt_cache.report import CacheReport, CacheSettings
from engine.prompt_cache.requests import StreamWanted
from tests.engine.prompt_cache.chats import ROOMY, STREAM, Cached, text

A = text(1, 1000)
PAGE_BYTES = 7980 + 2424  # of 256 tokens' file here, and of its record in an index
RESERVED_BYTES = 9000  # more than that are set aside until it is written
READING_BYTES = 700 + 4 * 512  # of a conversation's tokens in an index


def disk_only(num_bytes: int) -> CacheSettings:
    return CacheSettings(ram_bytes=1, budget_bytes=num_bytes)


def room_for(num_pages: int) -> CacheSettings:
    """A quarter is for the index's log."""
    return disk_only((num_pages * (PAGE_BYTES + READING_BYTES) + RESERVED_BYTES) * 4 // 3)


def test_the_folder_never_exceeds_its_budget_and_the_oldest_chats_go_first():
    cached = Cached(settings=disk_only(400_000))
    chats = {f"chat {number}": text(number, 700) for number in range(30)}
    for name, chat in chats.items():
        cached.put(name, chat)
        report = cached.cache.report()
        assert report.disk_bytes == cached.disk.num_bytes <= report.budget_bytes
    assert cached.disk.peak_bytes <= 400_000
    found = [cached.find(name, [*chat, 1]).num_tokens for name, chat in chats.items()]
    assert found == sorted(found)
    assert (found[0], found[-5:]) == (0, [700] * 5)


def test_a_chat_that_was_used_outlives_one_that_was_not():
    cached = Cached(settings=room_for(7))
    cached.put("a", A[:256])
    cached.put("b", text(2, 256))
    assert cached.find("a", A).num_tokens == 256
    for number in range(3, 9):
        cached.put(str(number), text(number, 256))
    cached = cached.reopened()
    assert cached.find("a", A).num_tokens == 256
    assert cached.find("b", text(2, 300)).num_tokens == 0


def test_asking_how_much_of_a_chat_is_held_neither_uses_nor_reads_it():
    cached = Cached(settings=room_for(7))
    cached.put("a", A[:256])
    cached.put("b", text(2, 256))
    assert cached.cache.num_held(StreamWanted(STREAM), A) == 256
    assert cached.cache.num_held(StreamWanted(STREAM), A[:100]) == 99
    assert cached.cache.num_held(StreamWanted(STREAM), []) == 0
    assert cached.cache.report().ram_bytes == 0
    for number in range(3, 9):
        cached.put(str(number), text(number, 256))
    cached = cached.reopened()
    assert cached.cache.num_held(StreamWanted(STREAM), A) == 0
    assert cached.find("b", text(2, 300)).num_tokens == 256


def test_a_long_chat_loses_its_end_first_and_can_go_on_from_the_rest():
    cached = Cached(settings=room_for(5))
    cached.put("a", A)
    cached.put("b", text(2, 512))
    assert cached.find("a", [*A, 1]).num_tokens == 768


def test_a_branch_that_was_left_goes_before_older_chats_that_go_on():
    cached = Cached(settings=room_for(5))
    cached.put("other", text(5, 256))
    cached.put("a", [*A[:256], *text(2, 256)])
    cached.put("a", [*A[:256], *text(3, 256)])
    cached.put("new", text(6, 512))
    cached = cached.reopened()
    assert cached.find("other", text(5, 300)).num_tokens == 256
    assert cached.find("a", [*A[:256], *text(3, 300)]).num_tokens == 512
    assert cached.find("a", [*A[:256], *text(2, 300)]).num_tokens == 256


def test_a_smaller_budget_is_kept_from_the_start():
    cached = Cached()
    cached.put("a", A)
    cached = cached.reopened(disk_only(2 * PAGE_BYTES))
    assert cached.disk.num_bytes == cached.cache.report().disk_bytes <= 2 * PAGE_BYTES


def test_the_default_budget_is_a_tenth_of_the_disk_and_20_gb_at_most():
    cached = Cached(settings=replace(ROOMY, budget_bytes=None))
    assert cached.cache.report().budget_bytes == 20_000_000_000
    cached.disk.free_bytes = 5_000_000
    assert cached.reopened().cache.report().budget_bytes == 500_000


def test_ram_stays_below_its_ceiling_with_live_state():
    cached = Cached(settings=CacheSettings(ram_bytes=200_000, budget_bytes=1 << 30))
    for number in range(10):
        cached.put(str(number), text(number, 1000))
        assert cached.cache.report().ram_bytes <= 200_000
    cached.cache.shrink(150_000)
    assert 0 < cached.cache.report().ram_bytes <= 50_000
    assert cached.find("0", text(0, 1000)).num_tokens == 999


def test_what_is_held_stays_in_ram_until_it_is_dropped():
    cached = Cached()
    cached.put("a", A)
    found = cached.find("a", A)
    held_bytes = cached.cache.report().ram_bytes
    cached.cache.shrink(1 << 30)
    assert cached.cache.report().ram_bytes == held_bytes
    del found
    cached.cache.shrink(1 << 30)
    assert cached.cache.report().ram_bytes == 0


def test_memory_returns_once_nothing_is_held():
    cached = Cached()
    gc.collect()
    before = mx.get_active_memory()
    cached.put("a", A)
    found = cached.find("a", A)
    assert mx.get_active_memory() > before
    del found
    cached.cache.shrink(1 << 30)
    gc.collect()
    assert mx.get_active_memory() == before


def test_a_page_keeps_no_other_page_s_memory():
    gc.collect()
    before = mx.get_active_memory()  # of tests before this one
    cached = Cached()
    cached.put("a", A)
    report: CacheReport = cached.cache.report()
    cached.cache.shrink(ROOMY.ram_bytes - report.ram_bytes // 2)
    gc.collect()
    assert mx.get_active_memory() - before <= report.ram_bytes


def test_what_waits_for_the_disk_is_not_evicted():
    cached = Cached(settings=CacheSettings(ram_bytes=60_000, budget_bytes=1 << 30), is_held=True)
    cached.storage.work()
    cached.put("a", A)
    cached.cache.shrink(60_000)
    pending_bytes = cached.cache.report().ram_bytes
    assert 0 < pending_bytes <= 30_000
    cached.storage.work()
    assert cached.cache.report().ram_bytes == 0
    assert cached.cache.report().disk_bytes == cached.disk.num_bytes > 0


def test_more_than_may_wait_for_the_disk_is_written_later():
    cached = Cached(settings=CacheSettings(ram_bytes=60_000, budget_bytes=1 << 30), is_held=True)
    cached.storage.work()
    cached.put("a", A)
    assert cached.disk.num_attempts == 0
    cached.storage.work()
    assert cached.find("a", A).num_tokens == 999
    assert cached.reopened().find("a", A).num_tokens == 999


def test_the_report_tells_what_each_chat_has():
    cached = Cached()
    cached.put("a", A)
    cached.put("b", [*A[:512], *text(2, 10)])
    sizes = {size.conversation_id: size for size in cached.cache.report().conversations}
    assert (sizes["a"].num_tokens, sizes["b"].num_tokens) == (1000, 522)
    assert sizes["a"].disk_bytes > sizes["b"].disk_bytes > 0
    assert cached.cache.missing_from(STREAM, A) == 1000


def test_limits_that_are_lowered_are_kept_at_once():
    cached = Cached()
    for number in range(9):
        cached.put(str(number), text(number, 1000))
    cached.cache.set_limits(100_000, 250_000, 1)
    report = cached.cache.report()
    assert (report.ram_limit_bytes, report.budget_bytes, report.daily_limit_bytes) == (100_000, 250_000, 1)
    assert 0 < report.ram_bytes <= 100_000
    assert 0 < report.disk_bytes == cached.disk.num_bytes <= 250_000
    assert report.default_budget_bytes == 20_000_000_000
    cached.cache.set_limits(0, 0, 0)
    assert cached.cache.report().budget_bytes == 20_000_000_000


def test_limits_that_are_chosen_before_the_folder_is_open_are_those_of_the_folder():
    cached = Cached(is_held=True)
    cached.cache.set_limits(0, 40_000, 5_000)
    cached.work()
    again = cached.reopened(CacheSettings(tag="headless"))
    again.work()
    report = again.cache.report()
    assert (report.budget_bytes, report.daily_limit_bytes) == (40_000, 5_000)


def test_a_lowered_budget_is_kept_by_what_was_on_its_way_too():
    cached = Cached(is_held=True)
    cached.storage.work()
    cached.put("a", A)
    cached.cache.set_limits(0, 20_000, 0)
    cached.storage.work()
    assert cached.cache.report().disk_bytes == cached.disk.num_bytes <= 20_000


def test_a_cleared_cache_is_empty_and_says_so():
    cached = Cached()
    cached.put("a", A)
    found = cached.find("a", A)
    done = []
    cached.cache.clear(lambda: done.append(len(cached.disk.files)))
    report = cached.cache.report()
    assert (done, report.disk_bytes, report.ram_bytes) == ([0], 0, 0)
    assert found.states[0].state().num_tokens == 999
    assert cached.find("a", [*A, 1], num_old=900).code == "cleared"
    cached.put("a", A)
    assert cached.reopened().find("a", A).num_tokens == 999


def test_time_inside_the_storage_is_counted():
    cached = Cached()
    cached.put("a", A)
    assert cached.cache.report().max_storage_wait_seconds > 0
