import json
from dataclasses import replace

import pytest

from app.conversations.exporting.files import file_name, write_json, write_markdown
from app.conversations.records import Attachment, Conversation, Message, ReplyState
from app.conversations.whole_chat import WholeChat
from engine.messages import STARTER, ReasoningTags

CONVERSATION = Conversation("c", "Ice / water?", "m", "none", 1e9, 1e9)
USER = Message("u", "c", None, "user", "Why?", attachments=(Attachment("a.py", "x = '```'"),), created_at=1e9)
REPLY = Message("r", "c", "u", "assistant", "<think>\nSo.\n\nYes.\n</think>\n\n**Because**", model="/models/Tiny 4-bit")
CHAT = WholeChat(CONVERSATION, (USER, REPLY, replace(REPLY, id="other", text="Another")), "r")


def test_markdown_has_the_branch_that_is_shown(tmp_path):
    assert write_markdown([CHAT], tmp_path / "chat.md", is_folder=False) == 1
    assert (tmp_path / "chat.md").read_text().splitlines() == [
        "# Ice / water?",
        "",
        "2001-09-09",
        "",
        "## You",
        "",
        "Why?",
        "",
        "Attached: a.py",
        "",
        "````",
        "x = '```'",
        "````",
        "",
        "## Reply (Tiny 4-bit)",
        "",
        "> **Reasoning**",
        ">",
        "> So.",
        ">",
        "> Yes.",
        "",
        "**Because**",
    ]


@pytest.mark.parametrize("model", ["/models/Tiny 4-bit", "another"])
def test_reasoning_in_the_tags_of_its_own_model_is_told_apart(tmp_path, model):
    chat = WholeChat(CONVERSATION, (USER, replace(REPLY, text="<muse>So.</muse>Because")), "r")
    tags = {model: (ReasoningTags("<muse>", "</muse>"),)}
    write_markdown([chat], tmp_path / "chat.md", is_folder=False, tags=tags)
    assert ("> So." in (tmp_path / "chat.md").read_text()) == (model == REPLY.model)


@pytest.mark.parametrize("text", ["<think>Hello! How are you?", "Hello! <think> How are you?"])
def test_reply_whose_reasoning_never_ends_is_written_whole(tmp_path, text):
    cut = WholeChat(CONVERSATION, (USER, replace(REPLY, text=text, state=ReplyState.CUT_OFF)), "r")
    write_markdown([cut], tmp_path / "chat.md", is_folder=False)
    written = (tmp_path / "chat.md").read_text()
    assert "How are you?" in written
    assert "*This reply was cut off.*" in written


def test_each_chat_has_a_file_and_none_is_overwritten(tmp_path):
    (tmp_path / "Ice water.md").write_text("mine")
    assert write_markdown([CHAT, CHAT], tmp_path, is_folder=True) == 2
    assert sorted(file.name for file in tmp_path.glob("*.md")) == ["Ice water 2.md", "Ice water 3.md", "Ice water.md"]
    assert (tmp_path / "Ice water.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc passwd"),
        ("", "New chat"),
        ("...", "New chat"),
        ("a\0b", "a b"),
        ("日" * 99, "日" * 40),
    ],
)
def test_title_becomes_a_name_that_every_system_takes(title, name):
    assert file_name(title) == name


def test_json_has_every_branch(tmp_path):
    assert write_json([CHAT, CHAT], tmp_path / "chats.json") == 2
    written = json.loads((tmp_path / "chats.json").read_text())
    assert (written["format"], written["version"], len(written["chats"])) == ("slipstream-chats", 1, 2)
    assert [message["text"] for message in written["chats"][0]["messages"]] == [USER.text, REPLY.text, "Another"]


def test_export_that_fails_leaves_the_earlier_file(tmp_path):
    def break_off():
        yield CHAT
        raise OSError(28, "No space left on device")

    (tmp_path / "chats.json").write_text("earlier")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError, match="No space"):
        write_json(break_off(), tmp_path / "chats.json")
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "chats.json").read_text() == "earlier"


def test_the_model_of_a_reply_is_called_as_in_the_window(tmp_path):
    starter = replace(CHAT, messages=tuple(replace(each, model=each.model and STARTER) for each in CHAT.messages))
    write_markdown([starter], tmp_path / "chat.md", is_folder=False)
    assert "## Reply (SmolLM2 135M)" in (tmp_path / "chat.md").read_text()
