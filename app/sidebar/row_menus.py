"""RowMenus: the menus of a chat and of a folder in the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from itertools import count

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.conversations.records import Conversation
from app.sidebar.list_model import ConversationModel
from app.sidebar.list_view import ConversationList
from app.sidebar.rows import Kind, folders_of

NEW_FOLDER = "New folder"


def fresh_name(taken: Collection[str]) -> str:
    """A name that no folder has."""
    names = (NEW_FOLDER if number == 1 else f"{NEW_FOLDER} {number}" for number in count(1))
    return next(name for name in names if name not in taken)


class RowMenus(QObject):
    pin_asked = Signal(str, bool)
    folder_asked = Signal(str, str)  # conversation id, name of the folder; "" for none
    duplicate_asked = Signal(str)
    export_asked = Signal(object)  # conversation ids
    delete_asked = Signal(str)
    new_asked = Signal(str)  # name of the folder that a chat is to begin in
    dissolve_asked = Signal(str)  # name of a folder whose chats are to stand under their times again

    def __init__(self, model: ConversationModel, chats: ConversationList) -> None:
        super().__init__(chats)
        self._model = model
        self._chats = chats
        self._fresh = ""  # a folder that is being made: its name is edited as soon as it is listed
        chats.menu_asked.connect(self._open)
        chats.delete_asked.connect(self.delete_asked)
        chats.folder_asked.connect(self.folder_asked)
        model.modelReset.connect(self._edit_fresh)

    def _open(self, index: QModelIndex, point: QPoint) -> None:
        row = self._model.row(index)
        menu = self.for_folder(row.text) if row.kind is Kind.FOLDER else self.for_chat(row.conversation_id)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def for_chat(self, conversation_id: str) -> QMenu:
        conversation = next(one for one in self._model.conversations if one.id == conversation_id)
        menu = QMenu("Chat", self._chats)
        is_pinned = conversation.is_pinned
        _add(menu, "Rename", lambda: self._chats.edit_chat(conversation_id))
        _add(menu, "Unpin" if is_pinned else "Pin", lambda: self.pin_asked.emit(conversation_id, not is_pinned))
        self.fill_folders(menu.addMenu("Move to folder"), conversation)
        _add(menu, "Duplicate", lambda: self.duplicate_asked.emit(conversation_id))
        _add(menu, "Export…", lambda: self.export_asked.emit((conversation_id,)))
        menu.addSeparator()
        _add(menu, "Delete", lambda: self.delete_asked.emit(conversation_id))
        return menu

    def for_folder(self, name: str) -> QMenu:
        inside = tuple(one.id for one in self._model.conversations if one.folder == name)
        menu = QMenu("Folder", self._chats)
        _add(menu, "New chat in this folder", lambda: self.new_asked.emit(name))
        _add(menu, "Rename", lambda: self._chats.edit_folder(name))
        _add(menu, "Export…", lambda: self.export_asked.emit(inside))
        menu.addSeparator()
        _add(menu, "Remove the folder, keep its chats", lambda: self.dissolve_asked.emit(name))
        return menu

    def fill_folders(self, menu: QMenu, conversation: Conversation) -> None:
        """Where a chat can be moved to."""
        folders = folders_of(self._model.conversations)
        for folder in folders:
            action = _add(menu, folder.replace("&", "&&"), partial(self._move, conversation.id, folder))
            action.setCheckable(True)
            action.setChecked(folder == conversation.folder)
        if conversation.folder:
            _add(menu, "No folder", lambda: self._move(conversation.id, ""))
        if folders:
            menu.addSeparator()
        _add(menu, "New folder…", lambda: self._make_folder(conversation.id, fresh_name(folders)))

    def _move(self, conversation_id: str, folder: str) -> None:
        self.folder_asked.emit(conversation_id, folder)

    def _make_folder(self, conversation_id: str, name: str) -> None:
        self._fresh = name
        self._move(conversation_id, name)

    def _edit_fresh(self) -> None:
        if self._fresh and self._model.index_of_place((Kind.FOLDER, self._fresh)).isValid():
            self._chats.edit_folder(self._fresh)
            self._fresh = ""


def _add(menu: QMenu, words: str, deed: Callable[[], object]) -> QAction:
    action = menu.addAction(words)
    action.triggered.connect(lambda checked=False: deed())
    return action
