"""ChatDeeds: what the sidebar asks to be done with chats, as coroutines of the catalogue."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.conversations.catalogue import Catalogue
from app.frame.focus_place import FocusPlace
from app.sidebar.panel import Sidebar
from app.tasks import start


class ChatDeeds(QObject):
    duplicated = Signal(str)  # id of the copy, which is waited for

    def __init__(self, catalogue: Catalogue, sidebar: Sidebar) -> None:
        super().__init__(sidebar)
        self._catalogue = catalogue
        self._sidebar = sidebar
        menus, model = sidebar.menus, sidebar.model
        model.rename_asked.connect(lambda name, title: start(catalogue.rename(name, title)))
        model.folder_rename_asked.connect(self._rename_folder)
        menus.pin_asked.connect(lambda ids, is_pinned: start(catalogue.set_pinned(ids, is_pinned)))
        menus.folder_asked.connect(lambda ids, folder: start(catalogue.set_folder(ids, folder)))
        menus.dissolve_asked.connect(lambda folder: start(catalogue.remove_folder(folder)))
        menus.duplicate_asked.connect(lambda name: start(self._duplicate(name)))
        sidebar.search_asked.connect(lambda words: start(self._search(words)))

    def _rename_folder(self, folder: str, name: str) -> None:
        if name != folder:
            start(self._catalogue.rename_folder(folder, name))

    async def _duplicate(self, conversation_id: str) -> None:
        place = FocusPlace(self._sidebar)
        copy_id = await self._catalogue.duplicate(conversation_id)
        if copy_id and place.is_kept:
            self.duplicated.emit(copy_id)

    async def _search(self, words: str) -> None:
        hits = await self._catalogue.search(words)
        if hits is not None:
            self._sidebar.show_hits(words, hits)
