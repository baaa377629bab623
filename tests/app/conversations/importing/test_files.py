import json
import zipfile

import pytest

from app.conversations.importing.files import read_paths
from tests.app.conversations.importing.chat_files import (
    chatgpt_chat,
    chatgpt_node,
    lm_studio_chat,
    lm_studio_message,
)

CHATS = [chatgpt_chat(chatgpt_node("u", "root", "user", "x" * 1000), conversation_id=str(n)) for n in range(700)]


@pytest.fixture
def write(tmp_path):
    """Write a file of JSON, text or bytes; returns its path."""

    def put(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return put


@pytest.mark.parametrize("indent", [None, 2])
def test_long_array_is_read_whole(write, indent):
    path = write("conversations.json", json.dumps(CHATS, indent=indent))
    found = read_paths([path], ())
    assert (len(found.chats), found.unreadable) == (700, ())


def test_chats_that_are_here_or_come_twice_are_counted_once(write):
    path = write("conversations.json", CHATS[:3])
    known = read_paths([path], ()).chats[0].conversation.id
    found = read_paths([path, path], {known})
    assert (len(found.chats), found.num_known) == (2, 1)
    assert found.describe() == "3 chats, 1 of them already here."


def test_archive_is_read_without_being_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/conversations-000.json", json.dumps(CHATS[:2]))
        archive.writestr("data/conversations-001.json", json.dumps(CHATS[2:3]))
        archive.writestr("../../escape.json", "[]")
        archive.writestr("user.json", "{}")
    found = read_paths([tmp_path / "export.zip"], ())
    assert (len(found.chats), found.unreadable) == (3, ())
    assert not list(tmp_path.rglob("*.json"))
    assert not (tmp_path.parent.parent / "escape.json").exists()


def test_folder_of_lm_studio_is_read_with_its_folders(write, tmp_path):
    chat = lm_studio_chat(lm_studio_message("user", "x"))
    write("conversations/1.conversation.json", chat)
    write("conversations/work/2.conversation.json", chat)
    write("conversations/settings.json", {"theme": "dark"})
    found = read_paths([tmp_path / "conversations"], ())
    assert sorted(one.conversation.folder for one in found.chats) == ["", "work"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "character 0"),
        (b"not json", "character 0"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b"[" * 100_000, "is no chat"),
        (b"{}", "no chat of Slipstream, ChatGPT or LM Studio"),
        (b"[1, 2]", "no chat of Slipstream"),
        (b'{"format": "slipstream-chats", "version": 99, "chats": []}', "later Slipstream"),
        (b"PK\x03\x04 cut off", "character 0"),
        (b"9" * 10_000, "no chat"),
    ],
)
def test_file_that_cannot_be_read_is_named_with_the_reason(write, content, reason):
    found = read_paths([write("export.json", content)], ())
    assert found.chats == ()
    assert "export.json was left out: " in found.unreadable[0]
    assert reason in found.unreadable[0]


def test_file_that_breaks_off_gives_what_came_before(write):
    whole = json.dumps(CHATS)
    found = read_paths([write("conversations.json", whole[: len(whole) // 2])], ())
    assert 300 < len(found.chats) < 360
    assert len(found.unreadable) == 1
    assert found.unreadable[0].startswith("The rest of conversations.json was left out: ")
    assert "at character" in found.unreadable[0]


def test_broken_chat_costs_no_other(write):
    found = read_paths([write("conversations.json", [CHATS[0], {"title": "Empty", "mapping": {}}, CHATS[1]])], ())
    assert found.unreadable == ("“Empty” in conversations.json was left out: it has no messages.",)
    assert len(found.chats) == 2
    assert found.describe() == "2 chats, 1 that cannot be read."


@pytest.mark.parametrize("damage", [b"PK\x05\x06" + b"\0" * 18, None])
def test_archive_without_chats_or_with_damage_is_named(tmp_path, damage):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(CHATS))
    data = bytearray(path.read_bytes())
    data[200:300] = b"\0" * 100
    path.write_bytes(damage or data)
    found = read_paths([path], ())
    assert "export.zip was left out" in found.unreadable[0] or "conversations.json was left out" in found.unreadable[0]


def test_what_would_not_fit_in_memory_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("app.conversations.importing.files.MOST_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", "[" + " " * 100_000 + "]")
    found = read_paths([tmp_path / "bomb.zip"], ())
    assert "GB can be read" in found.unreadable[0]


@pytest.mark.parametrize("is_archive", [True, False])
def test_all_files_of_an_import_share_one_limit(write, tmp_path, monkeypatch, is_archive):
    text = json.dumps(CHATS[:3])
    monkeypatch.setattr("app.conversations.importing.files.MOST_BYTES", int(len(text) * 2.5))
    paths = [write(f"{number}/conversations.json", text.replace('_id": "', f'_id": "{number}-')) for number in range(4)]
    if is_archive:
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            for path in paths:
                archive.write(path, path.relative_to(tmp_path))
        paths = [tmp_path / "all.zip"]
    found = read_paths(paths, ())
    assert len(found.chats) == 6
    assert len(found.unreadable) == 2
    assert all("in one import" in sentence for sentence in found.unreadable)


def test_archive_that_unpacks_to_more_than_chats_do_is_not_unpacked(tmp_path):
    chat = json.dumps([chatgpt_chat(chatgpt_node("u", "root", "user", "x" * 9_000_000))])
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", chat)
    found = read_paths([tmp_path / "bomb.zip"], ())
    assert (found.chats, len(found.unreadable)) == ((), 1)
    assert "unpacks to more than chats do" in found.unreadable[0]


def test_missing_file_is_named(tmp_path):
    assert "No such file" in read_paths([tmp_path / "gone.json"], ()).unreadable[0]
