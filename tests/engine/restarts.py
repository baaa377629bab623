"""Conversations whose program is started anew for every message."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.messages import UNQUANTISED, Delta, Event, KvScheme, Progress, Submit, TokenLogprob, Turn
from engine.models.tokenizer_files import tokenizer_identity
from tests.engine.harness import Harness, submit

LONG = "The quick brown fox jumps over the lazy dog, again and again. "
TEMPLATE_TAIL = len("<|im_end|>\n<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n")


@dataclass
class Chat:
    """A conversation whose program is started anew for every message, with a cache or without one."""

    folder: Path
    data_dir: Path
    cache_dir: Path | None
    drafter: str = "none"
    kv: KvScheme = UNQUANTISED
    name: str = "chat"
    turns: list[Turn] = field(default_factory=list)

    def start(self) -> Harness:
        return Harness(self.data_dir, cache_dir=self.cache_dir)

    def ask(self, text: str, **options: object) -> Harness:
        engine = self.start()
        options = {"max_tokens": 24, "num_logprobs": 3, **options}
        engine.send(self.request(text, **options))
        engine.run()
        self.take(text, engine)
        engine.close()
        return engine

    def request(self, text: str, **options: object) -> Submit:
        return submit(
            1, self.folder, text, drafter=self.drafter, earlier=self.turns, kv=self.kv, chat=self.name, **options
        )

    def take(self, text: str, engine: Harness) -> None:
        """Add a message and the reply to it."""
        self.turns += [Turn("user", text), self.reply(engine)]

    def reply(self, engine: Harness, request_id: int = 1) -> Turn:
        ids = tuple(engine.ids_of(request_id))
        return Turn("assistant", engine.text_of(request_id), ids, tokenizer_identity(self.folder))


def is_reading(event: Event) -> bool:
    return isinstance(event, Progress) and event.phase == "reading" and event.done > 0


def logprobs_of(engine: Harness) -> list[TokenLogprob]:
    return [entry for event in engine.events_of(1) if isinstance(event, Delta) for entry in event.logprobs]
