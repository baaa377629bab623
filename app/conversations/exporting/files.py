"""Writes chats to files: beside the place first, then into it, so that a failure leaves what was there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from app.conversations.exporting.json_file import JsonFile
from app.conversations.exporting.markdown_file import NO_TAGS, TagsByModel, markdown_of
from app.conversations.titles import NEW_TITLE
from app.conversations.whole_chat import WholeChat

_FORBIDDEN = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f]+')  # by one system or another
_MOST_BYTES = 120  # of a name, which may hold 255


class ExportKind(StrEnum):
    MARKDOWN = "markdown"  # a file for each chat
    JSON = "json"  # one file for all of them, to be imported again


def write_json(chats: Iterable[WholeChat], path: Path) -> int:
    """Returns how many chats were written; raises OSError, and leaves an earlier file as it was."""
    beside = path.with_name(f"{path.name}.part")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as stream:
            file = JsonFile(stream)
            for chat in chats:
                file.add(chat)
            file.finish()
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return file.num_chats


def write_markdown(chats: Iterable[WholeChat], path: Path, is_folder: bool, tags: TagsByModel = NO_TAGS) -> int:
    """One chat into the file, or each into a file of its own in the folder; none that was there is overwritten there.

    Returns how many chats were written; raises OSError, after those that could be.
    """
    num_chats = 0
    if is_folder:
        path.mkdir(exist_ok=True)
    for chat in chats:
        place = _free_place(path, chat.conversation.title) if is_folder else path
        beside = place.with_name(f"{place.name}.part")
        try:
            beside.write_text(markdown_of(chat, tags), encoding="utf-8", newline="\n")
            beside.replace(place)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        num_chats += 1
    return num_chats


def file_name(title: str) -> str:
    """A name that every system takes, without its ending."""
    name = " ".join(_FORBIDDEN.sub(" ", title).split()).strip(" .")
    return name.encode()[:_MOST_BYTES].decode("utf-8", "ignore").strip(" .") or NEW_TITLE


def _free_place(folder: Path, title: str) -> Path:
    name = file_name(title)
    place, number = folder / f"{name}.md", 1
    while place.exists():
        number += 1
        place = folder / f"{name} {number}.md"
    return place
