import pytest

from app.conversations.importing.chatgpt import read_chatgpt
from app.conversations.importing.values import UnreadableChatError
from tests.app.conversations.importing.chat_files import chatgpt_chat, chatgpt_node


def texts_of(chat):
    return [message.text for message in chat.messages]


def test_chat_keeps_its_branches_and_shows_the_one_that_was_shown():
    chat = read_chatgpt(
        chatgpt_chat(
            chatgpt_node("u", "root", "user", "Why?"),
            chatgpt_node("a", "u", "assistant", "One", metadata={"model_slug": "gpt-4o"}),
            chatgpt_node("b", "u", "assistant", "Two"),
            current="a",
        )
    )
    user, first, second = chat.messages
    assert [(one.role, one.text, one.parent_id) for one in chat.messages] == [
        ("user", "Why?", None),
        ("assistant", "One", user.id),
        ("assistant", "Two", user.id),
    ]
    assert (chat.shown, first.model, second.model) == (first.id, "gpt-4o", "")
    assert (chat.conversation.title, chat.conversation.updated_at) == ("Ice", 1.7e9 + 60)


def test_what_no_one_was_shown_is_left_out():
    chat = read_chatgpt(
        chatgpt_chat(
            chatgpt_node("s", "root", "system", "", weight=0.0),
            chatgpt_node("c", "s", "user", {"content_type": "user_editable_context", "user_profile": "me"}),
            chatgpt_node("u", "c", "user", "Why?"),
            chatgpt_node("h", "u", "assistant", "x", metadata={"is_visually_hidden_from_conversation": True}),
            chatgpt_node("a", "h", "assistant", "Because\ue200cite\ue202turn0\ue201."),
        )
    )
    assert texts_of(chat) == ["Why?", "Because."]
    assert chat.messages[1].parent_id == chat.messages[0].id


def test_nodes_of_one_reply_are_one_message_with_its_reasoning_first():
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "Add."}]}
    recap = {"content_type": "reasoning_recap", "content": "Thought for 6 seconds"}
    code = {"content_type": "code", "language": "python", "text": "1 + 1"}
    result = {"content_type": "execution_output", "text": "2"}
    chat = read_chatgpt(
        chatgpt_chat(
            chatgpt_node("u", "root", "user", "1 + 1?"),
            chatgpt_node("t", "u", "assistant", thoughts),
            chatgpt_node("k", "t", "assistant", recap, metadata={"finished_duration_sec": 6}),
            chatgpt_node("c", "k", "assistant", code, recipient="python"),
            chatgpt_node("o", "c", "tool", result),
            chatgpt_node("a", "o", "assistant", "It is 2."),
        )
    )
    _, reply = chat.messages
    assert reply.text == ("<think>\nPlan\n\nAdd.\n</think>\n\n```python\n1 + 1\n```\n\n```\n2\n```\n\nIt is 2.")
    assert (reply.thought_seconds, chat.shown) == (6.0, reply.id)


def test_pictures_are_named_and_what_was_heard_is_text():
    content = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "sediment://x"},
            {"content_type": "audio_transcription", "text": "Hello"},
            "Look",
        ],
    }
    chat = read_chatgpt(chatgpt_chat(chatgpt_node("u", "root", "user", content)))
    assert texts_of(chat) == ["[image]\nHello\nLook"]


def test_same_chat_has_the_same_id_whenever_it_is_read():
    first, second = (read_chatgpt(chatgpt_chat(chatgpt_node("u", "root", "user", "x"))) for _ in range(2))
    assert first.conversation.id == second.conversation.id
    assert first.messages[0].id != second.messages[0].id


def test_circle_and_missing_parent_lose_nothing():
    first, second = chatgpt_node("a", "b", "user", "A"), chatgpt_node("b", "a", "assistant", "B")
    chat = read_chatgpt(chatgpt_chat(first, second, chatgpt_node("c", "gone", "user", "C"), current="b"))
    assert sorted(texts_of(chat)) == ["A", "B", "C"]
    known = set()
    for message in chat.messages:
        assert message.parent_id is None or message.parent_id in known
        known.add(message.id)


def test_long_chain_is_read_without_recursion():
    nodes = [chatgpt_node("0", "root", "user", "0")]
    nodes += [chatgpt_node(str(n), str(n - 1), ("user", "assistant")[n % 2], str(n)) for n in range(1, 5000)]
    assert len(read_chatgpt(chatgpt_chat(*nodes)).messages) == 5000


@pytest.mark.parametrize("mapping", [{}, {"a": 1}, {"a": {"message": []}}, {"a": {"message": {"author": "user"}}}])
def test_chat_without_messages_is_refused(mapping):
    with pytest.raises(UnreadableChatError, match="no messages"):
        read_chatgpt({"mapping": mapping})


def test_times_and_text_that_make_no_sense_are_left_out():
    node = chatgpt_node("u", "root", "user", "a\0b\ud83d", create_time="soon")
    chat = read_chatgpt(chatgpt_chat(node, create_time=float("nan"), update_time=-5, title=None))
    assert texts_of(chat) == ["ab\ufffd"]
    assert (chat.conversation.created_at, chat.conversation.updated_at) == (0.0, 0.0)
