"""What is written and not sent is there at the next start, attachments too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.chat.draft import Draft
from app.conversations.records import Attachment, ChatChoices
from app.tabs.open_tabs import FILE_NAME, FOLDER_NAME, OpenTab, OpenTabs, read_open_tabs, write_open_tabs

NOTES = Attachment("notes.md", "# Notes\n\ud83d half")
DRAFTS = (Draft("one", (NOTES, Attachment("b.csv", "a,b"))), Draft("two", (NOTES,), "m", 4))


def texts_in(folder: Path) -> list[Path]:
    return sorted((folder / FOLDER_NAME).glob("*"))


def test_all_comes_back_as_it_was(tmp_path: Path) -> None:
    tabs = OpenTabs(
        (OpenTab("a"), OpenTab(page="model"), OpenTab()),
        1,
        {"a": DRAFTS, "": (Draft("three"),)},
        {"b": "m"},
        ChatChoices("suffix", "p", (("enable_thinking", "false"),), "Work"),
        {"c": "unread"},
    )
    write_open_tabs(tmp_path, tabs)
    assert read_open_tabs(tmp_path) == tabs


def test_an_attached_text_is_written_once_and_goes_when_it_is_sent(tmp_path: Path) -> None:
    write_open_tabs(tmp_path, OpenTabs((), 0, {"a": DRAFTS}))
    first, second = texts_in(tmp_path)
    written = first.stat().st_mtime_ns, second.stat().st_mtime_ns
    write_open_tabs(tmp_path, OpenTabs((), 0, {"a": (Draft("more", DRAFTS[0].attachments),)}))
    assert tuple(path.stat().st_mtime_ns for path in texts_in(tmp_path)) == written
    write_open_tabs(tmp_path, OpenTabs())
    assert texts_in(tmp_path) == []


def test_a_draft_whose_attachment_is_gone_keeps_its_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_open_tabs(tmp_path, OpenTabs((), 0, {"a": DRAFTS[:1]}))
    texts_in(tmp_path)[0].unlink()
    (draft,) = read_open_tabs(tmp_path).drafts["a"]
    assert (draft.text, len(draft.attachments)) == ("one", 1)
    assert "an attachment that was not sent was not read" in caplog.text
    caplog.clear()


def test_a_name_in_the_file_reaches_nothing_outside_its_folder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    write_open_tabs(tmp_path, OpenTabs((), 0, {"a": DRAFTS[:1]}))
    kept = json.loads((tmp_path / FILE_NAME).read_text())
    kept["drafts"]["a"][0]["attachments"] = [{"name": "x", "file": "../secret.txt"}]
    (tmp_path / FILE_NAME).write_text(json.dumps(kept))
    assert read_open_tabs(tmp_path).drafts == {"a": (Draft("one"),)}
    caplog.clear()


def test_texts_of_an_earlier_file_become_drafts(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('{"conversation_ids": ["a"], "current": 0, "drafts": {"a": "one\\ntwo"}}')
    assert read_open_tabs(tmp_path) == OpenTabs((OpenTab("a"),), 0, {"a": (Draft("one\ntwo"),)})


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"drafts": {"a": [{"text": "x"}]}, "conversation_ids": []}'])
def test_a_damaged_file_opens_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture, damaged: str) -> None:
    (tmp_path / FILE_NAME).write_text(damaged)
    assert read_open_tabs(tmp_path) == OpenTabs()
    caplog.clear()
