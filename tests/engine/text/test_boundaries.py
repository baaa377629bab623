"""Boundaries: where the prompt of an edited, a repeated or a next turn goes on from this one."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from engine.messages import Turn
from engine.text.prompt import Prompt, build_prompt
from engine.text.splicing import num_equal
from engine.text.tokenizer import Tokenizer
from tests.engine.text.small_tokenizers import (
    CHATML,
    LLAMA2,
    NO_SYSTEM,
    TRIMMING,
    byte_tokenizer,
    reply,
    sentence_tokenizer,
    spelled,
)

DROPPED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' and '</think>' in m.content %}"
    "{{ m.content.split('</think>')[-1].lstrip('\n') }}{% else %}{{ m.content }}{% endif %}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)
CLOSED = DROPPED + "{{ '<think>\n\n</think>\n\n' }}"
OPENED = DROPPED + "{{ '<think>\n' }}"
SYSTEM_LAST = (
    "{% for m in messages %}{% if m.role == 'user' %}<|im_start|>{% if loop.last %}"
    "{{ messages[0].content }}\n{% endif %}{% elif loop.first %}{% continue %}{% endif %}"
    "{{ m.content }}<|im_end|>{% endfor %}"
)
COUNTING = "{{ messages | length }} messages\n" + CHATML
FEW = "{% if messages | length > 3 %}{{ raise_exception('too many') }}{% endif %}" + CHATML
SYSTEM, QUESTION = Turn("system", "Be brief."), Turn("user", "the low")
TOKENIZERS = {
    "plain": byte_tokenizer(CHATML),
    "no template": sentence_tokenizer(""),
    "trims": byte_tokenizer(TRIMMING),
    "drops thinking": byte_tokenizer(DROPPED),
    "closes thinking": byte_tokenizer(CLOSED),
    "opens thinking": byte_tokenizer(OPENED),
    "folds the system prompt": byte_tokenizer(NO_SYSTEM),
    "writes the system prompt last": byte_tokenizer(SYSTEM_LAST),
    "counts": byte_tokenizer(COUNTING),
    "llama 2": sentence_tokenizer(LLAMA2),
}
EDITS = ("a", "The low", "the lows", "yes", "1")
ANSWERS = ("a", "Yes.", "<think>\nwhy\n</think>\n\nthe", "why\n</think>\n\nthe")


def chat(tokenizer: Tokenizer, *more: Turn) -> tuple[Turn, ...]:
    return (SYSTEM, Turn("user", "Hi"), reply(tokenizer, "He"), *more)


def shared(prompt: Prompt, tokenizer: Tokenizer, *turns: Turn) -> int:
    return num_equal(prompt.token_ids, build_prompt(tokenizer, turns, 2).token_ids)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_what_an_edit_keeps_is_known(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    prompt = build_prompt(tokenizer, chat(tokenizer, QUESTION), 1)
    kept = [shared(prompt, tokenizer, *chat(tokenizer, Turn("user", text))) for text in EDITS]
    assert prompt.num_old == min(kept)
    assert prompt.num_old in prompt.boundaries or prompt.num_old == 0


@pytest.mark.parametrize("name", TOKENIZERS)
def test_what_the_next_turn_keeps_whatever_the_reply_is_known(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    prompt = build_prompt(tokenizer, chat(tokenizer, QUESTION), 1)
    num_tokens, kept = len(prompt.token_ids), []
    for text in ANSWERS:
        said = reply(tokenizer, text, tuple(tokenizer.encode(text, inert=True)))
        later = build_prompt(tokenizer, chat(tokenizer, QUESTION, said, Turn("user", "a")), 2).token_ids
        if later[: num_tokens + len(said.token_ids)] != prompt.token_ids + said.token_ids:
            kept.append(min(num_equal(prompt.token_ids, later), num_tokens - 1))
    expected = {prompt.num_old, min(kept, default=0)} - {0}
    assert prompt.boundaries == tuple(sorted(expected))


@pytest.mark.parametrize("template", [DROPPED, CLOSED, OPENED, CHATML])
def test_o32_five_turns_with_thinking_read_the_last_reply_and_the_new_turn_again_at_most(template: str) -> None:
    tokenizer = byte_tokenizer(template)
    thought = "why the low\n</think>\n\n" if template == OPENED else "<think>\nwhy the low\n</think>\n\n"
    turns, before, generated = [SYSTEM, QUESTION], None, ()
    for number in range(5):
        prompt = build_prompt(tokenizer, turns, 1)
        if before is not None:
            num_kept = num_equal(prompt.token_ids, (*before.token_ids, *generated))
            assert num_kept >= max(before.boundaries)
            assert num_kept >= len(before.token_ids) - 20
            assert spelled(tokenizer, f"The {number - 1}") in windows(prompt.token_ids, len("The 0"))
        said = reply(tokenizer, f"{thought}The {number}")
        turns += [said, Turn("user", f"the low {number}")]
        before, generated = prompt, said.token_ids


def windows(token_ids: tuple[int, ...], size: int) -> set[tuple[int, ...]]:
    return {token_ids[start : start + size] for start in range(len(token_ids))}


def test_state_at_the_end_of_the_prompt_is_saved_one_token_before_where_the_reply_will_change() -> None:
    tokenizer = byte_tokenizer(DROPPED)
    prompt = build_prompt(tokenizer, chat(tokenizer, QUESTION), 1)
    assert prompt.boundaries == (prompt.num_old, len(prompt.token_ids) - 1)


def test_a_continued_reply_has_the_boundaries_of_the_prompt_before_it() -> None:
    tokenizer = byte_tokenizer(CLOSED)
    before = build_prompt(tokenizer, chat(tokenizer, QUESTION), 1)
    prompt = build_prompt(tokenizer, chat(tokenizer, QUESTION, reply(tokenizer, "the lo")), 1)
    assert (prompt.num_old, prompt.boundaries) == (before.num_old, before.boundaries)


def test_a_template_that_refuses_longer_chats_has_the_boundaries_that_it_can_have() -> None:
    tokenizer = byte_tokenizer(FEW)
    prompt = build_prompt(tokenizer, [SYSTEM, QUESTION], 1)
    assert prompt.boundaries == (prompt.num_old,)
    assert prompt.num_old > 0


def test_a_prompt_without_any_common_part_has_no_boundaries() -> None:
    prompt = build_prompt(byte_tokenizer("{{ messages[-1].content }}"), [Turn("user", "the low")], 1)
    assert (prompt.num_old, prompt.boundaries) == (0, ())


def test_o33_a_chat_keeps_the_date_that_it_began_with() -> None:
    tokenizer = byte_tokenizer("{{ strftime_now('%d %b %Y %H:%M') }}\n" + CHATML)
    began_at = datetime(2026, 11, 30, 23, 59)
    first = build_prompt(tokenizer, [QUESTION], 1, began_at=began_at.timestamp())
    turns = [QUESTION, reply(tokenizer, "He"), Turn("user", "a")]
    second = build_prompt(tokenizer, turns, 1, began_at=began_at.timestamp())
    other = build_prompt(tokenizer, turns, 1, began_at=(began_at + timedelta(minutes=2)).timestamp())
    assert tokenizer.decode(first.token_ids).startswith("30 Nov 2026 23:59")
    assert tokenizer.decode(other.token_ids).startswith("01 Dec 2026 00:01")
    assert second.token_ids[: len(first.token_ids)] == first.token_ids


@pytest.mark.parametrize("began_at", [0.0, 1e30, float("nan"), float("inf"), -1e18])
def test_a_chat_that_began_at_no_time_has_the_present_date(began_at: float) -> None:
    prompt = build_prompt(byte_tokenizer("{{ strftime_now('%Y') }}" + CHATML), [QUESTION], 1, began_at=began_at)
    assert byte_tokenizer().decode(prompt.token_ids[:4]) == str(datetime.now().year)
