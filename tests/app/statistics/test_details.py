"""What is told of a reply: what it was made with, where that is not the model's own."""

from __future__ import annotations

from app.conversations.records import Message
from app.statistics.details import MOST_CHARACTERS, detail_rows
from engine.messages import KvScheme, Statistics

MADE_WITH = ("System prompt", "Template", "Context", "Cache bits")


def told(message: Message) -> dict[str, str]:
    return {name: words for name, words in detail_rows(Statistics(), message) if name in MADE_WITH}


def test_what_a_reply_was_made_with_is_told_where_it_is_not_the_models_own() -> None:
    reply = Message(
        "m", "c", None, "assistant", "x", kv=KvScheme(8), context_length=4096, system_prompt="Be\nbrief.", template="{}"
    )
    assert told(reply) == {
        "System prompt": "Be brief.",
        "Template": "one in place of the model's own",
        "Context": "at most 4,096\u00a0tokens",
        "Cache bits": "8",
    }
    assert told(Message("m", "c", None, "assistant", "x")) == {}


def test_a_long_system_prompt_is_told_by_its_beginning() -> None:
    words = told(Message("m", "c", None, "assistant", "x", system_prompt="word " * 500))["System prompt"]
    assert words.startswith("word word")
    assert len(words) <= MOST_CHARACTERS + 1
