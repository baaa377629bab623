import sys

import pytest

from app.conversations.reasoning import split_reasoning
from engine.messages import KNOWN_TAGS, ReasoningTags
from tests.reasoning_cases import Case, bare, read_cases

PLAIN = "use std::vector<int> and <div onclick=x> and &amp; <think>"
HARMONY = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes."


def parts_of(text, *args, **options):
    return [(part.kind, text[part.start : part.end]) for part in split_reasoning(text, *args, **options)]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.text)
def test_parts_are_those_of_the_table(case: Case):
    assert bare(parts_of(case.text, case.opening, case.tags)) == case.parts


@pytest.mark.parametrize("tags", KNOWN_TAGS)
def test_reasoning_between_known_tags_is_found(tags):
    text = f"{tags.opening}\nHm.\n{tags.closing}\n\nYes."
    assert parts_of(text) == [("reasoning", "Hm."), ("answer", "Yes.")]


def test_tags_that_a_tokenizer_names_are_found():
    tags = (ReasoningTags("<<muse>>", "<</muse>>"),)
    assert parts_of("<<muse>>a<</muse>>b", tags=tags) == [("reasoning", "a"), ("answer", "b")]
    assert parts_of("<<muse>>a<</muse>>b") == [("answer", "<<muse>>a<</muse>>b")]


@pytest.mark.parametrize("text", [PLAIN, "", " ", "Yes.</think>", "```\n<think>\n```", "<thinker>a</thinker>"])
def test_text_like_tags_is_text(text):
    assert parts_of(text) == ([("answer", text)] if text else [])


@pytest.mark.parametrize("opening", ["<think>", "<think>\n", "<reflect>\n", "[HM]"])
def test_reasoning_that_the_prompt_opened_ends_in_the_text(opening):
    closing = {"<": "</", "[": "[/"}[opening[0]] + opening.strip()[1:]
    assert parts_of(f"Hm.\n{closing}\nYes.", opening) == [("reasoning", "Hm."), ("answer", "Yes.")]


def test_reasoning_that_is_not_closed_is_open():
    (part,) = split_reasoning("<think>Hello! How are you?")
    assert (part.kind, part.start, part.is_open) == ("reasoning", 7, True)
    assert split_reasoning("", "<think>\n")[0].is_open


def test_reasoning_without_a_word_is_no_part():
    assert parts_of("<think>\n\n</think>\n\n    code") == [("answer", "    code")]
    assert parts_of("Yes.", "<think>\n\n</think>\n\n") == [("answer", "Yes.")]


def test_reasoning_may_follow_reasoning_but_no_answer():
    text = "<think>a</think>\n<think>b</think>c <think>d</think>"
    assert parts_of(text) == [("reasoning", "a"), ("reasoning", "b"), ("answer", "c <think>d</think>")]


@pytest.mark.parametrize("ending", ["", "<|return|>", "<|end|>"])
def test_channels_are_told_apart(ending):
    assert parts_of(HARMONY + ending) == [("reasoning", "Hm."), ("answer", "Yes.")]


def test_commentary_is_an_answer_and_channels_may_follow_it():
    text = f"<|channel|>commentary<|message|>I look it up.<|end|><|start|>assistant{HARMONY}"
    assert parts_of(text) == [("answer", "I look it up."), ("reasoning", "Hm."), ("answer", "Yes.")]


def test_a_final_message_may_write_of_channels():
    text = f"<|channel|>final<|message|>Write `{HARMONY}`, then stop."
    assert parts_of(text) == [("answer", f"Write `{HARMONY}`, then stop.")]


def test_a_channel_that_the_prompt_opened_ends_in_the_text():
    text = "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes."
    assert parts_of(text, "<|channel|>analysis<|message|>") == [("reasoning", "Hm."), ("answer", "Yes.")]


@pytest.mark.parametrize(
    "text", ["\n<think>\nHm.</think>\n \nYes. </thi", HARMONY, "<|channel>thought\nHm.<channel|> Yes.", PLAIN]
)
def test_no_part_of_a_growing_text_shrinks_or_changes_its_kind(text):
    before = ()
    for size in range(len(text) + 1):
        parts = split_reasoning(text[:size], is_growing=True)
        assert [part.kind for part in parts[: len(before)]] == [part.kind for part in before]
        assert all(part.start == old.start for part, old in zip(parts, before, strict=False) if old.end > old.start)
        before = parts
    assert before == split_reasoning(text, is_growing=False)


def test_many_parts_and_long_ones_are_split_in_one_pass():
    unit = "<|channel|>analysis<|message|>x<|end|>"
    assert len(split_reasoning(unit * 20_000)) == 20_000
    assert len(split_reasoning("<think>" + "</thin" * 200_000)) == 1


def test_an_answer_behind_many_blank_lines_is_one_while_it_grows():
    assert parts_of("\n" * 700 + "Yes", is_growing=True) == [("answer", "\n" * 700 + "Yes")]
    assert parts_of("\n" * 700 + "<thi", is_growing=True) == []


@pytest.mark.parametrize("before", ["", "<think>", "<think>Hm.</think>"])
def test_blank_lines_are_passed_over_at_once(before, count_steps):
    text = before + "\n" * 50_000
    assert count_steps(lambda: split_reasoning(text, is_growing=True)) < 1000
    assert count_steps(lambda: split_reasoning(text + "</think>Yes.", is_growing=True)) < 1000


@pytest.fixture
def count_steps():
    """How many lines of Python a call runs."""

    def count(call):
        num_lines = 0

        def note(frame, event, argument):
            nonlocal num_lines
            num_lines += event == "line"
            return note

        before = sys.gettrace()
        sys.settrace(note)
        try:
            call()
        finally:
            sys.settrace(before)
        return num_lines

    return count
