"""RowMenus: the menus of a chat, of several that are chosen and of a folder in the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from itertools import count

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.conversations.records import Conversation
from app.figures import write_amount
from app.sidebar.list_model import ConversationModel
from app.sidebar.list_view import ConversationList
from app.sidebar.rows import Kind, folders_of

NEW_FOLDER = "New folder"


def fresh_name(taken: Collection[str]) -> str:
    """A name that no folder has."""
    names = (NEW_FOLDER if number == 1 else f"{NEW_FOLDER} {number}" for number in count(1))
    return next(name for name in names if name not in taken)


class RowMenus(QObject):
    pin_asked = Signal(object, bool)  # conversation ids
    folder_asked = Signal(object, str)  # conversation ids, name of the folder; "" for none
    duplicate_asked = Signal(str)
    export_asked = Signal(object)  # conversation ids
    delete_asked = Signal(object)  # conversation ids
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
        row, ids = self._model.row(index), self._chats.acted_on(index)
        if row.kind is Kind.FOLDER:
            menu = self.for_folder(row.text)
        else:
            menu = self.for_chats(ids) if len(ids) > 1 else self.for_chat(row.conversation_id)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def for_chat(self, conversation_id: str) -> QMenu:
        (conversation,) = self._conversations((conversation_id,))
        ids = (conversation_id,)
        menu = QMenu("Chat", self._chats)
        is_pinned = conversation.is_pinned
        _add(menu, "Rename", lambda: self._chats.edit_chat(conversation_id))
        _add(menu, "Unpin" if is_pinned else "Pin", lambda: self.pin_asked.emit(ids, not is_pinned))
        self.fill_folders(menu.addMenu("Move to folder"), (conversation,))
        _add(menu, "Duplicate", lambda: self.duplicate_asked.emit(conversation_id))
        _add(menu, "Export…", lambda: self.export_asked.emit(ids))
        menu.addSeparator()
        _add(menu, "Delete", lambda: self.delete_asked.emit(ids))
        return menu

    def for_chats(self, conversation_ids: Collection[str]) -> QMenu:
        """Of several that are chosen: what can be done with all of them."""
        conversations = self._conversations(conversation_ids)
        ids, chats = tuple(one.id for one in conversations), write_amount(len(conversations), "chat")
        menu = QMenu("Chats", self._chats)
        are_pinned = all(one.is_pinned for one in conversations)
        pin = f"Unpin {chats}" if are_pinned else f"Pin {chats}"
        _add(menu, pin, lambda: self.pin_asked.emit(ids, not are_pinned))
        self.fill_folders(menu.addMenu(f"Move {chats} to folder"), conversations)
        _add(menu, f"Export {chats}…", lambda: self.export_asked.emit(ids))
        menu.addSeparator()
        _add(menu, f"Delete {chats}", lambda: self.delete_asked.emit(ids))
        return menu

    def _conversations(self, conversation_ids: Collection[str]) -> tuple[Conversation, ...]:
        return tuple(one for one in self._model.conversations if one.id in conversation_ids)

    def for_folder(self, name: str) -> QMenu:
        inside = tuple(one.id for one in self._model.conversations if one.folder == name)
        menu = QMenu("Folder", self._chats)
        _add(menu, "New chat in this folder", lambda: self.new_asked.emit(name))
        _add(menu, "Rename", lambda: self._chats.edit_folder(name))
        _add(menu, "Export…", lambda: self.export_asked.emit(inside))
        menu.addSeparator()
        _add(menu, "Remove the folder, keep its chats", lambda: self.dissolve_asked.emit(name))
        return menu

    def fill_folders(self, menu: QMenu, conversations: Collection[Conversation]) -> None:
        """Where chats can be moved to; the folder that all of them are in is checked."""
        ids, inside = tuple(one.id for one in conversations), {one.folder for one in conversations}
        folders = folders_of(self._model.conversations)
        for folder in folders:
            action = _add(menu, folder.replace("&", "&&"), partial(self._move, ids, folder))
            action.setCheckable(True)
            action.setChecked(inside == {folder})
        if inside != {""}:
            _add(menu, "No folder", lambda: self._move(ids, ""))
        if folders:
            menu.addSeparator()
        _add(menu, "New folder…", lambda: self._make_folder(ids, fresh_name(folders)))

    def _move(self, conversation_ids: tuple[str, ...], folder: str) -> None:
        self.folder_asked.emit(conversation_ids, folder)

    def _make_folder(self, conversation_ids: tuple[str, ...], name: str) -> None:
        self._fresh = name
        self._move(conversation_ids, name)

    def _edit_fresh(self) -> None:
        if self._fresh and self._model.index_of_place((Kind.FOLDER, self._fresh)).isValid():
            self._chats.edit_folder(self._fresh)
            self._fresh = ""


def _add(menu: QMenu, words: str, deed: Callable[[], object]) -> QAction:
    action = menu.addAction(words)
    action.triggered.connect(lambda checked=False: deed())
    return action
