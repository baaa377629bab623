"""A user's message and the reply to it: made, and saved together before anything is submitted."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from app.conversations.records import NO_CHOICES, Attachment, ChatChoices, Conversation, Message, ReplyState, new_id
from app.conversations.reply_plan import ReplyPlan
from app.conversations.sampling_rules import rules_of
from app.conversations.store import Store

Switches = tuple[tuple[str, str], ...]  # names and values of a template's switches


def new_exchange(
    text: str,
    *,
    conversation_id: str,
    parent_id: str | None,
    plan: ReplyPlan,
    switches: Switches = (),
    attachments: tuple[Attachment, ...] = (),
    num_left_out: int = 0,
) -> tuple[Message, Message]:
    """The user's message and its empty, running reply."""
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
    return user, new_reply(user, plan, switches)


def new_reply(user: Message, plan: ReplyPlan, switches: Switches = ()) -> Message:
    """An empty, running reply to a user's message."""
    now = time.time()
    return Message(
        id=new_id(),
        conversation_id=user.conversation_id,
        parent_id=user.id,
        role="assistant",
        text="",
        state=ReplyState.RUNNING,
        created_at=now,
        updated_at=now,
        **_made_with(plan, switches),
    )


def _made_with(plan: ReplyPlan, switches: Switches) -> dict[str, Any]:
    """The fields of a reply that say so."""
    return {
        "seed": plan.sampling.seed,
        "temperature": plan.sampling.temperature,
        "rules": rules_of(plan.sampling),
        "system_prompt": storable(plan.system_prompt),
        "switches": switches,
        "notices": plan.notices,
        **_of_the_model(plan),
    }


def _of_the_model(plan: ReplyPlan) -> dict[str, Any]:
    """Those of them that hold for one model."""
    return {
        "model": plan.target,
        "drafter": plan.drafter,
        "kv": plan.kv,
        "context_length": plan.context_length,
        "template": storable(plan.template),
    }


def resumed(reply: Message, plan: ReplyPlan, switches: Switches = ()) -> Message:
    """The reply as running again, made with what it was made with.

    Where the plan has another model, what holds for one model is the plan's; one without text starts over with all
    of the plan, and with these switches.
    """
    running = replace(reply, state=ReplyState.RUNNING, error="", finish_reason="")
    if reply.text:
        return running if reply.model == plan.target else replace(running, **_of_the_model(plan))
    return replace(
        running,
        **_made_with(plan, switches),
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
    choices: ChatChoices = NO_CHOICES,
) -> bool:
    """Add both to their conversation, which is created where it gets a title."""
    conversation_id, now = user.conversation_id, user.created_at
    if new_title is not None:
        chat = Conversation(conversation_id, new_title, reply.model, choices.drafter, now, now, choices.folder)
        store.create_conversation(replace(chat, switches=choices.switches, preset=choices.preset))
    store.add_message(user)
    return save_reply(store, reply, choices)


def save_reply(store: Store, reply: Message, choices: ChatChoices = NO_CHOICES) -> bool:
    """Add a reply to a message that is in its conversation, with what is chosen for that."""
    store.touch_conversation(reply.conversation_id, reply.model, reply.created_at)
    store.set_choices(reply.conversation_id, choices)
    store.add_message(reply)
    return True


def save_resumed(store: Store, reply: Message, choices: ChatChoices = NO_CHOICES) -> bool:
    store.touch_conversation(reply.conversation_id, reply.model, time.time())
    store.set_choices(reply.conversation_id, choices)
    store.save_replies([reply])
    return True


def save_changed(store: Store, messages: tuple[Message, ...]) -> bool:
    store.save_replies(messages)
    return True


def storable(text: str) -> str:
    """The text without halves of characters, which UTF-8 cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
