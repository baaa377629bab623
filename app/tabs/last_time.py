"""Brings the tabs of the last time back, in their order and with their marks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.tabs.open_tabs import OpenTab, OpenTabs
from app.tasks import start

if TYPE_CHECKING:
    from app.tabs.workspace import Workspace

Reads = Callable[[str], Coroutine[Any, Any, None]]


async def bring_back(workspace: Workspace, saved: OpenTabs, read_chat: Reads) -> QWidget | None:
    """Open each of them; returns the page that is to be in front, None where none could be opened.

    `read_chat` opens the tab of a chat by its id.
    """
    pages = [await _bring_back(workspace, one, read_chat) for one in saved.tabs]
    in_front = pages[saved.current] if 0 <= saved.current < len(pages) else None
    return in_front or next((page for page in reversed(pages) if page is not None), None)


async def _bring_back(workspace: Workspace, tab: OpenTab, read_chat: Reads) -> QWidget | None:
    if tab.page:
        await asyncio.sleep(0)  # a turn of the loop for each: making one takes a while
        return workspace.reopen_page(tab.page)
    if not tab.conversation_id:
        return workspace.new_tab()
    await asyncio.wait([start(read_chat(tab.conversation_id))])  # one that fails tells of it, and the others open
    return workspace.tab_of(tab.conversation_id)


def mark_unseen(workspace: Workspace, marks: Mapping[str, str]) -> None:
    """Mark the chats with a reply that nobody has seen the end of, by their ids; the one in front is seen."""
    for tab in workspace.tabs:
        mark = marks.get(tab.session.conversation_id or "", "") if tab is not workspace.current else ""
        tab.has_failed, tab.is_unread = mark == "failed", mark not in ("", "failed")
