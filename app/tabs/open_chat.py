"""OpenChat: what is done with a whole chat, as the sidebar does it with its rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from app.conversations.records import Conversation
from app.frame.shell import Shell
from app.sidebar.panel import Sidebar
from app.tabs.workspace import Workspace


class OpenChat:
    """Each deed takes the id of a chat; without one it is the chat that is shown."""

    def __init__(self, workspace: Workspace, sidebar: Sidebar, shell: Shell) -> None:
        self._workspace = workspace
        self._sidebar = sidebar
        self._shell = shell

    def listen(self, deed: Callable[[], None]) -> None:
        """Do it whenever other chats are listed, or the same otherwise."""
        self._sidebar.model.modelReset.connect(deed)
        self._sidebar.model.dataChanged.connect(lambda *_: deed())

    def find(self, conversation_id: str = "") -> Conversation | None:
        """The chat as it is listed; None where it is not yet, or no chat is shown."""
        tab = self._workspace.current
        wanted = conversation_id or (tab.session.conversation_id if tab is not None else None)
        return next((one for one in self._sidebar.model.conversations if one.id == wanted), None)

    def rename(self, conversation_id: str = "") -> None:
        """Edit its title in the sidebar."""
        if (chat := self.find(conversation_id)) is not None:
            self._shell.show_sidebar()
            self._sidebar.edit_title(chat)

    def toggle_pin(self, conversation_id: str = "") -> None:
        if (chat := self.find(conversation_id)) is not None:
            self._sidebar.menus.pin_asked.emit((chat.id,), not chat.is_pinned)

    def duplicate(self) -> None:
        if (chat := self.find()) is not None:
            self._sidebar.menus.duplicate_asked.emit(chat.id)

    def export(self) -> None:
        if (chat := self.find()) is not None:
            self._sidebar.menus.export_asked.emit((chat.id,))

    def delete(self) -> None:
        if (chat := self.find()) is not None:
            self._sidebar.menus.delete_asked.emit((chat.id,))

    def fill_folders(self, menu: QMenu) -> None:
        """The folders that it can be moved to."""
        menu.clear()
        if (chat := self.find()) is not None:
            self._sidebar.menus.fill_folders(menu, (chat,))
