"""Attachments: reads text files that a message is to quote, and says why one cannot be quoted."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

from app.conversations.records import Attachment
from app.figures import write_bytes

MOST_BYTES = 4_000_000  # of one file: a million tokens or so, more than any context holds
MOST_AT_ONCE = 20  # attachments of one message
MOST_CHARACTERS = 4_000_000  # of all of them: they are kept again whenever typing pauses
LONG_PASTE = 20_000  # characters; a longer paste becomes an attachment
KINDS = "Text, Markdown, code, CSV and JSON can be attached."
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = (b"%PDF-", b"PK\x03\x04", b"{\\rtf", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"\x7fELF")
_CONTROLS = frozenset(range(32)) - frozenset(b"\b\t\n\f\r\x1b")  # what no text has; logs have ESC
_SAMPLE = 65_536  # bytes that show whether a file is text
_MOST_FOREIGN = 0.3  # share of bytes above 127 in a text of Western Europe


class AttachmentError(Exception):
    """Why a file cannot be attached, as a sentence for the user."""


def read_attachment(path: Path) -> Attachment:
    """The text of a file, whatever it is encoded in; lines end with a line feed. Raises AttachmentError."""
    name = _shown_name(path)
    content = _read(path, name)
    if not content:
        raise AttachmentError(f"{name} is empty.")
    text = decode(content)
    if text is None and _looks_like_text(content[:_SAMPLE]):
        raise AttachmentError(f"{name} is in an encoding that is not known here. Save it as UTF-8 and attach it again.")
    if text is None:
        raise AttachmentError(f"{name} is not text. {KINDS}")
    return Attachment(name, text.replace("\r\n", "\n").replace("\r", "\n"))


def pasted(text: str, names: set[str]) -> Attachment:
    """A paste as an attachment, with a name that is not among `names`."""
    name, number = "Pasted text", 1
    while name in names:
        number += 1
        name = f"Pasted text {number}"
    return Attachment(name, text)


def decode(content: bytes) -> str | None:
    """Text in UTF-8, UTF-16, UTF-32 or an encoding of Western Europe; None where it is none of these."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode(content, encoding)
    sample = content[:_SAMPLE]
    if 0 in sample:
        return _decode_wide(content)
    if not _looks_like_text(sample):
        return None
    text = _decode(content, "utf-8")
    if text is None and sum(byte > 127 for byte in sample) <= _MOST_FOREIGN * len(sample):
        text = _decode(content, "cp1252")
    return text


def _shown_name(path: Path) -> str:
    """A file's name in one line; systems allow controls and bytes that are no text in it."""
    name = path.name.encode("utf-8", "replace").decode("utf-8")
    return "".join(character if character.isprintable() else "?" for character in name) or str(path)


def _read(path: Path, name: str) -> bytes:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise AttachmentError(f"{name} is a folder. Attach the files in it.")
        if not stat.S_ISREG(found.st_mode):
            raise AttachmentError(f"{name} is not a file. {KINDS}")
        if found.st_size > MOST_BYTES:
            size, most = write_bytes(found.st_size), write_bytes(MOST_BYTES)
            raise AttachmentError(f"{name} has {size}; an attachment may have {most}. Attach a part of it.")
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError as error:
        raise AttachmentError(f"{name} could not be read: {error.strerror or error}.") from error


def _looks_like_text(sample: bytes) -> bool:
    return not sample.startswith(_NOT_TEXT) and _CONTROLS.isdisjoint(sample)


def _decode_wide(content: bytes) -> str | None:
    """UTF-16 without a mark: in most texts every second byte of it is 0."""
    even, odd = content[:_SAMPLE:2].count(0), content[1:_SAMPLE:2].count(0)
    half = min(len(content), _SAMPLE) // 2
    if max(even, odd) < half // 2 or min(even, odd) > half // 10:
        return None
    return _decode(content, "utf-16-be" if even > odd else "utf-16-le")


def _decode(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
