"""Importer: from the files that are chosen to chats in the list, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.conversations.catalogue import Catalogue
from app.conversations.exporting.json_file import OWN_ENDING
from app.conversations.importing.found import Found, Imported
from app.conversations.whole_chat import WholeChat
from app.dialogs.import_page import ImportPage
from app.file_dialogs import FileDialog
from app.tabs.workspace import Workspace
from app.tasks import start

SYMBOL = "download"
FILTERS = (f"Exported chats (*.{OWN_ENDING} *.json *.zip)", "All files (*)")
LM_STUDIO = (Path(".lmstudio") / "conversations", Path(".cache") / "lm-studio" / "conversations")  # in the home folder


class Importer(QObject):
    """Imports can be taken back, the last one first, until the program ends."""

    def __init__(self, catalogue: Catalogue, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._catalogue = catalogue
        self._workspace = workspace
        self._found: Found | None = None  # that is offered
        self._imports: list[Imported] = []
        self._num_readings = 0  # that were begun; the last one counts

    def show_page(self) -> ImportPage:
        page = self._workspace.show_page(SYMBOL, self._make_page)
        assert isinstance(page, ImportPage)
        return page

    def _make_page(self) -> QWidget:
        page = ImportPage()
        page.paths_chosen.connect(self.read)
        page.files_asked.connect(lambda: self._choose(page, QFileDialog.FileMode.ExistingFiles))
        page.folder_asked.connect(lambda: self._choose(page, QFileDialog.FileMode.Directory))
        page.import_asked.connect(lambda: self._add(page.chosen))
        page.undo_asked.connect(lambda: start(self._undo(), saves=True))
        self._offer_undo(page)
        return page

    def _choose(self, page: ImportPage, mode: QFileDialog.FileMode) -> None:
        dialog = FileDialog(page, "Import chats")
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.Directory:
            known = (Path.home() / place for place in LM_STUDIO)
            if (place := next((place for place in known if place.is_dir()), None)) is not None:
                dialog.setDirectory(str(place))
        else:
            dialog.setNameFilters(FILTERS)
        dialog.filesSelected.connect(lambda names: self.read([Path(name) for name in names]))
        dialog.open()

    def read(self, paths: Sequence[Path]) -> None:
        """Say what the files hold; nothing is imported yet."""
        self._num_readings += 1
        self._found = None
        self.show_page().show_reading(paths[0].name if len(paths) == 1 else f"{len(paths):,} files")
        start(self._read(paths, self._num_readings))

    async def _read(self, paths: Sequence[Path], number: int) -> None:
        found = await self._catalogue.read_import(*paths)
        page = self._open_page()
        if number != self._num_readings or page is None:
            return
        self._found = found
        if found is None:
            page.show_start()
        else:
            page.show_found(found)

    def _add(self, chosen: tuple[WholeChat, ...]) -> None:
        if self._found is not None and chosen:  # once: a second press comes before the first is done
            start(self._import(replace(self._found, chats=chosen)), saves=True)
            self._found = None

    async def _import(self, found: Found) -> None:
        if (page := self._open_page()) is not None:
            page.show_importing(len(found.chats))
        imported = await self._catalogue.import_chats(found)
        if imported.conversation_ids:
            self._imports.append(imported)
        if (page := self._open_page()) is not None:
            page.show_imported(len(imported.conversation_ids), imported.problem)
            self._offer_undo(page)

    async def _undo(self) -> None:
        if not self._imports:
            return
        imported = self._imports.pop()
        await self._catalogue.undo_import(imported)
        if (page := self._open_page()) is not None:
            page.show_undone(len(imported.conversation_ids))
            self._offer_undo(page)

    def _offer_undo(self, page: ImportPage) -> None:
        page.offer_undo(len(self._imports[-1].conversation_ids) if self._imports else 0)

    def _open_page(self) -> ImportPage | None:
        """The page, unless it was closed meanwhile."""
        return next((page for page in self._workspace.pages if isinstance(page, ImportPage)), None)
