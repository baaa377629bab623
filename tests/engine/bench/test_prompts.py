"""Prompt files and the supplied sets."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.bench.prompts import DEFAULT_SET, Chat, choose, read_chats, supplied_sets
from engine.command_line import BadInputError

DATA = Path(__file__).parents[2] / "data"


def test_a_line_is_a_prompt_turns_or_a_text(tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text('{"prompt": "one"}\n\n{"id": "x", "turns": ["a", "b"]}\n"three"\n', encoding="utf-8")
    assert read_chats(str(path)) == [Chat("1", ("one",)), Chat("x", ("a", "b")), Chat("3", ("three",))]


def test_the_supplied_set_is_found_by_its_name():
    assert DEFAULT_SET in supplied_sets()
    chats = read_chats(DEFAULT_SET)
    assert Counter(len(chat.questions) for chat in chats) == {1: 60, 3: 12}


def test_no_set_holds_news_text():
    lines = [json.loads(line) for path in DATA.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    assert {line["category"] for line in lines} == {"qa", "math_reasoning", "multi_turn", "rag"}
    assert len(read_chats(str(DATA / "nothing_to_copy.jsonl"))) == 12


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no prompts"),
        ("{oops", "line 1 is not JSON"),
        ('{"prompt": "a"}\n{"question": "b"}', "line 2 has no question"),
        ('{"prompt": " "}', "blank"),
        ('{"turns": []}', "line 1"),
        ('{"turns": ["a", 3]}', "line 1"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(tmp_path, text, part):
    path = tmp_path / "prompts.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=part):
        read_chats(str(path))


def test_a_name_that_is_nothing_is_refused_with_the_sets():
    with pytest.raises(BadInputError, match=r"'code_review'.*one of: code_edit"):
        read_chats("code_review")


def test_items_are_the_first_or_drawn_and_keep_their_order():
    assert choose("abcdef", 3, None) == ["a", "b", "c"]
    drawn = choose("abcdef", 3, 1)
    assert drawn == choose("abcdef", 3, 1) == sorted(drawn)
    assert drawn != ["a", "b", "c"]
    assert choose("abc", 9, 1) == choose("abc", None, None) == ["a", "b", "c"]
