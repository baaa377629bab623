"""What is measured: each question of a chat as one prompt, the same for everybody who answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.bench.prompts import Chat
from engine.command_line import BadInputError
from engine.messages import ModelFacts, Turn
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """One reply to make: the turns that our engine is sent, and the ids that mlx-lm reads, which are their prompt."""

    name: str
    turns: tuple[Turn, ...]
    prompt_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TaskMaker:
    """Makes the tasks of a chat; `reply` answers the earlier questions, whose replies later prompts hold."""

    tokenizer: Tokenizer
    facts: ModelFacts
    max_tokens: int
    reply: Callable[[Task], Sequence[int]]

    def make(self, chat: Chat) -> Iterator[Task]:
        """Yield a task for each question; raises BadInputError where one has no room in the context."""
        turns: list[Turn] = []
        for number, question in enumerate(chat.questions, start=1):
            turns.append(Turn("user", question))
            task = self._task(f"{chat.name}/{number}" if len(chat.questions) > 1 else chat.name, tuple(turns))
            yield task
            if number < len(chat.questions):
                turns.append(self._answer(task))

    def _task(self, name: str, turns: tuple[Turn, ...]) -> Task:
        token_ids = build_prompt(self.tokenizer, turns, request_id=1).token_ids
        needed, context = len(token_ids) + self.max_tokens, self.facts.context_length
        if needed > context:
            raise BadInputError(
                f"prompt {name!r} needs {needed:,} tokens with its reply, and the model's context holds {context:,}; "
                "lower --max-tokens or leave the prompt out"
            )
        return Task(name, turns, token_ids)

    def _answer(self, task: Task) -> Turn:
        token_ids = tuple(self.reply(task))
        return Turn("assistant", self.tokenizer.decode(token_ids), token_ids, self.tokenizer.identity)


def full_batches(items: Sequence[T], size: int) -> list[tuple[T, ...]]:
    """Groups of `size` in order; what does not fill one is left out, since it would be measured at another width."""
    return [tuple(items[start : start + size]) for start in range(0, len(items) - size + 1, size)]
