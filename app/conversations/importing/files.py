"""Finds chats in the files, archives and folders that someone chose; writes nothing anywhere."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from app.conversations.importing.chatgpt import is_chatgpt, read_chatgpt
from app.conversations.importing.found import Found, found_among
from app.conversations.importing.json_stream import BrokenJsonError, elements_of
from app.conversations.importing.lm_studio import is_lm_studio, read_lm_studio
from app.conversations.importing.ours import HEADER, check_version, is_ours, read_ours
from app.conversations.importing.values import UnreadableChatError, fields_of, items_of, text_of
from app.conversations.titles import clean_title
from app.conversations.whole_chat import WholeChat

MOST_BYTES = 1 << 30  # of one import, unpacked
MOST_RATIO = 50  # of an archive's file, unpacked to packed; that of chats is under 20
MOST_PACKED_WELL = 1 << 22  # bytes, unpacked, of which any ratio is believed
MOST_FILES = 50_000
_WANTED = re.compile(r"(conversations[^/]*|[^/]*\.conversation)\.json", re.IGNORECASE)
_FAULTS = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError)
_SUFFIX = ".conversation.json"


class _Reading:
    """Gathers chats and what is wrong with the others."""

    def __init__(self) -> None:
        self.chats: list[WholeChat] = []
        self.unreadable: list[str] = []
        self._num_bytes = 0  # that were read or unpacked

    def read_path(self, path: Path) -> None:
        if path.is_dir():
            for file in _files_in(path):
                self._read_file(file, str(file.parent.relative_to(path)).removeprefix("."))
        else:
            self._read_file(path, "")

    def _read_file(self, path: Path, folder: str) -> None:
        try:
            if zipfile.is_zipfile(path):
                self._read_archive(path)
            elif self._has_room(path.name, path.stat().st_size):
                with path.open("rb") as stream:
                    self._read_stream(stream, path.name, folder)
        except _FAULTS as error:
            self._leave_out(path.name, getattr(error, "strerror", None) or str(error))

    def _read_archive(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if _WANTED.fullmatch(one.filename.rsplit("/", 1)[-1])]
            if not members:
                self._leave_out(path.name, "it has no conversations.json")
            for member in members[:MOST_FILES]:
                if member.file_size > max(MOST_PACKED_WELL, member.compress_size * MOST_RATIO):
                    self._leave_out(member.filename, "it unpacks to more than chats do")
                elif self._has_room(member.filename, member.file_size):
                    with archive.open(member) as stream:
                        self._read_stream(stream, member.filename.rsplit("/", 1)[-1], "")

    def _has_room(self, name: str, num_bytes: int) -> bool:
        """Whether so much more can be read in this import."""
        if self._num_bytes + num_bytes > MOST_BYTES:
            self._leave_out(name, _too_large(num_bytes, self._num_bytes))
            return False
        self._num_bytes += num_bytes
        return True

    def _read_stream(self, stream: IO[bytes], name: str, folder: str) -> None:
        num_before = len(self.chats)
        try:
            with io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
                if header := HEADER.match(text.read(4096).lstrip()):
                    check_version(int(header[1]))
                text.seek(0)
                for value in elements_of(text, HEADER):
                    self._read_value(value, name, folder)
        except BrokenJsonError as error:
            self._leave_out(f"The rest of {name}" if len(self.chats) > num_before else name, str(error))
        except UnreadableChatError as error:
            self._leave_out(name, str(error))
        except UnicodeDecodeError:
            self._leave_out(name, "it is not text in UTF-8")

    def _read_value(self, value: object, name: str, folder: str) -> None:
        """One chat, or a file that holds several without being an array."""
        fields = fields_of(value)
        inner = items_of(fields.get("chats")) or items_of(fields.get("conversations"))
        for one in map(fields_of, inner or [fields]):
            try:
                self.chats.append(_chat_from(one, name, folder))
            except UnreadableChatError as error:
                title = clean_title(text_of(one.get("title")) or text_of(one.get("name")))
                self._leave_out(f"“{title}” in {name}" if title else f"A chat in {name}", str(error))

    def _leave_out(self, what: str, reason: str) -> None:
        self.unreadable.append(f"{what} was left out: {reason.rstrip('.')}.")


def _chat_from(fields: Mapping[str, Any], name: str, folder: str) -> WholeChat:
    """Raises UnreadableChatError."""
    if is_chatgpt(fields):
        return read_chatgpt(fields)
    if is_ours(fields):
        return read_ours(fields)
    if is_lm_studio(fields):
        return read_lm_studio(fields, name.removesuffix(_SUFFIX), folder)
    raise UnreadableChatError("it is no chat of Slipstream, ChatGPT or LM Studio")


def _too_large(num_bytes: int, num_before: int) -> str:
    others = f", {num_before / 1e9:.1f} GB of which other files have taken" if num_before else ""
    return f"it has {num_bytes / 1e9:.1f} GB, and {MOST_BYTES / 1e9:.1f} GB can be read in one import{others}"


def read_paths(paths: Sequence[Path], known: Collection[str]) -> Found:
    """All chats in them; those whose ids are `known` are counted only. Never raises for what a file holds."""
    reading = _Reading()
    for path in paths:
        reading.read_path(path)
    return found_among(reading.chats, known, reading.unreadable)


def _files_in(folder: Path) -> Iterator[Path]:
    wanted = (file for file in sorted(folder.rglob("*.json")) if _WANTED.fullmatch(file.name))
    return (file for _, file in zip(range(MOST_FILES), wanted, strict=False))
