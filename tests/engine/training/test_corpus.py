"""A corpus grows by whole files, and ends the same whether or not it was interrupted."""

from __future__ import annotations

import pytest

from engine.command_line import BadInputError
from engine.training import collecting
from engine.training.collecting import Collecting, collect_replies, write_questions
from engine.training.corpus import Corpus, Sample
from engine.training.prompts import TrainingPrompt

HOW = Collecting(batch_size=4, reply_tokens=12, second_replies=0.5)
PROMPTS = [TrainingPrompt((f"say {letter} to me",), "test") for letter in "abcdefghij"]


def collect(target, chat, folder, goes_on=lambda done, total: True):
    corpus = Corpus(folder, {"seed": 0})
    return collect_replies(target, chat, PROMPTS, corpus, HOW, goes_on), list(corpus.samples())


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(collecting, "PART_SIZE", 6)


def test_samples_come_back_as_they_were(tmp_path):
    corpus = Corpus(tmp_path, {})
    samples = [Sample([5, 60000, 7], 1), Sample([1, 2], 2)]
    corpus.write(0, samples)
    assert list(Corpus.open(tmp_path).samples()) == samples


def test_corpus_of_other_settings_is_not_gone_on_with(tmp_path):
    Corpus(tmp_path, {"seed": 0})
    with pytest.raises(BadInputError, match="begun with other prompts"):
        Corpus(tmp_path, {"seed": 1})


def test_folder_without_replies_is_named(tmp_path):
    with pytest.raises(BadInputError, match="holds no replies"):
        Corpus.open(tmp_path)


def test_interrupted_collection_ends_like_a_whole_one(teacher_target, chat, tmp_path):
    _, whole = collect(teacher_target, chat, tmp_path / "whole")
    calls = iter(range(100))
    ended, part = collect(teacher_target, chat, tmp_path / "part", lambda done, total: next(calls) < 3)
    assert not ended
    assert 0 < len(part) < len(whole)
    assert collect(teacher_target, chat, tmp_path / "part") == (True, whole)


def test_every_prompt_has_a_greedy_reply_and_some_a_second(teacher_target, chat, tmp_path):
    _, samples = collect(teacher_target, chat, tmp_path)
    begun = [tuple(sample.token_ids[: sample.num_prompt]) for sample in samples]
    assert set(begun) == {tuple(chat.prompt(prompt.turns)) for prompt in PROMPTS}
    assert len(PROMPTS) < len(samples) < 2 * len(PROMPTS)


def test_half_written_part_is_not_taken_for_one(tmp_path, monkeypatch):
    corpus = Corpus(tmp_path, {})

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.savez_compressed", full)
    with pytest.raises(OSError, match="No space"):
        corpus.write(0, [Sample([1, 2], 1)])
    assert not corpus.has(0)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_questions_are_what_the_target_writes_in_a_users_place(teacher_target, chat):
    questions = list(write_questions(teacher_target, chat, 12, HOW, seed=3))
    assert all(question.source == "self" for question in questions)
    assert chat.user_header == chat.prompt(["xyz"])[: len(chat.user_header)]
    assert questions == list(write_questions(teacher_target, chat, 12, HOW, seed=3))
