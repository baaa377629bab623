"""Files that a message quotes: what is read, and what is refused with a sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.chat.attachments import MOST_BYTES, AttachmentError, pasted, read_attachment
from app.conversations.records import Attachment

TEXT = "Grüße aus Zürich, naïve café\nzweite Zeile\n"


def refusal_of(path: Path) -> str:
    with pytest.raises(AttachmentError) as refusal:
        read_attachment(path)
    return str(refusal.value)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "iso-8859-1"]
)
def test_text_is_read_in_the_encoding_that_it_has(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(TEXT.encode(encoding))
    assert read_attachment(path) == Attachment("notes.md", TEXT)


def test_lines_end_alike_whatever_system_wrote_them(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\r\n1,2\rx\n")
    assert read_attachment(path).text == "a,b\n1,2\nx\n"


@pytest.mark.parametrize(
    "content", [b"\0\0\0\x18ftypheic", b"\x89PNG\r\n\x1a\n", b"%PDF-1.7 text", os.urandom(5000) + b"\0", b"\x01\x02ab"]
)
def test_what_is_no_text_is_refused_with_what_can_be_attached(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "photo.heic"
    path.write_bytes(content)
    assert refusal_of(path) == "photo.heic is not text. Text, Markdown, code, CSV and JSON can be attached."


@pytest.mark.parametrize("encoding", ["cp1251", "shift_jis"])
def test_text_in_another_encoding_is_refused_rather_than_garbled(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes({"cp1251": "Привет, мир", "shift_jis": "日本語のテキスト"}[encoding].encode(encoding))
    said = "notes.txt is in an encoding that is not known here. Save it as UTF-8 and attach it again."
    assert refusal_of(path) == said


def test_a_huge_file_is_refused_unread_with_its_size_and_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    with path.open("wb") as file:
        file.truncate(41_000_000_000)
    assert refusal_of(path) == "server.log has 41\u00a0GB; an attachment may have 4\u00a0MB. Attach a part of it."


def test_the_largest_file_that_may_be_attached_is_read(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"x" * MOST_BYTES)
    assert len(read_attachment(path).text) == MOST_BYTES


def test_what_is_no_file_or_empty_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty.txt").touch()
    assert refusal_of(tmp_path) == f"{tmp_path.name} is a folder. Attach the files in it."
    assert refusal_of(tmp_path / "pipe").startswith("pipe is not a file.")
    assert refusal_of(tmp_path / "empty.txt") == "empty.txt is empty."
    assert refusal_of(tmp_path / "gone.txt") == "gone.txt could not be read: No such file or directory."


def test_a_name_with_line_ends_is_shown_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.txt"
    path.write_text("text")
    assert read_attachment(path).name == "a?b.txt"


def test_each_paste_has_a_name_of_its_own() -> None:
    assert pasted("x", {"Pasted text", "Pasted text 2"}) == Attachment("Pasted text 3", "x")
