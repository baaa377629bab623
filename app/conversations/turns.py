"""What of a conversation the model is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from app.conversations.records import Attachment, Message
from engine.messages import Turn

_FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def turns_of(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """The path as turns; a reply that has no text yet is left out, what it answers stays."""
    return tuple(
        Turn(message.role, prompt_text(message), message.token_ids, message.tokenizer_id, message.opening)
        for message in messages
        if has_turn(message)
    )


def with_system(system_prompt: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Behind the system prompt, where there is one and anything that it could stand before.

    A chat that begins with a system prompt of its own, as other programs write them, keeps to that: templates take one.
    """
    if not system_prompt or not turns or turns[0].role == "system":
        return tuple(turns)
    return (Turn("system", system_prompt), *turns)


def has_turn(message: Message) -> bool:
    return message.role == "user" or bool(message.text)


def prompt_text(message: Message) -> str:
    """A message's text behind the files that it quotes."""
    quotes = [_quote(each) for each in message.attachments]
    return "\n\n".join([*quotes, message.text] if message.text else quotes)


def without_oldest(messages: Sequence[Message], num_left_out: int) -> list[Message]:
    """The path without so many messages behind those of the system, which stay."""
    num_leading = next((place for place, each in enumerate(messages) if each.role != "system"), len(messages))
    return [*messages[:num_leading], *messages[num_leading + num_left_out :]]


def messages_of_turns(messages: Sequence[Message], num_turns: int) -> int:
    """How many messages, behind those of the system, the oldest `num_turns` turns are; what has no turn goes along."""
    num_messages = num_found = 0
    for message in (each for each in messages if each.role != "system"):
        if num_found == num_turns and has_turn(message):
            break
        num_found += has_turn(message)
        num_messages += 1
    return num_messages


@lru_cache(maxsize=32)  # a draft is counted at every pause in typing, with the files of the whole chat
def _quote(attachment: Attachment) -> str:
    """The file under its name, between fences that are longer than any in it."""
    longest = max((len(found) for found in _FENCE.findall(attachment.text)), default=2)
    fence = "`" * (longest + 1)
    line_end = "" if attachment.text.endswith("\n") else "\n"
    return f"{attachment.name}:\n{fence}\n{attachment.text}{line_end}{fence}"
