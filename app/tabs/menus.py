"""TabMenus: what a tab's own menu offers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.chat.tab import ChatTab
from app.tabs.open_chat import OpenChat
from app.tabs.workspace import Workspace


class TabMenus(QObject):
    def __init__(self, workspace: Workspace, chat: OpenChat) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._chat = chat
        workspace.row.bar.menu_asked.connect(self._open)

    def _open(self, index: int, place: QPoint) -> None:
        self.make(index).popup(place)

    def make(self, index: int) -> QMenu:
        """The menu of a tab; a chat that is saved can be renamed and pinned there."""
        workspace, page = self._workspace, self._workspace.page_at(index)
        assert page is not None
        others = [each for each in workspace.pages if each is not page]
        menu = QMenu("Tab", workspace)
        menu.aboutToHide.connect(menu.deleteLater)
        _add(menu, "Close tab", lambda: workspace.close_pages([page]))
        _add(menu, "Close other tabs", lambda: workspace.close_pages(others), can=bool(others))
        chat_id = page.session.conversation_id if isinstance(page, ChatTab) else None
        if chat_id and (chat := self._chat.find(chat_id)) is not None:
            menu.addSeparator()
            _add(menu, "Rename", lambda: self._chat.rename(chat.id))
            _add(menu, "Unpin" if chat.is_pinned else "Pin", lambda: self._chat.toggle_pin(chat.id))
        return menu


def _add(menu: QMenu, words: str, deed: Callable[[], object], *, can: bool = True) -> None:
    action = menu.addAction(words)
    action.setEnabled(can)
    action.triggered.connect(lambda checked=False: deed())
