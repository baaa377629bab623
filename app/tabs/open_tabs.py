"""Which tabs are open and what is written in them, kept in the data folder for the next start."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.chat.draft import Draft
from app.conversations.records import NO_CHOICES, Attachment, ChatChoices
from app.kept_file import read_kept, write_kept
from app.settings.preferences import decode

FILE_NAME = "open-tabs.json"
FOLDER_NAME = "unsent"  # of attached texts, each written once: the file beside it is written with every pause in typing

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenTab:
    """A chat by its id, or a page that is no chat by its symbol; without either the chat that has no id yet."""

    conversation_id: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class OpenTabs:
    """`current` is the place of the one in front.

    `drafts` are messages that were not sent, by conversation id; "" for a chat that has none.

    `branches` are the messages that what is sent next follows in a branch of its own, by conversation id.
    `choices` are for the chat that has no id yet.
    `marks` are those of the chats with a reply that nobody has seen the end of, "unread" or "failed", by id.
    """

    tabs: tuple[OpenTab, ...] = ()
    current: int = 0
    drafts: Mapping[str, tuple[Draft, ...]] = field(default_factory=dict)
    branches: Mapping[str, str] = field(default_factory=dict)
    choices: ChatChoices = NO_CHOICES
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Kept:
    """OpenTabs as they are written: an attachment is its name and that of the file with its text."""

    tabs: tuple[OpenTab, ...]
    current: int
    drafts: Mapping[str, list[dict[str, Any]]]
    branches: Mapping[str, str]
    choices: ChatChoices
    marks: Mapping[str, str]


def read_open_tabs(folder: Path) -> OpenTabs:
    """Nothing where the file is missing or says something else."""
    texts = folder / FOLDER_NAME
    return read_kept(folder / FILE_NAME, lambda found: _build(found, texts), OpenTabs())


def write_open_tabs(folder: Path, tabs: OpenTabs) -> None:
    texts = folder / FOLDER_NAME
    written = [draft for drafts in tabs.drafts.values() for draft in drafts]
    names = {attachment: _file_name(attachment) for draft in written for attachment in draft.attachments}
    drafts = {chat: [_as_kept(draft, names) for draft in drafts] for chat, drafts in tabs.drafts.items()}
    try:
        _write_texts(texts, names)
        kept = _Kept(tabs.tabs, tabs.current, drafts, tabs.branches, tabs.choices, tabs.marks)
        write_kept(folder / FILE_NAME, kept)
        _remove_others(texts, set(names.values()))
    except OSError as error:
        logger.warning("attachments that were not sent were not saved: %s", error)


def _as_kept(draft: Draft, names: Mapping[Attachment, str]) -> dict[str, Any]:
    attachments = [{"name": attachment.name, "file": names[attachment]} for attachment in draft.attachments]
    return {
        "text": draft.text,
        "attachments": attachments,
        "edits": draft.edits,
        "num_left_out": draft.num_left_out,
    }


def _file_name(attachment: Attachment) -> str:
    return f"{hashlib.blake2b(_encode(attachment.text), digest_size=16).hexdigest()}.txt"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _write_texts(folder: Path, names: Mapping[Attachment, str]) -> None:
    for attachment, name in names.items():
        path = folder / name
        if not path.exists():
            folder.mkdir(exist_ok=True)
            fresh = path.with_suffix(".new")
            fresh.write_bytes(_encode(attachment.text))
            fresh.replace(path)


def _remove_others(folder: Path, wanted: set[str]) -> None:
    """Texts that were sent or given up stay nowhere but in the chats."""
    for path in folder.glob("*"):
        if path.name not in wanted:
            path.unlink(missing_ok=True)


def _build(found: Any, texts: Path) -> OpenTabs:
    drafts = {str(name): _build_drafts(kept, texts) for name, kept in dict(found.get("drafts", {})).items()}
    branches, marks = _build_texts(found.get("branches", {})), _build_texts(found.get("marks", {}))
    choices = decode(ChatChoices, found.get("choices", {}))
    return OpenTabs(_build_tabs(found), int(found["current"]), drafts, branches, choices, marks)


def _build_tabs(found: Any) -> tuple[OpenTab, ...]:
    """Ids alone, as the file had them when only chats came back, are chats."""
    if "tabs" not in found:
        return tuple(OpenTab(str(name)) for name in found["conversation_ids"])
    return tuple(decode(OpenTab, one) for one in found["tabs"])


def _build_texts(found: Any) -> dict[str, str]:
    return {str(name): str(one) for name, one in dict(found).items()}


def _build_drafts(kept: Any, texts: Path) -> tuple[Draft, ...]:
    """One text, as the file had it before drafts could hold attachments, is one draft."""
    if isinstance(kept, str):
        return (Draft(kept),)
    return tuple(
        Draft(
            str(one["text"]), _read_attachments(one["attachments"], texts), str(one["edits"]), int(one["num_left_out"])
        )
        for one in kept
    )


def _read_attachments(kept: list[Any], texts: Path) -> tuple[Attachment, ...]:
    """Those whose texts are still there."""
    attachments = []
    for one in kept:
        try:
            content = (texts / Path(str(one["file"])).name).read_bytes().decode("utf-8", "surrogatepass")
        except (OSError, UnicodeDecodeError) as error:
            logger.warning("an attachment that was not sent was not read: %s", error)
        else:
            attachments.append(Attachment(str(one["name"]), content))
    return tuple(attachments)
