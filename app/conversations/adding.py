"""Adds whole chats to the database in portions, each of which is a transaction short enough for replies to wait for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.conversations import tree
from app.conversations.records import Conversation, Message
from app.conversations.rows import row_from_message
from app.conversations.store import Store
from app.conversations.whole_chat import WholeChat

_MOST_MESSAGES = 500  # of one transaction, which takes about 50 ms
_MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Portion:
    """Some messages of one chat, as rows, their parents among them or in portions before."""

    conversation: Conversation
    is_first: bool  # it makes the chat
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    texts: frozenset[str]  # that the rows have by their digests
    choices: tuple[tuple[str, str], ...]  # a chosen child here, its parent in a portion before
    chosen_root: str | None  # where it is here
    num_characters: int


def batches_of(chats: Iterable[WholeChat]) -> Iterator[list[Portion]]:
    """Portions of one transaction each; the chat that was used first comes first."""
    batch: list[Portion] = []
    num_messages = num_characters = 0
    for chat in sorted(chats, key=lambda chat: chat.conversation.updated_at):
        for portion in _portions_of(chat):
            batch.append(portion)
            num_messages += len(portion.rows)
            num_characters += portion.num_characters
            if num_messages >= _MOST_MESSAGES or num_characters >= _MOST_CHARACTERS:
                yield batch
                batch, num_messages, num_characters = [], 0, 0
    if batch:
        yield batch


def add_batch(store: Store, batch: Iterable[Portion]) -> None:
    """Raises sqlite3.IntegrityError where an id is taken."""
    for portion in batch:
        chat = portion.conversation
        if portion.is_first:
            store.create_conversation(chat)
            tree.set_num_branches(store.connection, chat.id, chat.num_branches)
        store.texts.keep(portion.texts)
        if portion.rows:
            tree.insert_rows(store.connection, portion.columns, portion.rows)
        tree.set_choices(store.connection, portion.choices)
        if portion.chosen_root is not None:
            tree.set_chosen(store.connection, chat.id, None, portion.chosen_root)


def add_chats(store: Store, chats: Iterable[WholeChat]) -> None:
    """All in one transaction, as they are, their order in the list aside."""
    for batch in batches_of(chats):
        add_batch(store, batch)


def _portions_of(chat: WholeChat) -> Iterator[Portion]:
    chosen = _chosen_by_parent(chat)
    parents = {message.parent_id for message in chat.messages}
    num_leaves = sum(message.id not in parents for message in chat.messages)
    conversation = replace(chat.conversation, num_branches=max(1, num_leaves))
    for number, messages in enumerate(_pieces_of(chat.messages)):
        here = {message.id for message in messages}
        rows = [{**row_from_message(one), "chosen_child": _within(chosen.get(one.id), here)} for one in messages]
        yield Portion(
            conversation,
            number == 0,
            tuple(rows[0]) if rows else (),
            tuple(tuple(row.values()) for row in rows),
            texts_of(messages),
            tuple(
                (one.id, one.parent_id)
                for one in messages
                if one.parent_id is not None and one.parent_id not in here and chosen[one.parent_id] == one.id
            ),
            _within(chosen.get(None), here),
            sum(map(_num_characters, messages)),
        )


def _chosen_by_parent(chat: WholeChat) -> dict[str | None, str]:
    """The child that is shown under each message, and under None the root: the last, but for the path to `shown`."""
    chosen: dict[str | None, str] = {message.parent_id: message.id for message in chat.messages}
    parents = {message.id: message.parent_id for message in chat.messages}
    message_id = chat.shown
    while message_id in parents:
        chosen[parents[message_id]] = message_id
        message_id = parents[message_id]
    return chosen


def texts_of(messages: Iterable[Message]) -> frozenset[str]:
    """What is stored once for many of them."""
    return frozenset(text for one in messages for text in (one.system_prompt, one.template) if text)


def _pieces_of(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """One without messages where there are none."""
    start = num_characters = 0
    for end, message in enumerate(messages, start=1):
        num_characters += _num_characters(message)
        if end - start == _MOST_MESSAGES or num_characters >= _MOST_CHARACTERS or end == len(messages):
            yield messages[start:end]
            start, num_characters = end, 0
    if not messages:
        yield ()


def _num_characters(message: Message) -> int:
    return len(message.text) + sum(len(one.text) for one in message.attachments)


def _within(message_id: str | None, ids: set[str]) -> str | None:
    return message_id if message_id in ids else None
