import pytest

from app.conversations.records import Attachment, ChatChoices, Conversation, Message, ReplyState
from app.conversations.store import UnknownConversationError
from engine.messages import Grammar, KvScheme, Sampling, Statistics
from tests.app.conversations.saved_chats import add_exchange, texts_of


def damage(store, text, column, value):
    store.connection.execute(f"UPDATE messages SET {column} = ? WHERE text = ?", (value, text))


def test_message_is_read_as_it_was_saved(ask):
    message = Message(
        id="m1",
        conversation_id="c",
        parent_id=None,
        role="assistant",
        text="日本語 \U0001f600",
        token_ids=(0, 5, 2**31 - 1),
        tokenizer_id="t",
        state=ReplyState.LIMIT,
        finish_reason="length",
        error="none",
        seed=2**63 - 1,
        temperature=0.7,
        rules=Sampling(stops=("a",), top_p=0.9, logit_bias=((3, -1.5),), grammar=Grammar("regex", "a*")),
        switches=(("thinking", "off"),),
        model="m",
        drafter="ngram",
        kv=KvScheme(4),
        context_length=4096,
        system_prompt="Be brief.",
        template="{{ messages }}",
        quantisation="4-bit",
        statistics=Statistics(num_tokens=3, proposed_by_position=(2, 1), acceptance_length=1.5),
        notices=("one", "two"),
        opening="<think>",
        thought_seconds=2.5,
        num_thought=7,
        drafted=((0, 1), (2, 4)),
        attachments=(Attachment("é.txt", "Zeile\n1"), Attachment("b.csv", "")),
        num_left_out=4,
        created_at=1.5,
        updated_at=2.5,
    )
    ask(lambda store: store.create_conversation(Conversation("c", "T", "m", "ngram", 1.0, 1.0)))
    ask(lambda store: store.add_message(message))
    assert ask(lambda store: store.open_conversation("c").messages) == (message,)


def test_path_follows_the_chosen_children(ask):
    def build(store):
        _, reply = add_exchange(store, "c", "one", title="T")
        add_exchange(store, "c", "two", reply.id)
        add_exchange(store, "c", "two again", reply.id)
        return texts_of(store, "c")

    assert ask(build) == ["one", "re: one", "two again", "re: two again"]


def test_list_order_does_not_depend_on_the_clock(ask):
    def build(store):
        for number, at in enumerate((3000.0, 2000.0, 1000.0)):
            store.create_conversation(Conversation(str(number), f"T{number}", "m", "none", at, at))
        store.touch_conversation("0", "m", 5.0)
        return [conversation.id for conversation in store.list_conversations().conversations]

    assert ask(build) == ["0", "2", "1"]


def test_rename_and_delete(ask):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: store.rename_conversation("c", "U"))
    assert [each.title for each in ask(lambda store: store.list_conversations().conversations)] == ["U"]
    ask(lambda store: store.delete_conversation("c"))
    assert ask(lambda store: store.list_conversations().conversations) == ()
    with pytest.raises(UnknownConversationError):
        ask(lambda store: store.open_conversation("c"))


def test_conversation_of_thousands_of_messages_is_deleted_whole(ask):
    def build(store):
        parent, title = None, "T"
        for number in range(1500):
            _, reply = add_exchange(store, "c", str(number), parent, title)
            parent, title = reply.id, None
        assert len(texts_of(store, "c")) == 3000

    ask(build)
    ask(lambda store: store.delete_conversation("c"))
    assert ask(lambda store: store.connection.execute("SELECT count(*) FROM messages").fetchone()[0]) == 0


def test_message_of_a_deleted_conversation_is_refused_and_nothing_is_kept(ask):
    with pytest.raises(Exception, match="FOREIGN KEY"):
        ask(lambda store: add_exchange(store, "nowhere", "one"))
    assert ask(lambda store: store.connection.execute("SELECT count(*) FROM messages").fetchone()[0]) == 0


@pytest.mark.parametrize(("column", "value"), [("role", "\0\0"), ("state", "asleep"), ("text", b"\0\0"), ("seed", "x")])
def test_damaged_message_is_named_and_the_others_open(ask, column, value):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: damage(store, "re: one", column, value))
    opened = ask(lambda store: store.open_conversation("c"))
    assert [message.text for message in opened.messages] == ["one"]
    assert opened.damaged[0].startswith(f"A message of “T” could not be read: {column}")


@pytest.mark.parametrize(("written", "num_read"), [("{}", None), ('{"num_read": null}', None), ('{"num_read": 7}', 7)])
def test_statistics_say_what_was_read_where_they_were_kept_with_it(ask, written, num_read):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: damage(store, "re: one", "statistics", written))
    reply = ask(lambda store: store.open_conversation("c").messages[-1])
    assert reply.statistics == Statistics(num_read=num_read)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("statistics", '{"num_tokens": null}'),
        ("statistics", '{"num_read": "7"}'),
        ("statistics", '{"depth_reason": 1}'),
        ("statistics", "\0"),
        ("token_ids", b"123"),
        ("notices", "{"),
        ("attachments", '[["a"]]'),
        ("drafted", b"123"),
        ("switches", '[["a"]]'),
        ("rules", '{"top_p": "much"}'),
        ("rules", '{"logit_bias": [3]}'),
    ],
)
def test_message_with_damaged_details_keeps_its_text(ask, caplog, column, value):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: damage(store, "re: one", column, value))
    reply = ask(lambda store: store.open_conversation("c").messages[-1])
    assert (reply.text, reply.statistics, reply.token_ids, reply.notices) == ("re: one", None, (), ())
    assert (reply.attachments, reply.drafted) == ((), ())
    assert (reply.switches, reply.rules) == ((), Sampling())
    assert {"rules": "sampling"}.get(column, column.replace("_", " ")) in caplog.text
    caplog.clear()


def test_damaged_conversation_is_named_and_the_others_are_listed(ask):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: add_exchange(store, "d", "two", title="U"))
    ask(lambda store: store.connection.execute("UPDATE conversations SET model = x'0000' WHERE id = 'c'"))
    listing = ask(lambda store: store.list_conversations())
    assert [conversation.id for conversation in listing.conversations] == ["d"]
    assert listing.damaged == (
        "The conversation 'c' could not be read: model is bytes instead of text. It was left as it is.",
    )


def test_broken_link_falls_back_to_the_latest_child(ask):
    def build(store):
        _, reply = add_exchange(store, "c", "one", title="T")
        add_exchange(store, "c", "two", reply.id)
        store.connection.execute("UPDATE messages SET chosen_child = NULL")
        return texts_of(store, "c")

    assert ask(build) == ["one", "re: one", "two", "re: two"]


def test_folder_pin_and_choices_are_kept(ask):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: store.set_folder("c", "Work"))
    ask(lambda store: store.set_pinned("c", True))
    ask(lambda store: store.set_choices("c", ChatChoices("suffix", "p", (("enable_thinking", "false"),))))
    (conversation,) = ask(lambda store: store.list_conversations()).conversations
    assert (conversation.folder, conversation.is_pinned) == ("Work", True)
    assert (conversation.drafter, conversation.preset) == ("suffix", "p")
    assert conversation.switches == (("enable_thinking", "false"),)


def test_folder_is_renamed_with_all_that_is_in_it(ask):
    for conversation_id in "cd":
        ask(lambda store, one=conversation_id: add_exchange(store, one, "one", title="T"))
        ask(lambda store, one=conversation_id: store.set_folder(one, "Work"))
    ask(lambda store: store.rename_folder("Work", "Home"))
    assert {one.folder for one in ask(lambda store: store.list_conversations()).conversations} == {"Home"}


def test_damaged_switches_and_folder_do_not_hide_a_chat(ask, caplog):
    ask(lambda store: add_exchange(store, "c", "one", title="T"))
    ask(lambda store: store.connection.execute("UPDATE conversations SET switches = '[1]', folder = x'00'"))
    (conversation,) = ask(lambda store: store.list_conversations()).conversations
    assert (conversation.switches, conversation.folder) == ((), "")
    assert "switches of 'c' are damaged" in caplog.text
    caplog.clear()


def test_long_list_takes_one_query(ask):
    for number in range(30):
        ask(lambda store, number=number: add_exchange(store, str(number), "one", title="T"))
    statements = []
    ask(lambda store: store.connection.set_trace_callback(statements.append))
    assert len(ask(lambda store: store.list_conversations()).conversations) == 30
    ask(lambda store: store.connection.set_trace_callback(None))
    assert [statement for statement in statements if "FROM conversations" in statement] == [
        "SELECT * FROM conversations ORDER BY activity DESC"
    ]
