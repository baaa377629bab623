import pytest

from app.conversations.records import ReplyState
from app.conversations.tree import UnknownMessageError
from tests.app.conversations.saved_chats import add_exchange, texts_of


@pytest.fixture
def branched(ask):
    """A chat "c" of one exchange that goes on in two ways, the second one shown; the messages by their text."""

    def build(store):
        messages = [*add_exchange(store, "c", "one", title="T")]
        for text in ("two", "three"):
            messages += add_exchange(store, "c", text, messages[1].id)
        return {message.text: message for message in messages}

    return ask(build)


def rows_of(store):
    return [tuple(row) for row in store.connection.execute("SELECT * FROM messages ORDER BY ordinal")]


def test_branches_are_named_where_they_part_and_counted(ask, branched):
    opened = ask(lambda store: store.open_conversation("c"))
    assert opened.siblings == {branched["three"].id: (branched["two"].id, branched["three"].id)}
    assert opened.conversation.num_branches == 2


def test_chosen_message_is_shown_with_what_follows_it(ask, branched):
    ask(lambda store: store.choose_message(branched["re: two"].id))
    assert ask(lambda store: texts_of(store, "c")) == ["one", "re: one", "two", "re: two"]


def test_another_first_message_is_a_branch_too(ask, branched):
    root, _ = ask(lambda store: add_exchange(store, "c", "other"))
    opened = ask(lambda store: store.open_conversation("c"))
    assert opened.siblings == {root.id: (branched["one"].id, root.id)}
    assert opened.conversation.num_branches == 3
    ask(lambda store: store.choose_message(branched["two"].id))
    assert ask(lambda store: texts_of(store, "c"))[0] == "one"


@pytest.mark.parametrize(
    ("text", "left", "num_branches"),
    [
        ("three", ["one", "re: one", "two", "re: two"], 1),
        ("re: three", ["one", "re: one", "three"], 2),
        ("re: one", ["one"], 1),
        ("one", [], 1),
    ],
)
def test_deleted_messages_are_put_back_as_they_were(ask, branched, text, left, num_branches):
    before = ask(rows_of)
    deleted = ask(lambda store: store.delete_message(branched[text].id))
    assert ask(lambda store: texts_of(store, "c")) == left
    assert ask(lambda store: store.open_conversation("c")).conversation.num_branches == num_branches
    assert deleted.num_messages == len(before) - len(ask(rows_of))
    ask(lambda store: store.restore_messages(deleted))
    assert ask(rows_of) == before
    opened = ask(lambda store: store.open_conversation("c"))
    assert [message.text for message in opened.messages] == ["one", "re: one", "three", "re: three"]
    assert opened.conversation.num_branches == 2


def test_messages_are_not_put_back_where_what_they_followed_is_gone(ask, branched):
    deleted = ask(lambda store: store.delete_message(branched["re: three"].id))
    ask(lambda store: store.delete_message(branched["one"].id))
    with pytest.raises(UnknownMessageError, match="cannot be put back"):
        ask(lambda store: store.restore_messages(deleted))
    ask(lambda store: store.delete_conversation("c"))
    ask(lambda store: store.restore_messages(deleted))
    assert ask(rows_of) == []


def test_message_that_is_gone_can_neither_be_chosen_nor_deleted(ask, branched):
    for work in ("choose_message", "delete_message"):
        with pytest.raises(UnknownMessageError, match="no longer there"):
            ask(lambda store, work=work: getattr(store, work)("nowhere"))


def test_copy_of_a_chat_has_its_branches_and_lives_on_its_own(ask, branched):
    copy_id = ask(lambda store: store.duplicate_conversation("c"))
    ask(lambda store: store.delete_conversation("c"))
    (conversation,) = ask(lambda store: store.list_conversations()).conversations
    assert (conversation.id, conversation.title, conversation.num_branches) == (copy_id, "T copy", 2)
    opened = ask(lambda store: store.open_conversation(copy_id))
    assert [message.text for message in opened.messages] == ["one", "re: one", "three", "re: three"]
    first, _ = next(iter(opened.siblings.values()))
    ask(lambda store: store.choose_message(first))
    assert ask(lambda store: texts_of(store, copy_id))[-1] == "re: two"


def test_copy_of_a_path_ends_at_its_message(ask, branched):
    copy_id = ask(lambda store: store.duplicate_path("c", branched["two"].id))
    opened = ask(lambda store: store.open_conversation(copy_id))
    assert [message.text for message in opened.messages] == ["one", "re: one", "two"]
    assert (dict(opened.siblings), opened.conversation.num_branches) == ({}, 1)


def test_copy_of_a_running_reply_is_one_that_was_cut_off(ask, branched):
    ask(lambda store: store.connection.execute("UPDATE messages SET state = 'running' WHERE text = 're: three'"))
    copy_id = ask(lambda store: store.duplicate_conversation("c"))
    assert ask(lambda store: store.open_conversation(copy_id)).messages[-1].state is ReplyState.CUT_OFF


def test_tree_that_runs_in_a_circle_is_deleted_and_chosen_without_end(ask, branched):
    circle = (branched["re: three"].id, branched["one"].id)
    ask(lambda store: store.connection.execute("UPDATE messages SET parent_id = ? WHERE id = ?", circle))
    ask(lambda store: store.choose_message(branched["three"].id))
    ask(lambda store: store.delete_message(branched["three"].id))
    assert ask(rows_of) == []
