"""Disks that fail, files that are damaged, limits that are reached: chats go on, and each is told once."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.tree import Part
from tests.engine.prompt_cache.chats import ROOMY, Cached, text

A = text(1, 1000)
FULL = "The disk is full."


def test_a_full_disk_pauses_writing_with_one_notice_and_no_storm():
    cached = Cached()
    cached.disk.error = FULL
    for number in range(20):
        cached.put(str(number), text(number, 1000))
        cached.times.timer += 1
    assert cached.disk.num_attempts == 1
    assert [code for code, _ in cached.notices] == ["disk_fault"]
    assert cached.cache.report().problem == FULL
    assert cached.find("3", text(3, 1000)).num_tokens == 999


def test_a_disk_that_failed_is_tried_again_with_one_entry_after_a_minute():
    cached = Cached()
    cached.disk.error = FULL
    cached.put("a", A)
    for num_attempts in (2, 3, 4):
        cached.times.timer += 61
        cached.cache.shrink(0)
        cached.cache.shrink(0)
        assert cached.disk.num_attempts == num_attempts
    assert len(cached.notices) == 1


def test_all_is_written_once_the_disk_takes_it_again():
    cached = Cached()
    cached.disk.error = FULL
    cached.put("a", A)
    cached.disk.error = ""
    cached.times.timer += 61
    cached.cache.shrink(0)
    assert cached.cache.report().problem == ""
    found = cached.reopened().find("a", A)
    assert (found.num_tokens, found.code) == (999, "")


def test_several_writes_that_fail_together_are_told_once_and_written_in_their_order():
    cached = Cached(is_held=True)
    cached.storage.work()
    cached.disk.error = FULL
    cached.put("a", A)
    cached.storage.work()
    assert (cached.disk.num_attempts, len(cached.notices)) == (4, 1)
    cached.disk.error = ""
    cached.times.timer += 61
    cached.cache.shrink(0)
    cached.storage.work()
    assert [entry.first for entry, _, _ in cached.disk.files.values()] == [0, 256, 512, 768]


def test_what_a_failing_disk_did_not_take_is_said_so_after_a_restart():
    cached = Cached()
    cached.put("a", A[:300])
    cached.disk.error = FULL
    cached.put("a", A)
    found = cached.reopened().find("a", [*A, 1], num_old=1000)
    assert (found.num_tokens, found.num_reread, found.code) == (300, 700, "disk_fault")
    assert found.reason == "700 tokens were read again: the cache's disk could not be written."


def test_a_damaged_file_is_removed_with_what_hangs_from_it_and_the_search_goes_on_without():
    cached = Cached()
    cached.put("a", A)
    cached = cached.reopened()
    (damaged,) = [key for key, (entry, _, _) in cached.disk.files.items() if entry.first == 256]
    cached.disk.damaged.add(damaged)
    found = cached.find("a", A)
    assert (found.num_tokens, found.num_reread, found.code) == (256, 743, "corrupt")
    assert len(cached.disk.files) == 1
    assert cached.cache.report().disk_bytes == cached.disk.num_bytes
    cached.put("a", A)
    assert cached.reopened().find("a", A).num_tokens == 999


def test_a_damaged_checkpoint_leaves_the_one_before_it():
    cached = Cached()
    cached.put("a", A[:300], is_exact=True, is_boundary=True)
    cached.put("a", A, is_exact=True)
    cached = cached.reopened()
    cached.disk.damaged |= {key for key, (entry, _, _) in cached.disk.files.items() if entry.first == 1000}
    found = cached.find("a", [*A, 1], is_exact=True)
    assert (found.num_tokens, found.num_reread, found.code) == (300, 700, "corrupt")


def test_a_checkpoint_that_is_gone_at_a_start_is_told_as_one():
    cached = Cached()
    cached.put("a", A[:300], is_exact=True, is_boundary=True)
    cached.put("a", A, is_exact=True)
    cached.cache.close(1.0)
    for key in [key for key in cached.disk.files if key.is_checkpoint and cached.disk.files[key][0].first == 1000]:
        del cached.disk.files[key]
    found = Cached(cached.disk).find("a", [*A, 1], is_exact=True)
    assert (found.num_tokens, found.num_reread, found.code) == (300, 700, "corrupt")


def test_what_was_not_written_before_the_end_is_not_called_damaged():
    cached = Cached(is_held=True)
    cached.storage.work()
    cached.put("a", A)
    cached.cache.close(1.0)
    cached.disk.files.clear()
    found = Cached(cached.disk).find("a", [*A, 1])
    assert (found.num_reread, found.code) == (1000, "not_stored")


def test_a_folder_that_can_only_be_read_is_used_and_never_changed():
    cached = Cached()
    cached.put("a", A)
    cached.disk.is_read_only = True
    before = (dict(cached.disk.files), dict(cached.disk.owners), dict(cached.disk.values))
    cached = cached.reopened()
    assert cached.cache.report().is_read_only
    assert cached.find("a", A).num_tokens == 999
    cached.put("b", text(2, 300))
    assert cached.find("b", text(2, 300)).num_tokens == 299
    done = []
    cached.cache.forget("a", lambda: done.append(True))
    assert done
    assert (cached.disk.files, cached.disk.owners, cached.disk.values) == before


def test_the_day_s_limit_pauses_writing_until_the_next_day():
    cached = Cached(settings=replace(ROOMY, daily_limit_bytes=20_000))
    cached.put("a", A)
    assert 0 < cached.disk.written_bytes <= 20_000
    assert cached.cache.report().written_today_bytes == cached.disk.written_bytes
    assert [code for code, _ in cached.notices] == ["daily_limit"]
    again = cached.reopened()
    written = again.disk.written_bytes
    found = again.find("a", [*A, 1], num_old=1000)
    assert (found.code, found.num_reread) == ("daily_limit", 1000 - found.num_tokens)
    again.put("a", A)
    assert again.disk.written_bytes == written
    again.times.clock += 86400
    again.cache.shrink(0)
    assert again.disk.written_bytes > written


def test_what_is_on_its_way_to_the_disk_counts_for_the_day():
    cached = Cached(settings=replace(ROOMY, daily_limit_bytes=20_000), is_held=True)
    cached.storage.work()
    cached.put("a", A)
    counted = cached.cache.report().written_today_bytes
    cached.cache.close(1.0)
    assert 0 < cached.disk.written_bytes <= counted <= 20_000
    assert Cached(cached.disk).cache.report().written_today_bytes == counted


def test_what_the_disk_did_not_take_does_not_count_for_the_day():
    cached = Cached()
    cached.disk.error = FULL
    cached.put("a", A)
    assert cached.cache.report().written_today_bytes == 0
    assert cached.reopened().cache.report().written_today_bytes == 0


def test_deleted_chats_are_not_held_for_a_disk_that_fails():
    gc.collect()
    num_before = num_parts()
    cached = Cached()
    cached.disk.error = FULL
    cached.put("kept", A)
    for number in range(60):
        cached.put(str(number), text(number, 2000))
        cached.cache.forget(str(number), lambda: None)
    gc.collect()
    assert num_parts() - num_before < 200


def num_parts() -> int:
    return sum(isinstance(held, Part) for held in gc.get_objects())


def test_a_clock_set_back_to_another_day_begins_another_count():
    cached = Cached(settings=replace(ROOMY, daily_limit_bytes=20_000))
    cached.put("a", A)
    written = cached.disk.written_bytes
    cached.times.clock -= 86400 * 365
    cached.cache.shrink(0)
    assert cached.disk.written_bytes > written


def test_a_chat_larger_than_the_budget_is_said_to_be_so():
    cached = Cached(settings=CacheSettings(ram_bytes=1, budget_bytes=40_000))
    cached.put("a", text(1, 5000))
    assert cached.notices == [("too_large", "A chat is too large for the prompt cache's budget of 40 KB.")]
    found = cached.find("a", [*text(1, 5000), 1], num_old=5000)
    assert found.code == "too_large"
    assert cached.disk.peak_bytes <= 40_000


@pytest.mark.parametrize("is_exact", [True, False])
def test_a_disk_slower_than_reading_is_not_read(is_exact: bool):
    cached = Cached()
    cached.put("a", A, is_exact=is_exact)
    cached.disk.read_seconds = 30.0
    cached = cached.reopened()
    assert cached.find("a", [*A, 1], is_exact=is_exact).num_tokens == 1000
    cached = cached.reopened()
    found = cached.find("a", [*A, 1], is_exact=is_exact, tokens_per_second=5000.0)
    assert (found.num_tokens, found.num_reread, found.code) == (0, 1000, "slower")
    assert cached.find("a", [*A, 1], is_exact=is_exact, tokens_per_second=5.0).num_tokens == 1000


def test_the_first_find_after_a_start_knows_how_fast_prompts_are_read():
    cached = Cached()
    cached.put("a", A)
    cached.disk.read_seconds = 30.0
    cached = cached.reopened()
    assert cached.find("a", [*A, 1], tokens_per_second=5000.0).num_tokens == 1000  # an unknown disk is believed
    found = cached.reopened().find("a", [*A, 1])
    assert (found.num_tokens, found.num_reread, found.code) == (0, 1000, "slower")


def test_a_disk_that_was_slow_is_tried_again_some_day():
    cached = Cached()
    cached.put("a", A)
    cached.disk.read_seconds = 1.0
    cached = cached.reopened()
    cached.find("a", [*A, 1])
    cached = cached.reopened()
    found = [cached.find("a", [*A, 1], tokens_per_second=5000.0).num_tokens for _ in range(40)]
    assert (found[0], found[-1]) == (0, 1000)


def test_what_a_slow_disk_could_not_take_in_time_is_said_so():
    cached = Cached(settings=CacheSettings(ram_bytes=30_000, budget_bytes=1 << 30), is_held=True)
    cached.storage.work()
    cached.put("a", text(1, 3000))
    cached = cached.reopened()
    found = cached.find("a", [*text(1, 3000), 1], num_old=3000)
    assert (found.num_tokens + found.num_reread, found.code) == (3000, "slow_disk")


def test_closing_tells_whether_all_was_written():
    cached = Cached()
    cached.put("a", A)
    assert cached.cache.close(1.0)
    cached = Cached()
    cached.disk.error = FULL
    cached.put("a", A)
    assert not cached.cache.close(1.0)
