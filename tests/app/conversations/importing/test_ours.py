from dataclasses import replace

import pytest

from app.conversations.exporting.files import write_json
from app.conversations.importing.files import read_paths
from app.conversations.importing.ours import read_ours
from app.conversations.importing.values import UnreadableChatError
from app.conversations.records import Attachment, Conversation, Message, ReplyState, new_id
from app.conversations.whole_chat import WholeChat
from engine.messages import KvScheme, Statistics

CONVERSATION = Conversation(
    new_id(), "Ice", "m", "ngram", 5.0, 6.0, folder="Work", is_pinned=True, switches=(("think", "off"),), preset="p"
)
USER = Message("u", CONVERSATION.id, None, "user", "日本\n", attachments=(Attachment("a", "b"),), num_left_out=2)
REPLY = Message(
    id="r",
    conversation_id=CONVERSATION.id,
    parent_id="u",
    role="assistant",
    text="Because",
    token_ids=(1, 2**31 - 1),
    tokenizer_id="t",
    state=ReplyState.LIMIT,
    finish_reason="length",
    error="e",
    seed=2**63 - 1,
    temperature=0.5,
    model="m",
    drafter="ngram",
    kv=KvScheme(4),
    context_length=4096,
    system_prompt="Be brief.",
    template="{{ messages }}",
    quantisation="4-bit",
    statistics=Statistics(num_tokens=2, proposed_by_position=(1, 1)),
    notices=("n",),
    opening="<think>",
    thought_seconds=1.5,
    num_thought=3,
    drafted=((0, 2), (3, 7)),
    created_at=5.0,
    updated_at=6.0,
)


def without_ids(messages):
    """Of messages, tokens and templates, which no file can bring."""
    return [replace(one, id="", parent_id=None, token_ids=(), tokenizer_id="", template="") for one in messages]


def test_exported_chats_are_imported_as_they_were(tmp_path):
    chat = WholeChat(CONVERSATION, (USER, REPLY, replace(REPLY, id="s", text="Other way")), "r")
    write_json([chat, WholeChat(replace(CONVERSATION, id=new_id()), ())], tmp_path / "x.json")
    read, empty = read_paths([tmp_path / "x.json"], ()).chats
    assert read.conversation == CONVERSATION
    assert without_ids(read.messages) == without_ids(chat.messages)
    assert {(one.token_ids, one.tokenizer_id, one.template) for one in read.messages} == {((), "", "")}
    user, reply, other = read.messages
    assert (reply.parent_id, other.parent_id, read.shown) == (user.id, user.id, reply.id)
    assert not {message.id for message in read.messages} & {"u", "r", "s"}
    assert empty.messages == ()


def test_reply_that_ran_when_it_was_exported_is_one_that_was_cut_off(tmp_path):
    write_json([WholeChat(CONVERSATION, (replace(REPLY, state=ReplyState.RUNNING),), "r")], tmp_path / "x.json")
    (chat,) = read_paths([tmp_path / "x.json"], ()).chats
    assert chat.messages[0].state is ReplyState.CUT_OFF


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("token_ids", [1, 2]),
        ("kv", [5, 64, 0]),
        ("context_length", -1),
        ("system_prompt", "not among the texts"),
        ("tokenizer_id", "t"),
        ("drafted", [[0, 99]]),
        ("drafted", [[2, 3], [1, 2]]),
        ("drafted", [1]),
        ("seed", 2**64),
        ("num_left_out", -1),
        ("temperature", "hot"),
        ("thought_seconds", -4),
        ("statistics", {"num_tokens": "many"}),
        ("statistics", []),
        ("attachments", [7]),
        ("notices", 5),
        ("error", None),
    ],
)
def test_details_that_make_no_sense_are_left_out_and_the_text_stays(name, value):
    message = {"id": "m", "role": "assistant", "text": "Because", name: value}
    chat = read_ours({"id": "x", "shown": "m", "messages": [message]})
    read = replace(chat.messages[0], id="", attachments=())
    assert read == Message("", chat.conversation.id, None, "assistant", "Because")


@pytest.mark.parametrize(
    "messages", [[{"id": 1, "role": "user"}], [{"id": "a", "role": "x"}], [{"id": "a", "role": "user"}] * 2, [[]]]
)
def test_messages_without_an_id_of_their_own_or_a_role_are_refused(messages):
    with pytest.raises(UnreadableChatError):
        read_ours({"id": "x", "shown": None, "messages": messages})


def test_id_that_no_database_holds_is_replaced():
    first, second = (read_ours({"id": name, "shown": None, "messages": []}) for name in ("\ud800", "../x"))
    assert len({first.conversation.id, second.conversation.id}) == 2
    assert all(len(chat.conversation.id) == 32 for chat in (first, second))
