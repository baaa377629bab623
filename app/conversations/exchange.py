"""A user's message and the reply to it: made, and saved together before anything is submitted."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace

from app.conversations.records import Attachment, Conversation, Message, ReplyState, new_id
from app.conversations.sampling_rules import rules_of
from app.conversations.store import Store
from engine.messages import Sampling

Switches = tuple[tuple[str, str], ...]  # names and values of a template's switches


def new_exchange(
    text: str,
    *,
    conversation_id: str,
    parent_id: str | None,
    model: str,
    drafter: str,
    sampling: Sampling,
    switches: Switches = (),
    attachments: tuple[Attachment, ...] = (),
    num_left_out: int = 0,
) -> tuple[Message, Message]:
    """The user's message and its empty, running reply with a seed of its own."""
    now = time.time()
    user = Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=parent_id,
        role="user",
        text=storable(text),
        attachments=tuple(Attachment(storable(each.name), storable(each.text)) for each in attachments),
        num_left_out=num_left_out,
        created_at=now,
        updated_at=now,
    )
    return user, new_reply(user, model, drafter, sampling, switches)


def new_reply(user: Message, model: str, drafter: str, sampling: Sampling, switches: Switches = ()) -> Message:
    """An empty, running reply to a user's message, with a seed of its own."""
    now = time.time()
    return Message(
        id=new_id(),
        conversation_id=user.conversation_id,
        parent_id=user.id,
        role="assistant",
        text="",
        state=ReplyState.RUNNING,
        seed=secrets.randbits(63),
        temperature=sampling.temperature,
        rules=rules_of(sampling),
        switches=switches,
        model=model,
        drafter=drafter,
        created_at=now,
        updated_at=now,
    )


def resumed(reply: Message, model: str, drafter: str, switches: Switches = ()) -> Message:
    """The reply as running again, with this model; one without text starts over with this drafter and switches too."""
    running = replace(reply, state=ReplyState.RUNNING, error="", finish_reason="", model=model)
    if reply.text:
        return running
    return replace(
        running,
        drafter=drafter,
        switches=switches,
        token_ids=(),
        tokenizer_id="",
        quantisation="",
        statistics=None,
        opening="",
        thought_seconds=0.0,
        num_thought=0,
    )


def save_exchange(
    store: Store,
    user: Message,
    reply: Message,
    new_title: str | None,
    switches: Switches = (),
    folder: str = "",
) -> bool:
    """Add both to their conversation, which is created, in a folder, where it gets a title."""
    conversation_id, now = user.conversation_id, user.created_at
    if new_title is not None:
        store.create_conversation(
            Conversation(conversation_id, new_title, reply.model, reply.drafter, now, now, folder, switches=switches)
        )
    store.add_message(user)
    return save_reply(store, reply)


def save_reply(store: Store, reply: Message) -> bool:
    """Add a reply to a message that is in its conversation."""
    store.touch_conversation(reply.conversation_id, reply.model, reply.drafter, reply.created_at)
    store.add_message(reply)
    return True


def save_resumed(store: Store, reply: Message) -> bool:
    store.touch_conversation(reply.conversation_id, reply.model, reply.drafter, time.time())
    store.save_replies([reply])
    return True


def save_changed(store: Store, messages: tuple[Message, ...]) -> bool:
    store.save_replies(messages)
    return True


def storable(text: str) -> str:
    """The text without halves of characters, which UTF-8 cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
