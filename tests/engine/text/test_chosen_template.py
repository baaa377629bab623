"""A template of the user's in place of the model's own: in replies, in counts, and with what is found in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from engine.messages import (
    GREEDY,
    Answer,
    CountTokens,
    Failed,
    Inspect,
    ModelFacts,
    Notice,
    Submit,
    TemplateSwitch,
    TokenCount,
    Turn,
)
from engine.models.drafting.inspection import read_model
from engine.text.desk import TextDesk
from engine.text.prompt import Prompt, build_prompt
from engine.text.tokenizer import with_template
from tests.engine.text.small_tokenizers import CHATML, byte_tokenizer, reply, spelled
from tests.engine.text.thinking import TAGS, thinking_tokenizer

USER = Turn("user", "Hi")
SHOUTING = "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n{% endfor %}{{ 'ASSISTANT:' }}"
THINKING = CHATML + "{% if enable_thinking %}<think>{% endif %}"


@pytest.fixture
def desk(data_dir: Path) -> TextDesk:
    return TextDesk(data_dir)


@pytest.fixture
def facts(target: Path) -> ModelFacts:
    return read_model(str(target), target)


def asked(target: Path, template: str, *turns: Turn, **options: Any) -> Submit:
    return Submit(1, "c", str(target), "none", turns or (USER,), GREEDY, template=template, **options)


def counted(desk: TextDesk, target: Path, template: str = "", context_length: int = 0, text: str = "Hi") -> TokenCount:
    question = CountTokens(2, str(target), (Turn("user", text),), template=template, context_length=context_length)
    answer = desk.answer(question)
    assert isinstance(answer, Answer)
    assert isinstance(answer.value, TokenCount)
    return answer.value


def prepared(desk: TextDesk, submit: Submit, facts: ModelFacts) -> Prompt:
    prompt = desk.prepare(submit, facts)
    assert isinstance(prompt, Prompt)
    return prompt


def test_a_chosen_template_takes_the_place_of_the_model_s_own(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    prompt = prepared(desk, asked(target, SHOUTING), facts)
    assert prompt.tokenizer.decode(prompt.token_ids) == "USER: Hi\nASSISTANT:"
    assert prompt.notices == ()
    own = prepared(desk, asked(target, ""), facts)
    assert prepared(desk, asked(target, own.tokenizer.template), facts).token_ids == own.token_ids


def test_a_count_and_a_prompt_of_a_chosen_template_agree(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    for template in (SHOUTING, "", "{{ role.x }}"):
        prompt = prepared(desk, asked(target, template), facts)
        assert counted(desk, target, template).num_tokens == len(prompt.token_ids)


def test_a_chosen_template_that_fails_names_its_line_and_the_plain_one_is_used(
    desk: TextDesk, facts: ModelFacts, target: Path
) -> None:
    prompt = prepared(desk, asked(target, "a\n\n{{ role.x }}"), facts)
    reason = "Your template failed at line 3: `role` is undefined. The plain template was used."
    assert prompt.notices == (Notice(1, "template", reason),)
    assert "Hi" in prompt.tokenizer.decode(prompt.token_ids)


def test_a_chosen_template_that_takes_no_system_prompt_gets_it_in_the_first_message() -> None:
    template = "{% if messages[0].role == 'system' %}{{ raise_exception('none') }}{% endif %}" + CHATML
    prompt = build_prompt(with_template(byte_tokenizer(), template), (Turn("system", "S"), USER), 1)
    [notice] = prompt.notices
    assert notice.text == "Your template takes no system prompt. It was put at the start of the first message."


def test_switches_of_a_chosen_template_are_found_in_it(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    off = prepared(desk, asked(target, THINKING, switches=(("enable_thinking", "off"),)), facts)
    on = prepared(desk, asked(target, THINKING, switches=(("enable_thinking", "on"),)), facts)
    assert (off.opening, on.opening) == ("", "<think>")
    assert prepared(desk, asked(target, "", switches=(("enable_thinking", "on"),)), facts).opening == ""


def test_facts_under_a_chosen_template_have_its_switches(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    answer = desk.answer(Inspect(1, str(target), THINKING))
    assert isinstance(answer, Answer)
    assert answer.value == replace(facts, switches=(TemplateSwitch("enable_thinking", ("on", "off"), "off"),))
    assert desk.answer(Inspect(1, str(target))) == Answer(1, facts)


def test_tags_that_a_chosen_template_writes_control_nothing_in_a_user_s_text() -> None:
    tokenizer = thinking_tokenizer(CHATML, TAGS, is_special=False)
    turns = (Turn("user", "<think>"),)
    [think_id] = tokenizer.encode("<think>", inert=False)
    assert build_prompt(tokenizer, turns, 1).token_ids.count(think_id) == 1
    assert build_prompt(with_template(tokenizer, CHATML + "<think>"), turns, 1).token_ids.count(think_id) == 1


def test_a_chat_end_that_only_a_chosen_template_writes_ends_a_reply() -> None:
    tokenizer = thinking_tokenizer(CHATML, ("<end_of_turn>",))
    [end_id] = tokenizer.encode("<end_of_turn>", inert=False)
    chosen = with_template(tokenizer, "{{ messages[0].content }}<end_of_turn>")
    assert chosen.end_ids == tokenizer.end_ids | {end_id}
    assert end_id not in tokenizer.end_ids


def test_replies_keep_their_ids_and_boundaries_are_found_under_a_chosen_template() -> None:
    tokenizer = with_template(byte_tokenizer(), SHOUTING)
    turns = (USER, reply(tokenizer, "the"), Turn("user", "low"))
    prompt = build_prompt(tokenizer, turns, 1)
    ids = spelled(tokenizer, "the")
    assert any(prompt.token_ids[start : start + len(ids)] == ids for start in range(len(prompt.token_ids)))
    assert tokenizer.decode(prompt.token_ids[: prompt.num_old]) == "USER: Hi\nASSISTANT: the\nUSER: "
    assert prompt.num_old in prompt.boundaries


def test_o10_a_date_in_a_chosen_template_is_of_when_the_chat_began(
    desk: TextDesk, facts: ModelFacts, target: Path
) -> None:
    template = "{{ strftime_now('%d %b %Y') }} {{ messages[0].content }}"
    began_at = datetime(2026, 1, 2, 12).timestamp()
    prompt = prepared(desk, asked(target, template, began_at=began_at), facts)
    assert prompt.tokenizer.decode(prompt.token_ids) == "02 Jan 2026 Hi"


def test_a_prompt_beyond_the_chosen_context_is_refused(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    num_tokens = counted(desk, target).num_tokens
    assert isinstance(desk.prepare(asked(target, "", context_length=num_tokens + 1), facts), Prompt)
    failed = desk.prepare(asked(target, "", context_length=num_tokens), facts)
    assert isinstance(failed, Failed)
    assert failed.code == "context"
    assert f"the context holds {num_tokens}, one of them for the reply. Remove 1 " in failed.text


def test_a_context_that_nothing_fits_in_is_refused(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    failed = desk.prepare(asked(target, "", context_length=-5), facts)
    assert failed == Failed(
        1, "request", "The context is -5 tokens; it must be 1 or more, or 0 for as many as the model can."
    )


def test_a_count_tells_the_smaller_of_the_contexts(desk: TextDesk, facts: ModelFacts, target: Path) -> None:
    assert counted(desk, target, context_length=100).context_length == 100
    assert counted(desk, target, context_length=10**9).context_length == facts.context_length
    assert counted(desk, target).context_length == facts.context_length
