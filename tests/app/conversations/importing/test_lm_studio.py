import pytest

from app.conversations.importing.lm_studio import read_lm_studio
from app.conversations.importing.values import UnreadableChatError
from tests.app.conversations.importing.chat_files import lm_studio_chat, lm_studio_message


def test_versions_are_branches_and_the_chat_goes_on_under_the_selected_one():
    chat = read_lm_studio(
        lm_studio_chat(
            lm_studio_message("user", "Why?"),
            lm_studio_message("assistant", "One", "Two", "Three", selected=1),
            lm_studio_message("user", "And?"),
            pinned=True,
        ),
        "1700000000000",
        "work",
    )
    by_text = {message.text: message for message in chat.messages}
    assert {by_text[text].parent_id for text in ("One", "Two", "Three")} == {by_text["Why?"].id}
    assert by_text["And?"].parent_id == by_text["Two"].id
    assert chat.shown == by_text["And?"].id
    conversation = chat.conversation
    assert (conversation.title, conversation.folder, conversation.is_pinned) == ("Ice", "work", True)
    assert (conversation.created_at, by_text["Two"].model) == (1.7e9, "qwen/qwen3")


def test_reasoning_folds_and_what_is_no_text_is_left_out_or_named():
    steps = [
        {
            "type": "contentBlock",
            "style": {"type": "thinking", "ended": True, "title": "Thought for 19.35 seconds"},
            "content": [{"type": "text", "text": "Hm."}],
        },
        {"type": "toolStatus", "statusState": {}},
        {"type": "contentBlock", "content": [{"type": "text", "text": "Yes."}, {"type": "mystery"}]},
        {"type": "debugInfoBlock", "debugInfo": "x"},
    ]
    picture = {"type": "file", "fileIdentifier": "431.png", "fileType": "image"}
    user = {"versions": [{"role": "user", "content": [{"type": "text", "text": "See"}, picture]}]}
    reply = {"versions": [{"type": "multiStep", "role": "assistant", "steps": steps}], "currentlySelected": 0}
    question, answer = read_lm_studio(lm_studio_chat(user, reply), "x").messages
    assert question.text == "See\n[file: 431.png]\n"
    assert (answer.text, answer.thought_seconds) == ("<think>\nHm.\n</think>\n\nYes.", 19.35)


def test_system_prompt_comes_first():
    chat = read_lm_studio(lm_studio_chat(lm_studio_message("user", "x"), systemPrompt="Be brief."), "x")
    assert [(message.role, message.text) for message in chat.messages] == [("system", "Be brief."), ("user", "x")]


def test_messages_of_earlier_versions_are_read():
    chat = read_lm_studio({"messages": [{"role": "user", "content": "Why does ice float?"}]}, "x")
    assert (chat.conversation.title, chat.messages[0].text) == ("Why does ice float?", "Why does ice float?")


@pytest.mark.parametrize("messages", [[], [1, None], [{"versions": [{"role": "alien"}]}], [{"versions": 7}]])
def test_chat_without_messages_is_refused(messages):
    with pytest.raises(UnreadableChatError, match="no messages"):
        read_lm_studio({"messages": messages}, "x")


@pytest.mark.parametrize("selected", [7, -3, None, "1"])
def test_selection_that_does_not_exist_falls_to_the_last_version(selected):
    message = lm_studio_message("assistant", "One", "Two", selected=selected)
    chat = read_lm_studio(lm_studio_chat(message, lm_studio_message("user", "x")), "x")
    assert chat.messages[2].parent_id == chat.messages[1].id
