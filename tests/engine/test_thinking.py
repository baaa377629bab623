"""What the engine tells of a model that thinks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.messages import Began, CountTokens, Delta, Finished, ReasoningTags, TemplateSwitch, TokenCount, Turn
from engine.models.facts import read_facts
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.tiny import TEMPLATE, tiny_folder

OPENED = "{{ '<think>\n' }}{% if enable_thinking is false %}{{ '\n</think>\n\n' }}{% endif %}"


@pytest.fixture(scope="module")
def thinking_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target whose template opens the thinking."""
    folder = tiny_folder(tmp_path_factory.mktemp("models") / "thinking")
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["chat_template"] = TEMPLATE + OPENED
    settings |= {"think_start_token": "<a>", "think_end_token": "</a>"}
    path.write_text(json.dumps(settings), "utf-8")
    return folder


def test_an_opened_thought_is_told_before_the_reply(engine: Harness, thinking_target: Path) -> None:
    engine.send(submit(1, thinking_target, TEXT, max_tokens=3))
    engine.run()
    kinds = [type(event) for event in engine.events_of(1) if isinstance(event, Began | Delta | Finished)]
    assert kinds[:2] == [Began, Delta]
    assert [event.opening for event in engine.events_of(1) if isinstance(event, Began)] == ["<think>"]


def test_a_reply_that_is_continued_or_not_opened_begins_nothing(
    engine: Harness, target: Path, thinking_target: Path
) -> None:
    engine.send(submit(1, thinking_target, TEXT, later=[Turn("assistant", "why")], max_tokens=2))
    engine.send(submit(2, target, TEXT, max_tokens=2))
    engine.run()
    assert not [event for event in engine.events if isinstance(event, Began)]


def test_a_chosen_switch_reaches_the_prompt_and_its_count(engine: Harness, thinking_target: Path) -> None:
    sizes = {}
    for request_id, value in ((1, "on"), (2, "off")):
        chosen = (("enable_thinking", value),)
        request = replace(submit(request_id, thinking_target, TEXT, max_tokens=1), switches=chosen)
        engine.send(request, CountTokens(10 + request_id, str(thinking_target), request.turns, switches=chosen))
        engine.run()
        counted = engine.answer_to(10 + request_id)
        assert isinstance(counted, TokenCount)
        assert counted.num_tokens == engine.statistics_of(request_id).num_prompt
        sizes[value] = counted.num_tokens
    assert sizes["off"] == sizes["on"] + len("\n</think>\n\n")


def test_facts_name_the_tags_and_switches(thinking_target: Path, target: Path) -> None:
    facts = read_facts("", thinking_target)
    assert facts.reasoning == (ReasoningTags("<a>", "</a>"),)
    assert facts.switches == (TemplateSwitch("enable_thinking", ("on", "off"), "on"),)
    assert (read_facts("", target).reasoning, read_facts("", target).switches) == ((), ())


def test_facts_find_the_tags_among_the_tokens(tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "tagged")
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text("utf-8"))
    tokenizer["added_tokens"] += [
        {**tokenizer["added_tokens"][0], "id": 259 + place, "content": tag}
        for place, tag in enumerate(("[THINK]", "[/THINK]"))
    ]
    path.write_text(json.dumps(tokenizer), "utf-8")
    assert read_facts("", folder).reasoning == (ReasoningTags("[THINK]", "[/THINK]"),)
