"""Chat templates: fallbacks with a reason, and no template that can hold up the app."""

from __future__ import annotations

import sys
import time
from datetime import datetime

import pytest

from engine.messages import Turn
from engine.text.prompt import build_prompt
from engine.text.rendering import TemplateError
from engine.text.templates import render
from tests.engine.text.small_tokenizers import (
    CHATML,
    NO_SYSTEM,
    STRICT,
    byte_backend,
    byte_tokenizer,
    sentence_tokenizer,
)

USER = Turn("user", "Hi")


def built(template: str, *turns: Turn) -> tuple[str, list[str]]:
    prompt = build_prompt(byte_tokenizer(template), turns, 1)
    text = byte_backend().decode(list(prompt.token_ids), skip_special_tokens=False)
    return text, [notice.text for notice in prompt.notices]


def test_o08_a_refused_system_prompt_goes_into_the_first_message() -> None:
    text, notices = built(NO_SYSTEM, Turn("system", "Be brief."), USER)
    assert text == "<|im_start|>user\nBe brief.\n\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert len(notices) == 1
    assert "no system prompt" in notices[0]


def test_o09_a_reply_stopped_before_its_first_token_does_not_block_a_strict_template() -> None:
    text, notices = built(STRICT, USER, Turn("assistant", ""), Turn("user", "Again"))
    assert text == "<|im_start|>user\nHi\n\nAgain<|im_end|>\n<|im_start|>assistant\n"
    assert "joined" in notices[0]


def test_o09_system_and_alternation_refused_together() -> None:
    text, notices = built(STRICT, Turn("system", "S"), USER, Turn("user", "B"))
    assert text == "<|im_start|>user\nS\n\nHi\n\nB<|im_end|>\n<|im_start|>assistant\n"
    assert len(notices) == 2


def test_o10_the_clock_of_a_template_can_be_fixed() -> None:
    clock = lambda: datetime(2026, 1, 2)  # noqa: E731
    assert render(byte_tokenizer(), [], "{{ strftime_now('%d %b %Y') }}", clock=clock) == "02 Jan 2026"


def test_o11_without_a_template_chatml_is_used_where_its_tokens_exist_and_it_says_so() -> None:
    text, notices = built("", USER)
    assert text == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert "no chat template" in notices[0]


def test_o11_without_a_template_or_chatml_tokens_roles_are_written_out() -> None:
    tokenizer = sentence_tokenizer("")
    prompt = build_prompt(tokenizer, [USER], 1)
    assert tokenizer.decode(prompt.token_ids) == "User:\nHi\n\nAssistant:\n"
    assert prompt.notices[0].code == "template"


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{# never closed", 1),
        ("{{ messages }}\n{#", 2),
        ("{#-\n", 1),
        ("a\n{% for i in range(10**9) %}{% endfor %}", 2),
        ("a\n\n{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", 3),
        ("{{ 'x' * 10**12 }}", 1),
        ("{{ 9 ** (9 ** (9 ** 9)) }}", 1),
        ("\n{{ '{:1000000000}'.format(1) }}", 2),
        ("{{ '%1000000000d' % 1 }}", 1),
        ("{{ 'x' | center(10**9) }}", 1),
        ("{% set n = namespace(x='aaaa') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}", 1),
        ("{% set n = namespace(x='aa') %}{% for i in range(9) %}{% set n.x = n.x.replace('a', n.x) %}{% endfor %}", 1),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", 1),
    ],
)
def test_o13_a_bad_template_is_an_error_with_its_line_within_a_second(template: str, line: int) -> None:
    start, tracer = time.perf_counter(), sys.gettrace()
    with pytest.raises(TemplateError) as caught:
        render(byte_tokenizer(), [USER], template, limit_seconds=0.3)
    assert time.perf_counter() - start < 1
    assert caught.value.line == line
    assert sys.gettrace() is tracer


def test_an_unknown_failure_uses_the_plain_template_and_says_where_it_failed() -> None:
    text, notices = built("{{ bos_token }}\n{{ role.name }}", USER)
    assert text == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert notices == ["The model's template failed at line 2: `role` is undefined. The plain template was used."]


def test_a_template_that_writes_nothing_is_not_used() -> None:
    text, notices = built("{{ nothing }}", USER)
    assert "Hi" in text
    assert notices == ["The model's template failed: it writes nothing. The plain template was used."]


def test_a_template_cannot_leave_the_sandbox() -> None:
    with pytest.raises(TemplateError, match="unsafe"):
        render(byte_tokenizer(), [USER], "{{ ''.__class__.__mro__[1].__subclasses__() }}")


def test_what_hugging_face_templates_use_is_there() -> None:
    template = "{% generation %}{{ messages | tojson }}{% endgeneration %}{% for i in [1] %}{% break %}{% endfor %}"
    assert render(byte_tokenizer(), [Turn("user", "<é>")], template) == '[{"role": "user", "content": "<é>"}]'


def test_a_long_conversation_renders_in_time() -> None:
    turns = [Turn(role, "x" * 2_000) for _ in range(300) for role in ("user", "assistant")]
    assert len(render(byte_tokenizer(), turns, CHATML)) > 1_200_000
