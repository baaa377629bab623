import random

import pytest

from app.conversations import adding
from app.conversations.adding import add_batch, add_chats, batches_of
from app.conversations.records import Attachment, Conversation, Message
from app.conversations.whole_chat import WholeChat

SHAPE = "SELECT id, parent_id, chosen_child, text FROM messages WHERE conversation_id = ? ORDER BY ordinal"
CHAT = "SELECT chosen_root, num_branches FROM conversations WHERE id = ?"


def random_chat(name, num_messages, seed):
    """A tree of any shape, some branch of which is shown."""
    chance = random.Random(seed)
    ids: list[str | None] = [None]
    messages = []
    for number in range(num_messages):
        parent = chance.choice(ids[-4:])
        messages.append(Message(f"{name}-{number}", name, parent, "user", f"text {number}"))
        ids.append(messages[-1].id)
    shown = chance.choice([None, *(message.id for message in messages)])
    return WholeChat(Conversation(name, "T", "m", "none", 1.0, 1.0), tuple(messages), shown)


def add_one_by_one(store, chat):
    store.create_conversation(chat.conversation)
    for message in chat.messages:
        store.add_message(message)
    if chat.shown is not None:
        store.choose_message(chat.shown)


def shape_of(store, name):
    """Rows and choices, without the chat's name in them."""
    rows = [*store.connection.execute(SHAPE, (name,)), store.connection.execute(CHAT, (name,)).fetchone()]
    return [tuple(value.split("-")[-1] if isinstance(value, str) else value for value in row) for row in rows]


@pytest.mark.parametrize("num_messages", [0, 1, 2, 7, 40])
@pytest.mark.parametrize("seed", range(6))
def test_chat_in_portions_is_as_if_its_messages_came_one_by_one(ask, monkeypatch, num_messages, seed):
    monkeypatch.setattr(adding, "_MOST_MESSAGES", 3)
    ask(lambda store: add_one_by_one(store, random_chat("a", num_messages, seed)))
    for batch in batches_of([random_chat("b", num_messages, seed)]):
        ask(lambda store, batch=batch: add_batch(store, batch))
    assert ask(lambda store: shape_of(store, "b")) == ask(lambda store: shape_of(store, "a"))


def test_no_transaction_has_more_than_its_share(ask):
    chats = [random_chat(str(number), 90, number) for number in range(30)]
    chats.append(random_chat("long", 3000, 0))
    big = Attachment("a", "x" * 600_000)
    messages = [Message(f"big-{number}", "big", None, "user", "x", attachments=(big,)) for number in range(9)]
    chats.append(WholeChat(Conversation("big", "T", "m", "none", 1.0, 1.0), tuple(messages)))
    batches = list(batches_of(chats))
    assert sum(len(portion.rows) for batch in batches for portion in batch) == 30 * 90 + 3000 + 9
    assert max(sum(len(portion.rows) for portion in batch) for batch in batches) < 1000
    assert max(sum(portion.num_characters for portion in batch) for batch in batches) < 3_000_000


def test_chats_are_added_in_one_transaction_too(ask):
    ask(lambda store: add_chats(store, [random_chat("a", 9, 1), random_chat("b", 9, 2)]))
    assert len(ask(lambda store: store.list_conversations()).conversations) == 2
