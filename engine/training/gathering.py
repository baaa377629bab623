"""From prompts to a corpus: own questions, passages, questions about them, and the replies to all; resumable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from engine.target import Target
from engine.training.chat_format import ChatFormat
from engine.training.collecting import Collecting, collect_replies, write_questions
from engine.training.corpus import Corpus
from engine.training.drafter_folder import write_text
from engine.training.plan import TrainingPlan
from engine.training.prompts import TrainingPrompt, clean, repeated_part
from engine.training.tasks import ask_about, ask_for_passages
from engine.training.writing import Writing, in_batches, write_batch

GoesOn = Callable[[str, int, int], bool]  # told (stage, done, total); False ends the work between two batches

REPLIES = "replies"
_QUESTIONS, _PASSAGES = "questions.jsonl", "passages.jsonl"
_PASSAGE_TOKENS = 400
_LEAST_PASSAGE = 40  # words
_MOST_REPEATED = 0.3  # of a passage


class StoppedError(Exception):
    """The work was ended between two batches; what was done stays and is gone on with."""


class Gathering:
    """Owns a folder in which a corpus grows."""

    def __init__(
        self,
        target: Target,
        chat: ChatFormat,
        folder: Path,
        plan: TrainingPlan,
        held_out: Sequence[str],
        goes_on: GoesOn,
    ) -> None:
        self._target = target
        self._chat = chat
        self._folder = folder
        self._plan = plan
        self._held_out = held_out
        self._goes_on = goes_on

    def gather(self, given: Sequence[TrainingPrompt]) -> Corpus:
        """The corpus of these prompts and of the target's own; raises StoppedError, OSError, BadInputError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        own = self._kept(_QUESTIONS, self._questions)
        passages = self._kept(_PASSAGES, lambda: self._passages(own))
        texts = [(prompt.source, prompt.turns[0]) for prompt in passages]
        tasks = ask_about(texts, own, self._plan.seed) if texts else []
        prompts = list(clean([*given, *own, *tasks], self._held_out))
        settings = {"collecting": asdict(self._how), "prompts": len(prompts), "model": self._target.facts.name}
        corpus = Corpus(self._folder / REPLIES, settings)
        if not collect_replies(self._target, self._chat, prompts, corpus, self._how, self._stage("replies")):
            raise StoppedError
        return corpus

    @property
    def _how(self) -> Collecting:
        return self._plan.collecting

    def _stage(self, name: str) -> Callable[[int, int], bool]:
        return lambda done, total: self._goes_on(name, done, total)

    def _kept(self, name: str, make: Callable[[], Iterator[TrainingPrompt]]) -> list[TrainingPrompt]:
        """What a file of the folder holds, made where it is not there yet."""
        path = self._folder / name
        if not path.exists():
            lines = [json.dumps({"prompt": prompt.turns[0], "source": prompt.source}) for prompt in make()]
            write_text(path, "".join(f"{line}\n" for line in lines))
        values = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return [TrainingPrompt((value["prompt"],), value["source"]) for value in values]

    def _questions(self) -> Iterator[TrainingPrompt]:
        count, done = self._plan.num_questions, 0
        asked: list[TrainingPrompt] = []
        while done < count:
            if not self._goes_on("questions", done, count):
                raise StoppedError
            several = min(self._how.batch_size, count - done)
            asked += write_questions(self._target, self._chat, several, self._how, seed=self._plan.seed + done)
            done += several
        return clean(asked, self._held_out)

    def _passages(self, topics: Sequence[TrainingPrompt]) -> Iterator[TrainingPrompt]:
        """Texts to ask about; each one's source is its kind."""
        asked = ask_for_passages(topics, self._plan.num_passages, self._plan.seed)
        writings = [Writing(self._chat.prompt(prompt.turns), self._how.temperature) for _, prompt in asked]
        done = 0
        for number, chosen in enumerate(in_batches(writings, self._how.batch_size)):
            if not self._goes_on("passages", done, len(writings)):
                raise StoppedError
            batch = [writings[index] for index in chosen]
            seed = self._plan.seed * 7919 + number
            texts = write_batch(self._target, batch, max_tokens=_PASSAGE_TOKENS, end_ids=self._chat.end_ids, seed=seed)
            for index, ids in zip(chosen, texts, strict=True):
                text = self._chat.text([token_id for token_id in ids if token_id not in self._chat.end_ids]).strip()
                if len(text.split()) >= _LEAST_PASSAGE and repeated_part(text) <= _MOST_REPEATED:
                    yield TrainingPrompt((text,), asked[index][0])
            done += len(chosen)
