"""Why tokens are read again: counted, and told by a cause that is true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.prompt_cache import reasons
from engine.prompt_cache.entries import Stream
from engine.prompt_cache.hashes import token_bytes
from engine.prompt_cache.owners import Read
from engine.prompt_cache.reasons import Restored, difference, explain, sentence
from tests.engine.prompt_cache.chats import ROOMY, STREAM, Cached, stream, text

A = text(1, 1000)


def restored(num_tokens: int, read: list[int] | None, prompt: list[int], of: Stream = STREAM, **others) -> Restored:
    known = None if read is None else Read(of, token_bytes(read))
    num_old = others.pop("num_old", 0)
    return Restored(STREAM, token_bytes(prompt), num_tokens, num_old, known, known, **others)


def test_nothing_is_read_again_in_a_first_turn():
    assert explain(restored(0, None, A)) == (0, "", "")


def test_nothing_is_read_again_where_a_turn_goes_on_and_the_template_adds_to_it():
    assert explain(restored(900, A[:900], A, num_old=903)) == (0, "", "")


def test_what_a_killed_program_had_not_saved_is_told():
    num_reread, code, text_told = explain(restored(600, A[:600], A, num_old=950))
    assert (num_reread, code) == (350, reasons.UNSAVED)
    assert text_told == "350 tokens were read again: they had not been saved when the program ended."


def test_a_regenerated_prompt_reads_its_last_token_alone():
    assert explain(restored(999, A, A)) == (0, "", "")


def test_an_edited_last_message_is_no_reading_again():
    edited = [*A[:800], *text(2, 50)]
    assert explain(restored(800, A, edited, num_old=790)) == (0, "", "")


def test_a_text_that_changed_before_the_last_message_is_told_with_its_place():
    changed = [*A[:300], *text(2, 700)]
    num_reread, code, text_told = explain(restored(300, A, changed, num_old=900))
    assert (num_reread, code) == (600, reasons.TEXT_CHANGED)
    assert "600 tokens were read again: the chat's text changed at token 300 " in text_told


def test_a_text_that_changed_may_be_another_preset_s_system_prompt():
    """The tokens alone do not tell which part of the chat changed, so each that may have is named."""
    told = sentence(reasons.TEXT_CHANGED, 600, 6)
    assert all(part in told for part in ("an edit", "the system prompt", "the template"))


def test_another_template_is_the_cause_where_the_text_changed():
    changed = [*A[:5], *text(2, 900)]
    _, code, text_told = explain(restored(5, A, changed, num_old=900, has_new_template=True))
    assert code == reasons.TEMPLATE_CHANGED
    assert text_told == "895 tokens were read again: the chat is written with another template."


def test_another_branch_that_is_there_is_no_reading_again():
    other = [*A[:300], *text(2, 700)]
    assert explain(restored(897, A, other, num_old=900, is_end=True)) == (0, "", "")


def test_a_branch_that_went_is_told_as_one():
    read = Read(STREAM, token_bytes(A), reasons.OLD_BRANCH)
    other = [*A[:300], *text(2, 700)]
    facts = replace(restored(300, A, other, num_old=900), own=read, latest=read)
    assert explain(facts)[:2] == (600, reasons.OLD_BRANCH)


@pytest.mark.parametrize("loss", [reasons.BUDGET, reasons.RAM_EVICTED, reasons.DAILY_LIMIT, reasons.CLEARED])
def test_what_was_noted_when_it_went_is_told(loss: str):
    read = Read(STREAM, token_bytes(A), loss)
    facts = replace(restored(500, A, [*A, 1], num_old=1000), own=read, latest=read)
    assert explain(facts)[:2] == (500, loss)


def test_a_chat_that_the_cache_knows_nothing_of_is_told_as_one():
    assert explain(restored(0, None, A, num_old=800))[:2] == (800, reasons.NOT_STORED)


def test_a_place_without_a_checkpoint_is_told_as_one():
    assert explain(restored(300, A, A, has_more=True))[:2] == (699, reasons.NOT_RESTORABLE)


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        ("model", reasons.OTHER_MODEL),
        ("weights", reasons.MODEL_CHANGED),
        ("tokenizer", reasons.MODEL_CHANGED),
        ("kv", reasons.OTHER_KV),
        ("version", reasons.OTHER_VERSION),
        ("adapter", reasons.MODEL_CHANGED),
    ],
)
def test_the_cause_of_another_stream_is_what_differs(fact: str, code: str):
    assert difference(stream(**{fact: "before"}), STREAM) == code


def test_a_change_of_precision_is_told_and_a_change_back_finds_what_was_saved():
    cached, packed = Cached(), stream(kv="8")
    cached.put("a", A[:800])
    found = cached.find("a", A, packed, num_old=803)
    assert (found.num_tokens, found.num_reread, found.code) == (0, 800, reasons.OTHER_KV)
    cached.put("a", A, packed)
    found = cached.reopened().find("a", [*A, 1], num_old=1000)
    assert (found.num_tokens, found.num_reread, found.code) == (800, 200, reasons.OTHER_KV)


def test_a_model_changed_in_place_is_told():
    cached = Cached()
    cached.put("a", A)
    found = cached.reopened().find("a", [*A, 1], stream(weights="others"), num_old=1000)
    assert found.reason == "1,000 tokens were read again: the model's files changed."


def test_another_tokenizer_s_tokens_are_not_compared():
    cached = Cached()
    cached.put("a", A)
    found = cached.find("a", [*A, 1], stream("n", tokenizer="u"), num_old=700)
    assert (found.num_reread, found.code) == (700, reasons.OTHER_MODEL)


def test_an_evicted_chat_is_told_by_the_budget():
    cached = Cached(settings=replace(ROOMY, ram_bytes=1, budget_bytes=60_000))
    cached.put("a", A)
    for number in range(2, 8):
        cached.put(str(number), text(number, 1000))
    assert cached.find("a", [*A, 1]).code == reasons.BUDGET


def test_what_left_memory_unsaved_is_told():
    cached = Cached()
    cached.disk.is_read_only = True
    cached = cached.reopened()
    cached.put("a", A)
    cached.cache.shrink(1 << 30)
    assert cached.find("a", [*A, 1]).code == reasons.RAM_EVICTED


def test_one_token_is_one_and_thousands_are_grouped():
    assert sentence(reasons.CORRUPT, 1).startswith("1 token was read again: ")
    assert sentence(reasons.CORRUPT, 1204).startswith("1,204 tokens were read again: ")


def test_a_branch_that_was_evicted_is_told_when_the_user_returns_to_it():
    cached = Cached(settings=replace(ROOMY, ram_bytes=1, budget_bytes=80_000))
    old, current = ([*A[:256], *text(number, 500)] for number in (2, 3))
    cached.put("a", old)
    cached.put("a", current)
    cached.put("b", text(4, 256))
    assert cached.find("a", [*current, 1], num_old=len(current)).num_reread == 0
    found = cached.find("a", [*old, 1], num_old=len(old))
    assert (found.num_reread > 0, found.code) == (True, reasons.OLD_BRANCH)


def test_a_branch_that_was_left_in_a_window_model_is_counted_and_told_when_it_is_read_again():
    cached = Cached()
    left, edited = [*A[:100], *text(2, 1000)], [*A[:100], *text(3, 50)]
    for prompt in (A[:100], left, edited):
        cached.find("a", prompt, is_exact=True, num_old=100)
        cached.put("a", prompt[:100], is_exact=True, is_boundary=True)
        cached.put("a", prompt, is_exact=True)
    found = cached.find("a", [*left, 1], is_exact=True, num_old=1100)
    assert (found.num_tokens, found.num_reread) == (100, 1000)
    assert found.reason.startswith("1,000 tokens were read again: ")


def test_reading_again_that_is_stopped_early_is_told_as_such_the_next_time_too():
    cached = Cached(settings=replace(ROOMY, ram_bytes=1, budget_bytes=160_000))
    cached.put("a", A)
    for number in range(2, 8):
        cached.put(str(number), text(number, 1000))
    assert cached.find("a", [*A, 1], num_old=1000).num_reread == 1000
    cached.put("a", A[:100])
    found = cached.find("a", [*A, 1], num_old=1000)
    assert (found.num_tokens, found.num_reread, found.code) == (100, 900, reasons.BUDGET)
