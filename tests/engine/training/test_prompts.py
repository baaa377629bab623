"""Prompts to learn from: what is read, what is worth a reply, and what is held out."""

from __future__ import annotations

import json

import pytest

from engine.command_line import BadInputError
from engine.training.prompts import TrainingPrompt, clean, overlap_with, read_training_prompts, repeated_part

LONG = "The committee met on a cold morning in the old town hall and talked about bread for three hours."


def prompts(*texts):
    return [TrainingPrompt((text,), "test") for text in texts]


def kept(*texts, held_out=()):
    return [prompt.turns[-1] for prompt in clean(prompts(*texts), held_out)]


def test_prompts_of_all_files_of_a_folder_are_read(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"prompt": "first", "src": "one"}) + "\n")
    (tmp_path / "b.jsonl").write_text(json.dumps({"turns": ["second", "third"]}) + "\n")
    found = read_training_prompts(tmp_path)
    assert found == [TrainingPrompt(("first",), "one"), TrainingPrompt(("second",), "file")]


def test_turns_with_replies_are_kept_whole(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"turns": ["question", "answer", "again"], "replies": True}) + "\n")
    assert read_training_prompts(path)[0].turns == ("question", "answer", "again")


@pytest.mark.parametrize("line", ['{"turns": []}', '{"prompt": 3}', '{"text": "x"}', "[1]"])
def test_line_that_is_no_prompt_is_named(tmp_path, line):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"prompt": "fine"}\n' + line + "\n")
    with pytest.raises(BadInputError, match=r"line 2 is no prompt; give"):
        read_training_prompts(path)


def test_folder_without_prompts_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="no files of prompts"):
        read_training_prompts(tmp_path)


def test_same_words_are_asked_once():
    assert kept("What is rain made of?", "what is RAIN made of", "Why is it wet?") == [
        "What is rain made of?",
        "Why is it wet?",
    ]


def test_short_and_looping_texts_are_left_out():
    assert kept("Hm?", "tell me a thing " * 20, LONG) == [LONG]


def test_no_words_of_held_out_prompts_are_learned_from():
    copied = f"Please answer: {LONG} What did they decide?"
    assert kept(copied, "A question about something else", held_out=[LONG]) == ["A question about something else"]


def test_short_held_out_prompt_is_found_when_it_is_the_same():
    is_held_out = overlap_with(["Who wrote it?"])
    assert is_held_out("who wrote IT")
    assert not is_held_out("who wrote this letter")


def test_repetition_is_a_share_of_all_4_grams():
    assert repeated_part("a b c d e f g") == 0.0
    assert repeated_part("a b c d " * 4) == pytest.approx(9 / 13)
