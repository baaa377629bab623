"""The prompt cache's searches and puts: the longest prefix wins, whichever tier holds it, and a hit takes nothing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from engine.prompt_cache.report import CacheSettings
from engine.prompt_cache.requests import Found, StreamWanted, Wanted
from tests.engine.prompt_cache.chats import ROOMY, STREAM, Cached, assert_restored, state_of, stream, text

LITTLE_RAM = CacheSettings(ram_bytes=1, budget_bytes=1 << 30)
A = text(1, 1000)
MODULES = ("writing.py", "tree.py", "tiers.py", "retention.py", "owners.py", "keeper.py")


def test_a_prompt_finds_all_but_its_last_token():
    cached = Cached()
    cached.put("a", A)
    assert cached.find("a", A).num_tokens == 999
    assert cached.find("a", [*A, 5, 6]).num_tokens == 1000


def test_a_reopened_cache_restores_what_was_put():
    cached = Cached()
    cached.put("a", A)
    found = cached.reopened().find("a", [*A, 5])
    assert (found.num_tokens, found.num_reread, found.reason) == (1000, 0, "")


def test_a_hit_leaves_the_entry_for_another():
    cached = Cached()
    cached.put("a", A)
    first, second = (cached.find("a", [*A, 5]) for _ in range(2))
    assert first.num_tokens == second.num_tokens == 1000


def test_what_was_read_from_the_disk_stays_in_ram():
    cached = Cached()
    cached.put("a", A)
    cached = cached.reopened()
    assert cached.cache.report().ram_bytes == 0
    cached.find("a", A)
    cached.disk.files.clear()
    assert cached.find("a", [*A, 5]).num_tokens == 1000


def test_a_write_into_what_was_found_leaves_the_cache_as_it_is():
    cached = Cached()
    cached.put("a", A[:200], is_exact=True)
    state = cached.find("a", A, is_exact=True).states[0].state()
    for array in (*state.grown, state.fixed[0]):
        array[:] = 0
    assert cached.find("b", A, is_exact=True).num_tokens == 200


def test_the_longest_prefix_wins_over_both_tiers():
    cached = Cached(settings=LITTLE_RAM)
    cached.put("a", A)
    cached.cache.shrink(0)
    assert cached.cache.report().ram_bytes == 0
    warm = cached.reopened(ROOMY)
    warm.put("b", [*A[:300], *text(9, 50)])
    assert warm.find("c", [*A, 1]).num_tokens == 1000


def test_a_page_is_cut_where_the_text_leaves_it():
    cached = Cached()
    cached.put("a", A)
    assert cached.find("b", [*A[:391], *text(3, 40)]).num_tokens == 391


def test_an_exact_stream_is_restored_at_checkpoints_alone():
    cached = Cached()
    cached.put("a", A[:300], is_exact=True, is_boundary=True)
    cached.put("a", A, is_exact=True)
    assert cached.find("a", [*A, 1], is_exact=True).num_tokens == 1000
    assert cached.find("a", A, is_exact=True).num_tokens == 300
    assert cached.find("a", A[:300], is_exact=True).num_tokens == 0
    assert cached.reopened().find("a", A[:301], is_exact=True).num_tokens == 300


def test_a_prefix_shorter_than_a_stream_s_minimum_is_no_hit():
    cached = Cached()
    cached.put("a", A[:20])
    answers: list[Found] = []
    cached.cache.find(Wanted(1, "a", (StreamWanted(STREAM, minimum=21),), tuple(A)), answers.append)
    assert answers[0].states == (None,)
    cached.cache.find(Wanted(2, "a", (StreamWanted(STREAM, minimum=20),), tuple(A)), answers.append)
    assert answers[1].num_tokens == 20


def test_a_branch_shares_pages_and_writes_only_what_is_new():
    cached = Cached()
    cached.put("a", A)
    before = cached.disk.written_bytes
    cached.put("b", [*A[:512], *text(4, 100)])
    assert cached.cache.missing_from(STREAM, [*A[:512], *text(4, 200)]) == 612
    assert cached.disk.written_bytes - before < 0.15 * before


def test_what_is_written_grows_with_new_tokens():
    cached, chat, written = Cached(), text(1, 200), []
    for turn in range(20):
        assert cached.find("a", chat).num_reread == 0
        cached.put("a", chat, is_boundary=True)
        before = cached.disk.written_bytes
        chat = [*chat, *text(turn + 2, 200)]
        cached.put("a", chat)
        written.append(cached.disk.written_bytes - before)
    assert max(written) <= 1.1 * min(written)


def test_two_chats_that_begin_alike_each_restore_their_own():
    cached, chats = Cached(), {name: [*A[:100], *text(number, 60)] for number, name in enumerate("ab", start=7)}
    for turn in range(10):
        for name, chat in chats.items():
            found = cached.find(name, chat)
            assert found.num_tokens >= (len(chat) - 61 if turn else 0)
            cached.put(name, chat)
            chat += text(100 * turn + ord(name), 60)
            cached = cached.reopened()


def test_finds_before_the_folder_is_open_wait_for_it():
    first = Cached()
    first.put("a", A)
    first.cache.close(1.0)
    cached = Cached(first.disk, is_held=True)
    assert cached.find("a", [*A, 1]).num_tokens == 1000


def test_an_end_before_the_folder_is_open_answers_deletions_as_those_that_were_not_made():
    cached, done = Cached(is_held=True), []
    cached.cache.forget("a", lambda: done.append(cached.cache.is_read_only))
    cached.cache.clear(lambda: done.append(cached.cache.is_read_only))
    assert not done
    cached.cache.close(1.0)
    assert done == [True, True]


def test_a_find_that_is_dropped_is_not_answered():
    first = Cached()
    first.put("a", A)
    first.cache.close(1.0)
    cached = Cached(first.disk, is_held=True)
    cached.storage.work()
    answers: list[Found] = []
    cached.cache.find(Wanted(1, "a", (StreamWanted(STREAM),), tuple(A)), answers.append)
    cached.cache.drop(1)
    cached.storage.work()
    assert not answers
    assert cached.find("a", A).num_tokens == 999


def test_a_drafter_s_state_is_found_beside_the_target_s_and_never_beyond_it():
    cached, drafter = Cached(), stream("d", kind="drafter")
    cached.put("a", A[:600])
    cached.put("a", A[:900], drafter)
    answers: list[Found] = []
    wanted = (StreamWanted(STREAM), StreamWanted(drafter))
    cached.reopened().cache.find(Wanted(1, "a", wanted, tuple(A)), answers.append)
    target, companion = answers[0].states
    assert (target.num_tokens, companion.num_tokens) == (600, 600)
    assert_restored(companion, A)


def test_another_drafter_keeps_the_target_s_part():
    cached = Cached()
    cached.put("a", A)
    answers: list[Found] = []
    wanted = (StreamWanted(STREAM), StreamWanted(stream("other", kind="drafter")))
    cached.cache.find(Wanted(1, "a", wanted, tuple(A)), answers.append)
    assert answers[0].num_tokens == 999
    assert answers[0].states[1] is None


def test_state_of_another_length_than_its_tokens_is_refused():
    with pytest.raises(AssertionError, match="state of 10 tokens put for 11"):
        Cached().cache.put(STREAM, "a", A[:11], state_of(A[:10]))


def test_arrays_that_do_not_reach_what_is_held_are_refused():
    with pytest.raises(AssertionError, match="arrays begin at 5, and are needed from 0"):
        Cached().cache.put(STREAM, "a", A[:11], state_of(A[:11], start=5))


def num_lines_run(call: Callable[[], None]) -> int:
    """Lines of the tree and what decides over it that a call goes through."""
    lines: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> Any:
        lines[event] += frame.f_code.co_filename.endswith(MODULES)
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines["line"]


def work_of_put(num_pages: int, budget_bytes: int) -> int:
    """Of a chat with so many pages, where another takes much of the budget and no write has ended."""
    cached = Cached(settings=CacheSettings(ram_bytes=1 << 30, budget_bytes=budget_bytes))
    cached.put("other", text(1, 50_000))
    cached.storage.is_held = True
    return num_lines_run(lambda: cached.put("a", text(2, 256 * num_pages)))


@pytest.mark.parametrize("budget_bytes", [1 << 30, 4_000_000])
def test_a_text_eight_times_as_long_is_about_eight_times_the_work(budget_bytes: int):
    assert work_of_put(160, budget_bytes) < 12 * work_of_put(20, budget_bytes)
