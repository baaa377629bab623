"""What stays of a conversation, and what goes with it."""

from __future__ import annotations

from engine.messages import CACHE_OFF
from engine.prompt_cache.report import CacheSettings
from tests.engine.prompt_cache.chats import ROOMY, Cached, state_of, stream, text

A = text(1, 1000)
DAY = 86400.0


def checkpoints(cached: Cached) -> list[int]:
    """Where the disk has checkpoints, by tokens."""
    return sorted(entry.first for entry, _, _ in cached.disk.files.values() if entry.key.is_checkpoint)


def exact_turn(cached: Cached, num_old: int, boundaries: list[int], end: int) -> None:
    """One turn of chat "a" on an exact stream."""
    cached.find("a", A[: boundaries[-1] + 1], is_exact=True, num_old=num_old)
    for boundary in boundaries:
        cached.put("a", A[:boundary], is_exact=True, is_boundary=True)
    cached.put("a", A[:end], is_exact=True)


def test_an_exact_stream_keeps_its_latest_place_and_its_last_turn_s_boundaries():
    cached = Cached()
    exact_turn(cached, 0, [20, 50], 100)
    assert checkpoints(cached) == [20, 50, 100]
    exact_turn(cached, 102, [102, 150], 200)
    assert checkpoints(cached) == [102, 150, 200]
    exact_turn(cached, 202, [250], 300)
    assert checkpoints(cached) == [200, 250, 300]


def test_regenerating_keeps_the_boundaries_that_it_started_from():
    cached = Cached()
    exact_turn(cached, 0, [20, 50], 100)
    exact_turn(cached, 102, [102, 150], 200)
    for seed in (4, 5):
        assert cached.find("a", A[:151], is_exact=True, num_old=102).num_tokens == 150
        cached.put("a", [*A[:150], *text(seed, 60)], is_exact=True)
        assert checkpoints(cached) == [102, 150, 210]
    assert cached.find("a", [*A[:110], 5], is_exact=True, num_old=102).num_tokens == 102


def test_an_older_checkpoint_stays_until_the_newer_one_is_stored():
    cached = Cached(is_held=True)
    cached.storage.work()
    exact_turn(cached, 0, [20], 100)
    cached.storage.work()
    cached.disk.error = "The disk is full."
    exact_turn(cached, 102, [150], 200)
    cached.storage.work()
    assert checkpoints(cached) == [20, 100]
    assert cached.reopened().find("a", A, is_exact=True).num_tokens == 100


def test_a_deleted_chat_s_entries_go_and_what_others_use_stays():
    cached = Cached()
    cached.put("a", A)
    cached.put("b", [*A[:256], *text(2, 100)])
    done = []
    cached.cache.forget("a", lambda: done.append(len(cached.disk.files)))
    assert done == [2]
    assert cached.find("b", [*A[:256], *text(2, 101)]).num_tokens == 356
    assert not any(place[0] == "a" for place in (*cached.disk.owners, *cached.disk.readings))
    cached.cache.forget("b", lambda: done.append(len(cached.disk.files)))
    assert done == [2, 0]
    assert cached.cache.report().disk_bytes == cached.cache.report().ram_bytes == 0


def test_a_deleted_chat_s_tokens_go_though_another_is_a_part_of_it():
    cached = Cached()
    cached.put("long", A)
    cached.put("short", A[:300])
    cached.cache.forget("long", lambda: None)
    assert sum(len(entry.token_ids) for entry, _, _ in cached.disk.files.values()) == 300
    assert cached.reopened().find("short", A).num_tokens == 300


def test_what_is_removed_of_a_chat_is_read_again_for_that_reason_and_kept_again():
    cached = Cached()
    cached.put("a", A)
    cached.put("b", [*A[:256], *text(2, 100)])
    done = []
    cached.cache.remove("a", lambda: done.append(len(cached.disk.files)))
    assert done == [2]
    found = cached.find("a", [*A, 5], num_old=1000)
    assert (found.num_tokens, found.code) == (256, "cleared")
    cached.put("a", A)
    assert cached.reopened().find("a", [*A, 5]).num_tokens == 1000


def test_sizes_tell_what_is_of_drafters_and_their_names():
    cached, drafter = Cached(), stream("Tiny drafter", kind="companion")
    cached.put("a", A)
    whole = cached.cache.report().disk_bytes
    cached.cache.put(drafter, "a", A[:300], state_of(A[:300]))
    for one in (cached, cached.reopened()):
        report = one.cache.report()
        (chat,) = report.conversations
        assert chat.drafters == ("Tiny drafter",)
        assert chat.drafter_bytes == report.drafter_bytes == report.disk_bytes - whole > 0


def test_cache_that_is_off_keeps_nothing_on_disk_and_tells_nobody():
    cached = Cached(settings=CacheSettings(ram_bytes=1 << 30, budget_bytes=CACHE_OFF))
    cached.put("a", A)
    assert not cached.disk.files
    assert cached.find("a", [*A, 5]).num_tokens == 1000
    assert not cached.notices
    found = cached.reopened().find("a", [*A, 5], num_old=1000)
    assert (found.num_tokens, found.code) == (0, "off")


def test_a_place_within_a_chat_s_own_page_costs_nothing():
    cached = Cached()
    cached.put("a", A)
    written = cached.disk.written_bytes
    cached.put("a", A[:300], is_boundary=True)
    assert cached.disk.written_bytes == written


def test_deletion_is_answered_only_once_the_files_are_gone():
    cached = Cached(is_held=True)
    cached.storage.work()
    cached.put("a", A)
    done = []
    cached.cache.forget("a", lambda: done.append(dict(cached.disk.files)))
    assert not done
    cached.storage.work()
    assert done == [{}]
    assert cached.cache.report().disk_bytes == 0


def test_a_deleted_chat_s_later_puts_are_refused():
    cached = Cached()
    cached.cache.forget("a", lambda: None)
    cached.put("a", A)
    assert not cached.disk.files
    assert cached.find("a", A).num_tokens == 0


def test_a_deleted_chat_that_asks_again_is_saved_again():
    cached = Cached()
    cached.put("a", A)
    cached.cache.forget("a", lambda: None)
    assert cached.find("a", A).num_tokens == 0
    cached.put("a", A)
    assert cached.reopened().find("a", [*A, 1]).num_tokens == 1000


def test_a_deleted_chat_s_streams_all_go():
    cached = Cached()
    cached.put("a", A)
    cached.put("a", A, stream("d", kind="drafter"), is_exact=True)
    cached.cache.forget("a", lambda: None)
    assert not cached.disk.files


def test_what_belongs_to_no_chat_goes_after_seven_days_and_not_before():
    cached = Cached()
    cached.put("a", A)
    cached.put("b", text(2, 300))
    cached.times.clock += 30 * DAY
    cached = cached.reopened()
    cached.cache.keep(["b"])
    cached.times.clock += 6.9 * DAY
    cached.cache.keep(["b"])
    cached = cached.reopened()
    assert cached.find("c", A).num_tokens == 999
    cached.times.clock += 0.2 * DAY
    cached.cache.keep(["b"])
    assert cached.find("c", A).num_tokens == 0
    assert cached.find("b", text(2, 300)).num_tokens == 299


def test_a_clock_set_back_ages_nothing():
    cached = Cached()
    cached.put("a", A)
    cached.cache.keep([])
    cached.times.clock -= 400 * DAY
    cached = cached.reopened()
    cached.cache.keep([])
    assert cached.find("a", A).num_tokens == 999
    cached.times.clock += 6 * DAY
    cached.cache.keep([])
    assert cached.find("a", A).num_tokens == 999


def test_a_chat_that_is_seen_again_is_not_aged():
    cached = Cached()
    cached.put("a", A)
    cached.cache.keep([])
    cached.times.clock += 5 * DAY
    cached.cache.keep(["a"])
    cached.times.clock += 5 * DAY
    cached.cache.keep([])
    assert cached.find("a", A).num_tokens == 999


def test_what_another_program_made_is_not_aged():
    cached = Cached(settings=CacheSettings(budget_bytes=1 << 30, tag="headless"))
    cached.put("ask-1", A)
    assert {owner.tag for owner in cached.disk.owners.values()} == {"headless"}
    cached = cached.reopened(ROOMY)
    for _ in range(2):
        cached.cache.keep([])
        cached.times.clock += 8 * DAY
    cached.cache.keep([])
    assert cached.find("a", A).num_tokens == 999


def test_entries_without_an_owner_are_kept_a_while_and_go_with_any_deletion():
    cached = Cached()
    cached.put("a", A)
    cached.disk.owners.clear()
    cached = cached.reopened()
    assert cached.find("b", A).num_tokens == 999
    cached.cache.forget("a", lambda: None)
    assert not cached.disk.files
