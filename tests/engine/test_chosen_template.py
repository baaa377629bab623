"""A template and a context of the user's own, through the whole engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.messages import Failed, Finished, Notice, Submit, Turn
from engine.models.tokenizer_files import tokenizer_identity
from tests.engine.harness import Harness, submit
from tests.engine.restarts import LONG

SHOUTING = "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n{% endfor %}{{ 'ASSISTANT: ' }}"


def asked(target, request_id: int, text: str = LONG, *earlier: Turn, **options) -> Submit:
    return replace(submit(request_id, target, text, earlier=earlier, chat="c", max_tokens=8), **options)


def turns_of(engine: Harness, target: Path) -> tuple[Turn, Turn]:
    """The first message and its reply."""
    ids = tuple(engine.ids_of(1))
    return Turn("user", LONG), Turn("assistant", engine.text_of(1), ids, tokenizer_identity(target))


def test_reply_follows_the_chosen_template_and_the_same_template_reads_nothing_again(target, data_dir, tmp_path):
    engine = Harness(data_dir, cache_dir=tmp_path / "cache")
    engine.send(asked(target, 1, template=SHOUTING))
    engine.run()
    first = engine.statistics_of(1)
    assert first.num_prompt == len(f"USER: {LONG}\nASSISTANT: ")
    engine.send(asked(target, 2, "and?", *turns_of(engine, target), template=SHOUTING))
    engine.run()
    second = engine.statistics_of(2)
    assert (second.num_reread, second.reread_reason) == (0, "")
    assert second.num_cached >= first.num_prompt
    engine.close()


def test_another_template_is_told_as_the_cause_of_reading_again(target, data_dir, tmp_path):
    engine = Harness(data_dir, cache_dir=tmp_path / "cache")
    engine.send(asked(target, 1))
    engine.run()
    engine.send(asked(target, 2, "and?", *turns_of(engine, target), template=SHOUTING))
    engine.run()
    statistics = engine.statistics_of(2)
    assert statistics.num_reread > len(LONG) // 2
    assert statistics.reread_reason.endswith("the chat is written with another template.")
    engine.close()


def test_reply_ends_where_the_chosen_context_is_full(engine, target):
    engine.send(replace(submit(1, target, "Hi", max_tokens=40), context_length=40))
    engine.run()
    assert engine.end_of(1) == Finished(1, "length", engine.statistics_of(1))
    num_prompt = engine.statistics_of(1).num_prompt
    assert len(engine.ids_of(1)) == 40 - num_prompt
    [notice] = [event for event in engine.events_of(1) if isinstance(event, Notice)]
    assert notice.text.startswith("The context of 40 tokens is full.")


def test_prompt_beyond_the_chosen_context_is_refused_and_others_go_on(engine, target):
    engine.send(replace(submit(1, target, LONG), context_length=20), submit(2, target, "Hi", max_tokens=3))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert "the context holds 20, one of them for the reply" in end.text
    assert engine.reason_of(2) == "length"


def test_template_that_fails_costs_no_reply_and_says_its_line(engine, target):
    engine.send(replace(submit(1, target, "Hi", max_tokens=3), template="a\n{{ role.name }}"))
    engine.run()
    assert engine.reason_of(1) == "length"
    [notice] = [event for event in engine.events_of(1) if isinstance(event, Notice)]
    assert (notice.code, notice.text) == (
        "template",
        "Your template failed at line 2: `role` is undefined. The plain template was used.",
    )
