"""Reasoning: its tags are text of a reply, a template gets it as it wants it, a prompt that opens it says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.messages import ReasoningTags, Turn
from engine.text.detokenizer import shown_text
from engine.text.prompt import build_prompt
from engine.text.reasoning import CHANNELS as CHANNEL_TAGS
from engine.text.reasoning import find_bodies, find_tags, named_tags, split_reply
from engine.text.splicing import num_equal
from engine.text.tokenizer import Tokenizer
from tests.engine.text.small_tokenizers import CHATML, byte_tokenizer
from tests.engine.text.thinking import (
    CHANNELS,
    GEMMA_CHANNELS,
    KEPT,
    OWN_FIELD,
    STRIPPED,
    TAGS,
    THINK,
    thinking_backend,
    thinking_tokenizer,
)
from tests.reasoning_cases import Case, bare, read_cases

ASKED, NEXT = Turn("user", "the low"), Turn("user", "a")
FINAL = "<|start|>assistant<|channel|>final<|message|>"
CHANNELLED = f"<|channel|>analysis<|message|>why the low<|end|>{FINAL}the low"

ANALYSIS = ("<|channel|>", "analysis", "<|message|>")
ANSWERED = ("<|end|>", "<|start|>", "assistant", "<|channel|>", "final", "<|message|>", "the low")


def generated(tokenizer: Tokenizer, *pieces: str) -> Turn:
    """A reply whose tags are tokens and whose other characters are a token each."""
    ids: list[int] = []
    for piece in pieces:
        is_tag = piece in (*TAGS, *CHANNELS, *GEMMA_CHANNELS, *THINK)
        for part in [piece] if is_tag else piece:
            ids += tokenizer.encode(part, inert=not is_tag, is_first=False)
    return Turn("assistant", "".join(pieces), tuple(ids), tokenizer.identity)


def channelled(tokenizer: Tokenizer) -> Turn:
    return generated(tokenizer, *ANALYSIS, "why the low", *ANSWERED)


def text_of(
    tokenizer: Tokenizer, ids: tuple[int, ...], tags: tuple[str, ...] = CHANNELS, *, is_special: bool = True
) -> str:
    return thinking_backend(tags, is_special).decode(list(ids), skip_special_tokens=False)


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.text)
def test_a_reply_is_split_as_in_the_table(case: Case) -> None:
    bodies = find_bodies(case.text, case.tags, case.opening)
    kinds = [("reasoning" if body.is_reasoning else "answer", case.text[body.start : body.end]) for body in bodies]
    assert bare(kinds) == case.parts


def test_reasoning_and_answer_keep_their_white_space() -> None:
    text = "<think>\nwhy\n</think>\n\nthe"
    assert split_reply(text, find_bodies(text, ())) == ("\nwhy\n", "\n\nthe")


def test_o54_text_like_tags_stays_where_it_stands() -> None:
    text = "use std::vector<int> and <div onclick=x> and &amp; <think>"
    assert [body.is_reasoning for body in find_bodies(text, ())] == [False]
    tokenizer = byte_tokenizer(CHATML)
    prompt = build_prompt(tokenizer, [ASKED, Turn("assistant", text), NEXT], 1)
    assert f"assistant\n{text}\nuser" in tokenizer.decode(prompt.token_ids)


@pytest.mark.parametrize(
    ("tokens", "pair"),
    [
        (TAGS, TAGS),
        (("[THINK]", "[/THINK]"), ("[THINK]", "[/THINK]")),
        (("<|START_THINKING|>", "<|END_THINKING|>"), ("<|START_THINKING|>", "<|END_THINKING|>")),
        (("◁think▷", "◁/think▷"), ("◁think▷", "◁/think▷")),
        (("<|think:start|>", "<|think:end|>"), ("<|think:start|>", "<|think:end|>")),
        (GEMMA_CHANNELS, ("<|channel>thought", "<channel|>")),
        (CHANNELS, ("<|channel|>analysis<|message|>", "<|end|>")),
    ],
)
def test_tags_are_found_among_the_tokens(tokens: tuple[str, ...], pair: tuple[str, str]) -> None:
    assert find_tags(["<|im_end|>", "<think>", *tokens]) == (ReasoningTags(*pair),)


def test_tags_are_found_in_the_tokenizer_s_settings() -> None:
    settings = {"eos_token": "e", "extra_special_tokens": {"think_start_token": "<a>", "think_end_token": "<b>"}}
    assert named_tags(settings) == (ReasoningTags("<a>", "<b>"),)
    assert named_tags({"think_start_token": "<a>", "think_end_token": 3, "think_token": "c"}) == ()


def test_tags_that_are_special_tokens_are_text_of_the_reply() -> None:
    tokenizer = thinking_tokenizer(OWN_FIELD)
    ids = channelled(tokenizer).token_ids
    assert tokenizer.reasoning == (CHANNEL_TAGS,)
    assert shown_text(tokenizer, ids) == tokenizer.decode(ids) == CHANNELLED


def test_other_special_tokens_and_ends_are_not_shown() -> None:
    tokenizer = thinking_tokenizer(OWN_FIELD)
    ids = [tokenizer.vocabulary()[name] for name in ("<|im_start|>", "<|endoftext|>", "<|return|>", "<|im_end|>")]
    assert shown_text(tokenizer, ids) == tokenizer.decode(ids) == ""
    assert shown_text(byte_tokenizer(), tokenizer.encode("<|end|>", inert=True)) == "<|end|>"


def test_a_template_with_a_field_for_thinking_gets_the_reply_apart_and_the_answer_s_own_ids() -> None:
    tokenizer = thinking_tokenizer(OWN_FIELD)
    said = channelled(tokenizer)
    prompt = build_prompt(tokenizer, [ASKED, said, NEXT], 1)
    text = text_of(tokenizer, prompt.token_ids)
    assert prompt.notices == ()
    assert text == (
        f"<|start|>user<|message|>the low<|end|>{FINAL}the low<|end|><|start|>user<|message|>a<|end|><|start|>assistant"
    )
    assert said.token_ids[-len("the low") :] in windows(prompt.token_ids, len("the low"))


def test_o32_thinking_in_channels_that_the_template_drops_costs_the_reply_alone() -> None:
    tokenizer = thinking_tokenizer(OWN_FIELD)
    said = channelled(tokenizer)
    prompt = build_prompt(tokenizer, [ASKED], 1)
    later = build_prompt(tokenizer, [ASKED, said, NEXT], 2)
    num_kept = num_equal(later.token_ids, (*prompt.token_ids, *said.token_ids))
    assert prompt.boundaries[-1] == len(prompt.token_ids) - 1 <= num_kept


def test_thinking_that_a_template_keeps_is_spliced_too() -> None:
    tokenizer = thinking_tokenizer(KEPT, TAGS, is_special=False)
    said = generated(tokenizer, "<think>", "why the low", "</think>", "the low")
    first = build_prompt(tokenizer, [ASKED], 1)
    later = build_prompt(tokenizer, [ASKED, said, NEXT], 2)
    known = (*first.token_ids, *said.token_ids)
    assert num_equal(later.token_ids, known) == len(known)


def test_thinking_that_the_prompt_opened_goes_into_its_field_too() -> None:
    tokenizer = thinking_tokenizer(KEPT + "{{ '<think>' }}", TAGS, is_special=False)
    said = generated(tokenizer, "why the low", "</think>", "the low")
    first = build_prompt(tokenizer, [ASKED], 1)
    later = build_prompt(tokenizer, [ASKED, said, NEXT], 2)
    known = (*first.token_ids, *said.token_ids)
    assert (first.opening, num_equal(later.token_ids, known)) == ("<think>", len(known))


OPENED = KEPT + "{{ '<think>' }}"
SPLIT = STRIPPED.replace("<channel|>", "</think>") + "{{ '<think>' }}"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (OPENED, "<think>why</think><|im_end|>"),
        (SPLIT, "<|im_end|>"),
        (CHATML + "{{ '<think>' }}", "<think>why</think><|im_end|>"),
    ],
)
@pytest.mark.parametrize("has_ids", [True, False])
def test_a_reply_that_was_stopped_in_its_thinking_is_no_answer(template: str, said: str, has_ids: bool) -> None:
    tokenizer = thinking_tokenizer(template, TAGS, is_special=False)
    stopped = replace(generated(tokenizer, "why"), opening="<think>")
    stopped = stopped if has_ids else replace(stopped, token_ids=(), tokenizer_id="another")
    prompt = build_prompt(tokenizer, [ASKED, stopped, NEXT], 1)
    assert f"<|im_start|>assistant\n{said}" in text_of(tokenizer, prompt.token_ids, TAGS, is_special=False)
    assert prompt.notices == ()


@pytest.mark.parametrize("template", [OPENED, CHATML])
def test_open_thinking_is_spliced_too(template: str) -> None:
    tokenizer = thinking_tokenizer(template, TAGS, is_special=False)
    stopped = replace(generated(tokenizer, "the low"), opening="<think>")
    prompt = build_prompt(tokenizer, [ASKED, stopped, NEXT], 1)
    assert stopped.token_ids in windows(prompt.token_ids, len(stopped.token_ids))


@pytest.mark.parametrize("template", [OPENED, SPLIT, CHATML])
def test_thinking_behind_an_opening_ends_at_its_tag(template: str) -> None:
    tokenizer = thinking_tokenizer(template, TAGS, is_special=False)
    said = replace(generated(tokenizer, "why", "</think>", "the low"), opening="<think>")
    told = build_prompt(tokenizer, [ASKED, replace(said, opening=""), NEXT], 1)
    assert build_prompt(tokenizer, [ASKED, said, NEXT], 1) == told


@pytest.mark.parametrize("opening", ["", "<think>"])
@pytest.mark.parametrize(
    ("template", "written"),
    [(OPENED, "<think>a </think> b</think>c </think> d"), (SPLIT, "c </think> d"), (CHATML, "a </think> b</think>c")],
)
def test_a_closing_tag_that_the_thinking_writes_of_ends_nothing(template: str, written: str, opening: str) -> None:
    tokenizer = thinking_tokenizer(template, TAGS, is_special=False)
    said = generated(tokenizer, "a <", "/think> b", "</think>", "c <", "/think> d")
    prompt = build_prompt(tokenizer, [ASKED, replace(said, opening=opening), NEXT], 1)
    text = text_of(tokenizer, prompt.token_ids, TAGS, is_special=False)
    assert f"<|im_start|>assistant\n{written}" in text
    assert prompt.token_ids.count(tokenizer.vocabulary()["</think>"]) == written.count("b</think>")


def test_a_channel_s_end_that_the_thinking_writes_of_ends_nothing() -> None:
    tokenizer = thinking_tokenizer(OWN_FIELD)
    said = generated(tokenizer, *ANALYSIS, "why <", "|end|> so", *ANSWERED)
    text = text_of(tokenizer, build_prompt(tokenizer, [ASKED, said, NEXT], 1).token_ids)
    assert f"{FINAL}the low<|end|>" in text
    assert "so" not in text


def test_an_opening_that_is_a_control_token_opens_nothing() -> None:
    tokenizer = thinking_tokenizer(OPENED, ("<s>", "</s>"))
    said = Turn("assistant", "why</s>the", opening="<s>")
    assert tokenizer.vocabulary()["</s>"] not in build_prompt(tokenizer, [ASKED, said, NEXT], 1).token_ids


def test_a_template_that_looks_for_tags_by_itself_finds_them() -> None:
    tokenizer = thinking_tokenizer(STRIPPED, GEMMA_CHANNELS)
    said = generated(tokenizer, "<|channel>", "thought\nwhy the low", "<channel|>", "the low")
    prompt = build_prompt(tokenizer, [ASKED, said, NEXT], 1)
    text = text_of(tokenizer, prompt.token_ids, GEMMA_CHANNELS)
    assert "<|im_start|>assistant\nthe low<|im_end|>" in text
    assert said.token_ids[-len("the low") :] in windows(prompt.token_ids, len("the low"))


@pytest.mark.parametrize("is_spelled", [False, True])
def test_a_tag_that_closes_what_the_prompt_opened_is_one_where_its_token_was_generated(is_spelled: bool) -> None:
    template = STRIPPED.replace("<channel|>", "[/THINK]") + "{{ '[THINK]' }}"
    tokenizer = thinking_tokenizer(template, THINK)
    said = generated(tokenizer, "why ", *("[/THINK]" if is_spelled else ["[/THINK]"]), "the low")
    prompt = build_prompt(tokenizer, [ASKED, said, NEXT], 1)
    written = "why [/THINK]the low" if is_spelled else "the low"
    assert f"<|im_start|>assistant\n{written}<|im_end|>" in text_of(tokenizer, prompt.token_ids, THINK)
    assert prompt.opening == "[THINK]"


def test_control_tokens_that_a_reply_spells_stay_characters() -> None:
    tokenizer = thinking_tokenizer(OWN_FIELD)
    said = Turn("assistant", "<|channel|>final<|message|>say <|im_end|>")
    prompt = build_prompt(tokenizer, [ASKED, said, NEXT], 1)
    assert tokenizer.vocabulary()["<|im_end|>"] not in prompt.token_ids
    assert tokenizer.vocabulary()["<|channel|>"] in prompt.token_ids


@pytest.mark.parametrize(
    ("tail", "opening"),
    [
        ("<think>\n", "<think>"),
        ("<think>", "<think>"),
        ("<think>\n\n</think>\n\n", ""),
        ("", ""),
        ("[THINK]", "[THINK]"),
    ],
)
def test_a_prompt_that_opens_the_thinking_says_so(tail: str, opening: str) -> None:
    tokenizer = byte_tokenizer(f"{CHATML}{{{{ {tail!r} }}}}")
    assert build_prompt(tokenizer, [ASKED], 1).opening == opening
    assert build_prompt(tokenizer, [ASKED, Turn("assistant", "the")], 1).opening == ""


def test_a_tag_that_the_user_typed_opens_nothing() -> None:
    prompt = build_prompt(byte_tokenizer("{{ messages[-1].content }}"), [Turn("user", "write <thinking>")], 1)
    assert prompt.opening == ""


def test_a_prompt_opens_the_thinking_whatever_tag_the_user_typed() -> None:
    tokenizer = byte_tokenizer(f"{CHATML}{{{{ '<think>\\n' }}}}")
    assert build_prompt(tokenizer, [Turn("user", "what does it mean: <think>")], 1).opening == "<think>"
    assert build_prompt(tokenizer, [Turn("user", "and <thinking>")], 1).opening == "<think>"


def windows(token_ids: tuple[int, ...], size: int) -> set[tuple[int, ...]]:
    return {token_ids[start : start + size] for start in range(len(token_ids))}
