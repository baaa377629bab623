"""A chat as Markdown for people: the branch that is shown, without HTML."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from app.conversations.markdown_code import fence
from app.conversations.reasoning import split_reasoning
from app.conversations.records import Message, ReplyState
from app.conversations.titles import NEW_TITLE
from app.conversations.whole_chat import WholeChat
from app.models.names import model_name
from engine.messages import ReasoningTags

TagsByModel = Mapping[str, Sequence[ReasoningTags]]
NO_TAGS: TagsByModel = {}
_HEADINGS = {"system": "System prompt", "user": "You", "assistant": "Reply"}
_ENDS = {
    ReplyState.RUNNING: "This reply was not finished.",
    ReplyState.STOPPED: "This reply was stopped.",
    ReplyState.LIMIT: "This reply reached its limit.",
    ReplyState.CUT_OFF: "This reply was cut off.",
    ReplyState.FAILED: "This reply failed.",
}


def markdown_of(chat: WholeChat, tags: TagsByModel = NO_TAGS) -> str:
    """`tags` are those of models' own, by the model that a reply names."""
    day = time.strftime("%Y-%m-%d", time.localtime(chat.conversation.created_at))
    parts = [f"# {chat.conversation.title or NEW_TITLE}", day]
    for message in shown_path(chat):
        parts += _message_parts(message, tags.get(message.model, ()))
    return "\n\n".join(parts) + "\n"


def shown_path(chat: WholeChat) -> list[Message]:
    """From the root to the message that is shown last."""
    by_id = {message.id: message for message in chat.messages}
    path: list[Message] = []
    message = by_id.get(chat.shown or "")
    while message is not None and len(path) < len(by_id):
        path.append(message)
        message = by_id.get(message.parent_id or "")
    return path[::-1]


def _message_parts(message: Message, tags: Sequence[ReasoningTags]) -> Iterator[str]:
    model = model_name(message.model)
    yield f"## {_HEADINGS[message.role]}" + (f" ({model})" if model else "")
    if message.role == "assistant":
        yield from _reply_parts(message, tags)
        if message.state in _ENDS:
            yield f"*{_ENDS[message.state]}*"
    elif message.text.strip():
        yield message.text.strip("\n")
    for attachment in message.attachments:
        yield f"Attached: {attachment.name}"
        yield fence(attachment.text)


def _reply_parts(message: Message, tags: Sequence[ReasoningTags]) -> Iterator[str]:
    for part in split_reasoning(message.text, message.opening, tags):
        text = message.text[part.start : part.end].strip("\n")
        if part.kind == "answer":
            yield text
        elif text.strip():
            yield "\n".join(f"> {line}".rstrip() for line in ("**Reasoning**", "", *text.splitlines()))
