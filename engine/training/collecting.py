"""Collects what a drafter learns from: the target's own questions, and its replies, in slices that can be resumed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.target import Target
from engine.training.chat_format import ChatFormat
from engine.training.corpus import Corpus, Sample
from engine.training.prompts import TrainingPrompt
from engine.training.writing import Writing, in_batches, write_batch

QUESTION_TOKENS = 200
PART_SIZE = 4096  # sequences of one file of a corpus, which is what an interruption may cost
OWN = "self"


@dataclass(frozen=True, slots=True)
class Collecting:
    """How replies are written."""

    batch_size: int = 256
    reply_tokens: int = 256
    temperature: float = 0.8  # of the second reply
    second_replies: float = 0.5  # part of the prompts that get one, sampled, beside the greedy one
    most_prompt_tokens: int = 1200
    seed: int = 0


def write_questions(
    target: Target, chat: ChatFormat, count: int, how: Collecting, *, seed: int
) -> Iterator[TrainingPrompt]:
    """Questions that the target asks itself: sampled at temperature 1 where a user's words would stand."""
    header = chat.user_header
    for start in range(0, count, how.batch_size):
        writings = [Writing(header, 1.0)] * min(how.batch_size, count - start)
        key = seed * 1_000_003 + start
        for ids in write_batch(target, writings, max_tokens=QUESTION_TOKENS, end_ids=chat.end_ids, seed=key):
            if ids and ids[-1] in chat.end_ids:
                yield TrainingPrompt((chat.text(ids[:-1]).strip(),), OWN)


def collect_replies(
    target: Target,
    chat: ChatFormat,
    prompts: Sequence[TrainingPrompt],
    corpus: Corpus,
    how: Collecting,
    goes_on: Callable[[int, int], bool],
) -> bool:
    """Write the replies that the corpus lacks; False where `goes_on(done, total)` ended it between batches.

    A part is written once it is whole; its seed is its number, so that a resumed corpus is the one of a single run.
    """
    plan = plan_replies(prompts, how)
    parts = [plan[start : start + PART_SIZE] for start in range(0, len(plan), PART_SIZE)]
    for index, part in enumerate(parts):
        if corpus.has(index):
            continue
        samples: list[Sample] = []
        writings = [
            Writing(ids, temperature)
            for prompt, temperature in part
            if len(ids := chat.prompt(prompt.turns)) <= how.most_prompt_tokens
        ]
        for number, chosen in enumerate(in_batches(writings, how.batch_size)):
            if not goes_on(index * PART_SIZE + len(samples), len(plan)):
                return False
            batch = [writings[place] for place in chosen]
            seed = (how.seed * 1_000_003 + index) * 1_009 + number
            replies = write_batch(target, batch, max_tokens=how.reply_tokens, end_ids=chat.end_ids, seed=seed)
            samples += [
                Sample([*writing.token_ids, *reply], len(writing.token_ids))
                for writing, reply in zip(batch, replies, strict=True)
            ]
        corpus.write(index, samples)
    return True


def plan_replies(prompts: Sequence[TrainingPrompt], how: Collecting) -> list[tuple[TrainingPrompt, float]]:
    """Each prompt with the temperature of a reply to it, mixed, so that every part is like the whole."""
    mixer = random.Random(how.seed)
    second = [prompt for prompt in prompts if mixer.random() < how.second_replies]
    plan = [(prompt, 0.0) for prompt in prompts] + [(prompt, how.temperature) for prompt in second]
    mixer.shuffle(plan)
    return plan
