"""Switches: the variables of a template that steer thinking, what they may be, and that they reach the prompt."""

from __future__ import annotations

import pytest

from engine.messages import TemplateSwitch, Turn
from engine.text.prompt import build_prompt
from engine.text.splicing import num_equal
from engine.text.switches import MAX_NAMES, find_switches
from tests.engine.text.small_tokenizers import CHATML, byte_tokenizer, reply

ASKED = Turn("user", "the low")
THINKING, BARE = ("enable_thinking", ("on", "off")), ("thinking", ("on", "off"))
EFFORT = "reasoning_effort"
SET_ON = "{% if enable_thinking is not defined %}{% set enable_thinking = true %}{% endif %}"
SET_OFF = "{% if not thinking is defined %}{% set thinking = false %}{% endif %}"
SAID = "{{ 1 if thinking else 0 }}"
UNLESS_SYSTEM = "{% if messages[0].role != 'system' and thinking %}Think.{% endif %}"
CLOSED = "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}"
OPENED = "{{ '<think>\n' if enable_thinking else '<think>\n\n</think>\n\n' }}"
WRITTEN = "{% macro s() %}{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}"
CHECKED = (
    "{% set reasoning_effort = reasoning_effort if reasoning_effort is defined else 'none' %}"
    "{% if reasoning_effort not in ['none', 'high'] %}{{ raise_exception('unknown') }}{% endif %}"
)


@pytest.mark.parametrize(
    ("source", "name", "values", "default"),
    [
        (CHATML + CLOSED, *THINKING, "on"),
        (CHATML + OPENED, *THINKING, "off"),
        (SET_ON + OPENED, *THINKING, "on"),
        (CHATML + "{{ '<think>' if enable_thinking | default(true) else '' }}", *THINKING, "on"),
        (SET_OFF + SAID, *BARE, "off"),
        ("{% if not thinking is defined %}{% set thinking = enable_thinking %}{% endif %}" + SAID, *THINKING, "off"),
        (UNLESS_SYSTEM + CHATML, *BARE, "off"),
        (WRITTEN + "{{ reasoning_effort }}{% endmacro %}{{ s() }}", EFFORT, ("low", "medium", "high"), "medium"),
        (CHECKED + "{{ reasoning_effort }}" + CHATML, EFFORT, ("none", "high"), "none"),
        ("{% if reasoning_effort == 'max' %}Long.{% endif %}" + CHATML, EFFORT, ("low", "max"), "low"),
        ("{% if thinking_mode == 'on' %}a{% else %}b{% endif %}", "thinking_mode", ("off", "on"), "off"),
    ],
)
def test_a_switch_is_found_with_its_values_and_its_default(
    source: str, name: str, values: tuple[str, ...], default: str
) -> None:
    assert find_switches(source) == (TemplateSwitch(name, values, default),)


def test_a_switch_that_needs_another_one_is_found() -> None:
    inner = "{% if reasoning_effort == 'max' %}Long.{% endif %}"
    assert find_switches(CHATML + "{% if enable_thinking is true %}<think>" + inner + "{% endif %}") == (
        TemplateSwitch(*THINKING, "off"),
        TemplateSwitch(EFFORT, ("low", "max"), "low"),
    )


@pytest.mark.parametrize(
    "source",
    [
        CHATML,
        "",
        "{% if %}",
        "{{ enable_thinking }}" + CHATML,
        "{% if thinking_budget is defined and thinking_budget > 0 %}{{ thinking_budget }}{% endif %}" + CHATML,
        "{% if tools and enable_thinking %}a{% endif %}" + CHATML,
        "{% if preserve_thinking %}a{% endif %}" + CHATML,
        "{% if enable_images %}a{% endif %}" + CHATML,
        "{% for m in messages %}{% if m.role == 'assistant' and enable_thinking %}a{% endif %}b{% endfor %}",
        "{% set enable_thinking = true %}{{ 'a' if enable_thinking else 'b' }}",
        "{{ raise_exception('no') if enable_thinking else raise_exception('never') }}",
    ],
)
def test_what_does_not_steer_the_next_reply_s_thinking_is_no_switch(source: str) -> None:
    assert find_switches(source) == ()


def test_a_template_that_never_ends_is_given_up() -> None:
    endless = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    uses = "".join(f"{{% if think_{number} %}}a{{% endif %}}" for number in range(50))
    assert find_switches(endless + uses) == ()


DEEP = "{{ thinking " + "+ 'a' " * 3000 + "}}"


def test_a_template_that_is_nested_without_end_has_no_switches_and_is_not_used() -> None:
    tokenizer = byte_tokenizer(DEEP)
    assert find_switches(DEEP) == ()
    prompt = build_prompt(tokenizer, [ASKED], 1, switches=(("thinking", "on"),))
    assert "nested too deeply" in prompt.notices[0].text
    assert tokenizer.decode(prompt.token_ids).startswith("user\nthe low")


def test_of_many_variables_the_first_are_looked_at() -> None:
    names = [f"think_{number:03}" for number in range(MAX_NAMES + 20)]
    found = find_switches("x" + "".join(f"{{% if {name} %}}{name}{{% endif %}}" for name in names))
    assert [switch.name for switch in found] == names[:MAX_NAMES]


def text_of(template: str, *switches: tuple[str, str]) -> str:
    tokenizer = byte_tokenizer(template)
    return tokenizer.decode(build_prompt(tokenizer, [ASKED], 1, switches=switches).token_ids)


def test_chosen_values_reach_the_template_as_what_it_takes() -> None:
    assert text_of(CHATML + CLOSED, ("enable_thinking", "off")).endswith("<think>\n\n</think>\n\n")
    assert text_of(CHATML + CLOSED, ("enable_thinking", "on")).endswith("assistant\n")
    assert text_of(CHECKED + "{{ reasoning_effort }}" + CHATML, ("reasoning_effort", "high")).startswith("high")
    assert text_of("{{ 'a' if thinking_mode == 'on' else 'b' }}", ("thinking_mode", "on")) == "a"


@pytest.mark.parametrize("chosen", [("enable_thinking", "loud"), ("messages", "on"), ("bos_token", "x"), ("", "")])
def test_what_a_template_does_not_offer_changes_nothing(chosen: tuple[str, str]) -> None:
    assert text_of(CHATML + CLOSED, chosen) == text_of(CHATML + CLOSED)


@pytest.mark.parametrize("value", ["on", "off"])
def test_boundaries_are_those_of_the_chosen_prompt(value: str) -> None:
    tokenizer, chosen = byte_tokenizer(CHATML + CLOSED), (("enable_thinking", value),)
    turns = (ASKED, reply(tokenizer, "He"), Turn("user", "low"))
    prompt = build_prompt(tokenizer, turns, 1, switches=chosen)
    later = (*turns, reply(tokenizer, "the"), Turn("user", "a"))
    kept = num_equal(prompt.token_ids, build_prompt(tokenizer, later, 2, switches=chosen).token_ids)
    edited = build_prompt(tokenizer, (*turns[:2], Turn("user", "yes")), 3, switches=chosen)
    assert prompt.num_old == num_equal(prompt.token_ids, edited.token_ids)
    assert set(prompt.boundaries) == {prompt.num_old} | ({kept} if kept < len(prompt.token_ids) else set())
